// An answering machine answered: the agent waits for the end of the greeting and leaves one message.
import {
  type Conversation,
  currentTurn,
  endConversation,
  isEnded,
  setTimer,
  stopTurn,
} from '../conversation-state.ts';
import { voicemail_note } from '../tools/tools.ts';
import { openingTurn, takeTurn } from '../turns/take-turn.ts';
import { sayText } from '../turns/turn.ts';

const machine_window_ms = 45_000;
const greeting_pause_ms = 2500;

export const mayBeMachine = ({ exchange, party, now }: Conversation): boolean =>
  exchange !== 'both_spoke' && party !== 'machine' && now() < machine_window_ms;

export function machineAnswered(conversation: Conversation): void {
  conversation.party = 'machine';
  conversation.first_message = { state: 'over' };
  conversation.cancelTimer.opening();
  conversation.emit({ kind: 'answered_by', at_ms: conversation.now(), by: 'machine' });
  stopTurn(conversation);
  if (conversation.call.voicemail?.action === 'hang_up') endConversation(conversation, 'voicemail');
  else waitForGreetingEnd(conversation);
}

/** A machine without a beep: the message starts when the greeting has been silent for a while. */
export function waitForGreetingEnd(conversation: Conversation): void {
  setTimer(conversation, 'silence', greeting_pause_ms, () => leaveMessage(conversation));
}

export function leaveMessage(conversation: Conversation): void {
  conversation.cancelTimer.silence();
  if (currentTurn(conversation) || isEnded(conversation)) return;
  // A disclosure during the greeting is not on the recording.
  conversation.turn_deps.disclosure.is_heard = false;
  conversation.turns.push({ role: 'user', content: voicemail_note });
  const message = conversation.call.voicemail?.message ?? null;
  void takeTurn(
    conversation,
    () => (message ? sayText(conversation.turn_deps, message) : openingTurn(conversation)),
    () => {
      conversation.emit({ kind: 'message_left', at_ms: conversation.now() });
      endConversation(conversation, 'voicemail');
    },
  );
}

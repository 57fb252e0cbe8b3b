// Speech of the other party became no turn: the agent says so and asks again, instead of waiting in silence.
import {
  type Conversation,
  endConversation,
  isApologizing,
  isEnded,
  isTransferring,
  resumeTurn,
} from '../conversation-state.ts';
import { remainingHoldMs } from '../hold.ts';
import { saysFirstMessage } from '../speak/first-message.ts';
import { takeFirstTurn, takeTurn, waitForSpeech } from '../turns/take-turn.ts';
import { sayText } from '../turns/turn.ts';
import { waitForGreetingEnd } from '../voicemail/leave-message.ts';
import type { LostSpeech } from './lost-speech.ts';

/** So often in a row the agent asks again; after that it gives up. */
const tolerated_losses = 2;

const causes: Record<LostSpeech['cause'], string> = {
  recognition_late: 'Recognition did not answer in time.',
  no_words: 'Recognition found no words in it.',
  call_ended: 'The call was over before its words were known.',
};

export function speechLost(conversation: Conversation, { cause, sound_ms }: LostSpeech): void {
  const { state, clock, hold } = conversation;
  if (isEnded(conversation) || isApologizing(conversation)) return;
  // Noise behind the agent's own words is not addressed to it.
  if (cause === 'no_words' && state.name === 'speaking') return;
  noteLost(conversation, { cause, sound_ms });
  if (isTransferring(conversation)) return;
  if (conversation.party === 'machine') waitForGreetingEnd(conversation);
  else if (saysFirstMessage(conversation)) resumeTurn(conversation);
  else if (state.name === 'opening') takeFirstTurn(conversation);
  else if (remainingHoldMs(hold, clock) > 0) waitForSpeech(conversation);
  else askAgain(conversation, cause);
}

function askAgain(conversation: Conversation, cause: LostSpeech['cause']): void {
  const { turn_deps, phrases } = conversation;
  conversation.losses++;
  if (conversation.losses <= tolerated_losses) {
    void takeTurn(conversation, () => sayText(turn_deps, phrases.not_understood));
    return;
  }
  void takeTurn(
    conversation,
    () => sayText(turn_deps, phrases.never_understood),
    () => endConversation(conversation, 'not_understood', causes[cause]),
  );
}

export const noteLost = ({ emit, now }: Conversation, { cause, sound_ms }: LostSpeech): void =>
  emit({ kind: 'not_understood', at_ms: now(), cause, sound_ms, detail: causes[cause] });

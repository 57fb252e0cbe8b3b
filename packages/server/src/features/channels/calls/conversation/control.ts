// What can be done to a running conversation from outside: say something, give the model a note, press keys.
import { completeTransfer } from '@parley/contract/agents/agent-defaults';
import { digitPattern } from '../../../../providers/media/media-session.ts';
import type { Principal } from '../../../rules/admission/index.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  isTransferring,
  stopTurn,
} from './conversation-state.ts';
import { isTalking } from './relay/relay-talk.ts';
import { owesFirstMessage } from './speak/first-message.ts';
import { addTurn } from './tools/tool-round.ts';
import { noteTurn } from './tools/tools.ts';
import { requestTransfer } from './transfer/run-transfer.ts';
import { sayModelReply } from './turns/model-turn.ts';
import { takeTurn, waitForSpeech } from './turns/take-turn.ts';
import { sayText } from './turns/turn.ts';

export type Commanded = { outcome: 'done' | 'queued' } | { outcome: 'refused'; detail: string };

export type SayCommand = { text: string; when: 'now' | 'next'; then: 'listen' | 'end_call' };

export type ConversationControl = {
  say(command: SayCommand): Commanded;
  instruct(command: { text: string; respond: boolean }): Commanded;
  /** `w` is a pause of half a second. */
  sendDigits(digits: string): Promise<Commanded>;
  transfer(command: TransferCommand): Promise<Commanded>;
};

export type TransferCommand = {
  principal: Principal | null;
  reason?: string | undefined;
} & (
  | { destination: string }
  | { destination?: undefined; to: string; mode?: 'warm' | 'blind' | undefined; brief?: string | undefined }
);

const pause_ms = 500;
const max_noted_chars = 500;

export const controlOf = (conversation: Conversation): ConversationControl => ({
  say: (command) => say(conversation, command),
  instruct: (command) => instruct(conversation, command),
  sendDigits: (digits) => pressKeys(conversation, digits),
  transfer: (command) => transfer(conversation, command),
});

/** Null when the agent can be made to speak. */
function obstacle(conversation: Conversation): string | null {
  if (isEnded(conversation) || isApologizing(conversation)) return 'The call is about to end.';
  if (isTransferring(conversation)) return 'The call is being transferred.';
  if (conversation.party === 'machine') return 'An answering machine is on the line.';
  return null;
}

function say(conversation: Conversation, command: SayCommand): Commanded {
  const detail = obstacle(conversation);
  if (detail) return { outcome: 'refused', detail };
  const { text } = command;
  const finish = () =>
    command.then === 'end_call' ? endConversation(conversation, 'api_hangup') : waitForSpeech(conversation);
  const speak = () =>
    void takeTurn(conversation, () => sayText(conversation.turn_deps, text, { requested_by: 'api' }), finish);
  // The opening comes first in any case: it has the disclosure and the first message.
  const is_opening = conversation.state.name === 'opening' || owesFirstMessage(conversation);
  if (command.when === 'now' && !is_opening) {
    stopTurn(conversation);
    speak();
    return { outcome: 'done' };
  }
  return whenQuiet(conversation, speak);
}

function instruct(
  conversation: Conversation,
  { text, respond }: { text: string; respond: boolean },
): Commanded {
  if (isEnded(conversation) || isApologizing(conversation))
    return { outcome: 'refused', detail: 'The call is about to end.' };
  // A relay gets what the person says, and nothing that is meant for a model.
  if (isTalking(conversation.turn_deps.relay))
    return { outcome: 'refused', detail: 'A relay converses on this call.' };
  addTurn(conversation.turn_deps.tools, conversation.turns, noteTurn(text));
  const at_ms = conversation.now();
  conversation.emit({ kind: 'instructed', at_ms, text: text.slice(0, max_noted_chars) });
  const is_silent = conversation.party === 'machine' || isTransferring(conversation);
  if (!respond || is_silent) return { outcome: 'done' };
  return whenQuiet(
    conversation,
    () => void takeTurn(conversation, () => sayModelReply(conversation.turn_deps, null)),
  );
}

/** Now if neither side speaks, else after the next turn of the agent. */
export function whenQuiet(conversation: Conversation, speak: () => void): Commanded {
  const is_quiet = conversation.state.name === 'listening' && !conversation.isPersonSpeaking();
  if (is_quiet && !currentTurn(conversation) && conversation.keys === '') {
    speak();
    return { outcome: 'done' };
  }
  conversation.queued.push(speak);
  return { outcome: 'queued' };
}

async function pressKeys(conversation: Conversation, digits: string): Promise<Commanded> {
  if (isEnded(conversation)) return { outcome: 'refused', detail: 'The call is about to end.' };
  for (const part of digits.split(/(w+)/)) {
    if (part.startsWith('w'))
      await new Promise<void>((resolve) => conversation.clock.after(part.length * pause_ms, resolve));
    else if (digitPattern.test(part)) await conversation.session.sendDigits(part);
    if (isEnded(conversation)) break;
  }
  conversation.emit({ kind: 'digits_sent', at_ms: conversation.now(), digits });
  return { outcome: 'done' };
}

async function transfer(conversation: Conversation, command: TransferCommand): Promise<Commanded> {
  const { destination = null, principal, reason = null } = command;
  const found =
    command.destination === undefined
      ? { to: command.to, options: completeTransfer({ mode: command.mode, brief: command.brief }) }
      : conversation.transfers?.destination(command.destination);
  if (!found) return { outcome: 'refused', detail: 'The call has no such destination.' };
  const request = { ...found, destination, principal, reason, requested_by: 'api' } as const;
  const started = await requestTransfer(conversation, request);
  return started.outcome === 'started' ? { outcome: 'done' } : started;
}

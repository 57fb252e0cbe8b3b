// The agent takes turns: it opens the conversation, replies, asks again after silence, and apologizes when an engine fails.
import { TtsFailed } from '../../../providers/tts/tts.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  setTimer,
  stopTurn,
} from './conversation-state.ts';
import type { HeardTurn } from './listener.ts';
import { type AgentTurn, sayModelReply, sayText } from './turn.ts';

type Layer = 'llm' | 'stt' | 'tts' | 'vad';

const apology_timeout_ms = 10_000;

/** Takes a turn and follows it to its end. `then` replaces the usual continuation after a turn that was spoken to the end. */
export async function takeTurn(
  conversation: Conversation,
  start: () => AgentTurn,
  then?: () => void,
): Promise<void> {
  stopTurn(conversation);
  conversation.cancelTimer.opening();
  conversation.cancelTimer.silence();
  const turn = start();
  conversation.state = { name: 'speaking', turn };
  const result = await turn.done.catch((error: Error) => ({ failed: error }));
  // Another turn has replaced it, or the call is over.
  if (currentTurn(conversation) !== turn) return;
  conversation.state = { name: 'listening' };
  if (conversation.exchange === 'nothing_said') conversation.exchange = 'agent_spoke';
  if (typeof result === 'object') return handleFailedTurn(conversation, result.failed);
  if (then) return then();
  if (result === 'hang_up') return endConversation(conversation, 'agent_hangup');
  waitForSpeech(conversation);
}

async function handleFailedTurn(conversation: Conversation, error: Error): Promise<void> {
  if (!(error instanceof TtsFailed)) return apologize(conversation, 'llm', error);
  // Without a voice the agent cannot apologize.
  reportFailure(conversation, 'tts', error);
  endConversation(conversation, 'media_failure', `tts: ${error.message}`);
}

/** The agent's first turn; also used for the message to an answering machine. */
export function openingTurn({ call, turn_deps }: Conversation): AgentTurn {
  return call.first_message ? sayText(turn_deps, call.first_message) : sayModelReply(turn_deps, null);
}

/** `heard` is null when the text is a note about pressed keys. */
export function reply(conversation: Conversation, heard: HeardTurn | null, text: string): void {
  const { turns, call, turn_deps } = conversation;
  // First, because it adds what was heard of the agent's turn, which came before this text.
  stopTurn(conversation);
  // The party continued after its turn counted as over: for the model both parts are one turn.
  const previous = turns.at(-1)?.role === 'user' ? turns.pop()! : null;
  turns.push({ role: 'user', content: previous ? `${previous.content} ${text}` : text });
  const first_message = conversation.state.name === 'opening' ? call.first_message : null;
  void takeTurn(conversation, () =>
    first_message ? sayText(turn_deps, first_message, { heard }) : sayModelReply(turn_deps, heard),
  );
}

/** After a long silence the agent asks whether the other party is there, after a second one it hangs up. */
export function waitForSpeech(conversation: Conversation): void {
  const { session, phrases, timeouts, turn_deps } = conversation;
  setTimer(conversation, 'silence', timeouts.silence_ms, () => {
    if (conversation.isPersonSpeaking() || currentTurn(conversation)) return;
    if (session.peerIsComputing?.()) return waitForSpeech(conversation);
    conversation.silences++;
    if (conversation.silences === 1)
      return void takeTurn(conversation, () => sayText(turn_deps, phrases.still_there));
    void takeTurn(
      conversation,
      () => sayText(turn_deps, phrases.giving_up),
      () => endConversation(conversation, 'silence_timeout'),
    );
  });
}

export function askToRepeat(conversation: Conversation): void {
  void takeTurn(conversation, () => sayText(conversation.turn_deps, conversation.phrases.say_again));
}

/** Cannot be interrupted. */
export async function apologize(
  conversation: Conversation,
  layer: Exclude<Layer, 'tts'>,
  error: Error,
): Promise<void> {
  if (isApologizing(conversation) || isEnded(conversation)) return;
  stopTurn(conversation);
  conversation.cancelTimer.opening();
  reportFailure(conversation, layer, error);
  const turn = sayText(conversation.turn_deps, conversation.phrases.apology, { discloses: false });
  conversation.state = { name: 'apologizing', turn };
  const timeout = new Promise<void>((resolve) => conversation.clock.after(apology_timeout_ms, resolve));
  await Promise.race([turn.done.catch(() => {}), timeout]);
  const reason = layer === 'llm' ? 'setup_error' : 'media_failure';
  endConversation(conversation, reason, `${layer}: ${error.message}`);
}

export function reportFailure(conversation: Conversation, layer: Layer, error: Error): void {
  conversation.emit({ kind: 'went_wrong', at_ms: conversation.now(), layer, detail: error.message });
}

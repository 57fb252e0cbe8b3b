// The state of one spoken conversation: whose turn it is, who the other party is, and the transitions between states.
import type { RecordTrace } from '../../../../platform/tracing/trace-below.ts';
import type { Turn } from '../../../../providers/llm/llm.ts';
import type { Bridge } from '../../../../providers/media/bridge.ts';
import type { MediaClock } from '../../../../providers/media/media-clock.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { Stt } from '../../../../providers/stt/stt.ts';
import type { Vad } from '../../../../providers/vad/vad.ts';
import type { AgentEndReason, Fact, SpokenCallEnd } from './facts.ts';
import type { HoldState } from './hold.ts';
import type { Hearing } from './listen/lost-speech.ts';
import type { Phrases } from './speak/phrases.ts';
import type { SpokenCall } from './spoken-call.ts';
import type { Timeouts } from './timeouts.ts';
import type { TransferPort } from './transfer/transfer-port.ts';
import type { TurnDeps } from './turns/model-turn.ts';
import type { AgentTurn } from './turns/turn.ts';

/**
 * waiting → speaking: its turn has begun. speaking → over: it was said, or cut off when the other party had heard enough
 * of it to react to it. waiting, speaking → over: an answering machine or a colleague is on the line.
 */
export type FirstMessage =
  | { state: 'waiting'; text: string }
  /** `unanswered`: what the other party said when it had hardly begun. The agent replies to it afterwards. */
  | { state: 'speaking'; text: string; turn: AgentTurn; began_ms: number; unanswered: string[] }
  | { state: 'over' };

/**
 * opening → speaking: the agent takes its first turn.
 * listening ⇄ speaking: the agent takes a turn; the turn is over or was stopped.
 * speaking ⇄ held: the other party starts to speak over the agent; it was noise or agreement, so the agent continues.
 * held → listening: it was an interruption.
 * any → apologizing: the model, recognition or voice activity detection failed. The agent apologizes and hangs up.
 * any → transferring → bridged: the person waits for a colleague, then talks to them. transferring → listening: it failed.
 * any → ended: nothing leaves this state.
 */
export type State =
  | { name: 'opening' }
  | { name: 'listening' }
  | { name: 'speaking'; turn: AgentTurn }
  | { name: 'held'; turn: AgentTurn }
  | { name: 'apologizing'; turn: AgentTurn }
  /** `personSaid`: what becomes of the words of the person who waits. */
  | { name: 'transferring'; personSaid(text: string): void }
  | { name: 'bridged'; bridge: Bridge }
  | { name: 'ended' };

/** Who spoke so far. An answering machine does not answer what the agent said, so `both_spoke` means a person. */
export type Exchange = 'nothing_said' | 'agent_spoke' | 'both_spoke';

export type TimerName = 'opening' | 'silence' | 'keys' | 'limit';

export type Conversation = {
  state: State;
  party: 'unknown' | 'human' | 'machine';
  exchange: Exchange;
  first_message: FirstMessage;
  /** What was said so far, for the model. */
  turns: Turn[];
  stt_failures: number;
  silences: number;
  /** How often in a row speech of the other party became no turn. */
  losses: number;
  /** How often in a row silence was not counted, because the simulated other side computes its answer. */
  waits_for_peer: number;
  /** Keys that were pressed and not reported to the model yet. */
  keys: string;
  /** Turns by request of the API, which start when neither side speaks. */
  queued: (() => void)[];
  cancelTimer: Record<TimerName, () => void>;
  readonly call: SpokenCall;
  readonly session: MediaSession;
  readonly clock: MediaClock;
  readonly timeouts: Timeouts;
  /** Changes with the language in which the agent speaks. */
  phrases: Phrases;
  readonly turn_deps: TurnDeps;
  readonly hold: HoldState;
  /** What the other party said last, oldest first. */
  readonly person_turns: string[];
  /** For listening to a colleague. */
  readonly engines: { vad: Vad; stt: Stt };
  /** Null where calls cannot be transferred. */
  readonly transfers: TransferPort | null;
  /** Null while tracing is off. */
  readonly trace: RecordTrace | null;
  /** Settles when the current transfer is over. */
  transfer_done: Promise<void> | null;
  isPersonSpeaking(): boolean;
  hearing(): Hearing;
  emit(fact: Fact): void;
  /** Milliseconds since the line opened. */
  now(): number;
  ended: PromiseWithResolvers<SpokenCallEnd>;
};

export function setTimer(
  conversation: Conversation,
  name: TimerName,
  delay_ms: number,
  run: () => void,
): void {
  conversation.cancelTimer[name]();
  conversation.cancelTimer[name] = conversation.clock.after(delay_ms, run);
}

/** The turn that the agent is in, null when it listens. */
export const currentTurn = ({ state }: Conversation): AgentTurn | null =>
  'turn' in state ? state.turn : null;

export const isEnded = ({ state }: Conversation): boolean => state.name === 'ended';
/** The agent takes no turns: the person waits for a colleague or talks to them. */
export const isTransferring = ({ state }: Conversation): boolean =>
  state.name === 'transferring' || state.name === 'bridged';
export const isApologizing = ({ state }: Conversation): boolean => state.name === 'apologizing';

/** The transcript keeps only what was heard of the turn. */
export function stopTurn(conversation: Conversation): void {
  const turn = currentTurn(conversation);
  if (!turn) return;
  conversation.state = { name: 'listening' };
  turn.stop();
}

export function holdTurn(conversation: Conversation, turn: AgentTurn): void {
  conversation.state = { name: 'held', turn };
  turn.pause();
}

/** Continues the turn if it is held. */
export function resumeTurn(conversation: Conversation): void {
  const { state } = conversation;
  if (state.name !== 'held') return;
  conversation.state = { name: 'speaking', turn: state.turn };
  state.turn.resume();
}

export function endConversation(
  conversation: Conversation,
  reason: AgentEndReason,
  detail: string | null = null,
): void {
  if (isEnded(conversation)) return;
  const is_failure = ['setup_error', 'media_failure', 'force_closed', 'not_understood'].includes(reason);
  const duration_ms = conversation.now();
  for (const cancel of Object.values(conversation.cancelTimer)) cancel();
  conversation.turn_deps.tools.closing.abort(new Error('The call is over.'));
  stopTurn(conversation);
  conversation.state = { name: 'ended' };
  conversation.ended.resolve({ outcome: is_failure ? 'failed' : 'completed', reason, detail, duration_ms });
}

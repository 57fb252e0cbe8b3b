// The agent takes turns: it opens the conversation, replies, asks again after silence, and apologizes when an engine fails.
import { RelayFailed } from '../../../../../providers/relay/relay.ts';
import { TtsFailed } from '../../../../../providers/tts/tts.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  setTimer,
  stopTurn,
} from '../conversation-state.ts';
import { endHold, remainingHoldMs } from '../hold.ts';
import type { HeardTurn } from '../listen/listener.ts';
import { isTalking, sendPrompt } from '../relay/relay-talk.ts';
import { cutFirstMessage, finishFirstMessage, firstMessageTurn } from '../speak/first-message.ts';
import { closeRound, flushLate } from '../tools/tool-round.ts';
import { holdNote, holdOverNote } from '../tools/tools.ts';
import { sayModelReply } from './model-turn.ts';
import { tracedTurn } from './traced-turns.ts';
import { type AgentTurn, sayText } from './turn.ts';

type Layer = 'llm' | 'relay' | 'stt' | 'tts' | 'vad';

const apology_timeout_ms = 10_000;
/** A machine that is slow for longer counts as silent. */
const max_waits_for_peer = 7;
/** So long the first message waits for the words of a greeting, which may be those of an answering machine. */
const late_words_ms = 2500;

/** Takes a turn and follows it to its end. `then` replaces the usual continuation after a turn that was spoken to the end. */
export async function takeTurn(
  conversation: Conversation,
  start: () => AgentTurn,
  then?: () => void,
): Promise<void> {
  stopTurn(conversation);
  closeRound(conversation.turn_deps.tools, conversation.turns);
  conversation.cancelTimer.opening();
  conversation.cancelTimer.silence();
  const turn = tracedTurn(conversation.trace, start);
  conversation.state = { name: 'speaking', turn };
  const result = await turn.done.catch((error: Error) => ({ failed: error }));
  // Another turn has replaced it, or the call is over.
  if (currentTurn(conversation) !== turn) return;
  conversation.state = { name: 'listening' };
  if (conversation.exchange === 'nothing_said') conversation.exchange = 'agent_spoke';
  if (typeof result === 'object') return handleFailedTurn(conversation, result.failed);
  if (then) return then();
  if (result === 'end_call') {
    const { relay } = conversation.turn_deps;
    if (isTalking(relay) && relay.end) return relay.onEnd();
    return endConversation(conversation, 'agent_hangup');
  }
  waitForSpeech(conversation);
}

async function handleFailedTurn(conversation: Conversation, error: Error): Promise<void> {
  if (error instanceof RelayFailed) return apologize(conversation, 'relay', error);
  if (!(error instanceof TtsFailed)) return apologize(conversation, 'llm', error);
  // Without a voice the agent cannot apologize.
  reportFailure(conversation, 'tts', error);
  endConversation(conversation, 'media_failure', `tts: ${error.message}`);
}

/** The agent opens the conversation, or says the first message as its answer to what it `heard`. */
export function takeFirstTurn(conversation: Conversation, heard: HeardTurn | null = null): void {
  if (conversation.first_message.state !== 'waiting') {
    void takeTurn(conversation, () => openingTurn(conversation));
    return;
  }
  void takeTurn(
    conversation,
    () => firstMessageTurn(conversation, heard) ?? openingTurn(conversation),
    () => {
      const unanswered = finishFirstMessage(conversation);
      if (unanswered !== null && !conversation.isPersonSpeaking())
        return reply(conversation, null, unanswered);
      // Becomes one turn with what they are saying now.
      if (unanswered !== null) conversation.turns.push({ role: 'user', content: unanswered });
      waitForSpeech(conversation);
    },
  );
}

/** Until the other party has said nothing for a while, or what it said is not recognized soon enough. */
export function waitToOpen(conversation: Conversation, delay_ms = openingMs(conversation)): void {
  const { clock } = conversation;
  setTimer(conversation, 'opening', delay_ms, () => {
    const { doing, ended_ms } = conversation.hearing();
    const waited_ms = clock.ms() - ended_ms;
    if (doing === 'hearing') return waitToOpen(conversation);
    // The first message needs no words to reply to. An answering machine stops it.
    if (doing === 'recognizing' && waited_ms < late_words_ms)
      return waitToOpen(conversation, late_words_ms - waited_ms);
    takeFirstTurn(conversation);
  });
}

const openingMs = ({ timeouts, call }: Conversation): number => timeouts.opening_ms[call.direction];

/** The agent's first turn; also used for the message to an answering machine. */
export function openingTurn({ call, turn_deps }: Conversation): AgentTurn {
  if (call.first_message) return sayText(turn_deps, call.first_message);
  // A relay that has nothing to say yet is not asked: only the disclosure is said.
  const is_waiting = isTalking(turn_deps.relay) && turn_deps.turns.at(-1)?.role !== 'user';
  if (is_waiting && turn_deps.relay!.cycles.length === 0) return sayText(turn_deps, '');
  return sayModelReply(turn_deps, null);
}

/** `heard` is null when the text is a note about pressed keys. */
export function reply(conversation: Conversation, heard: HeardTurn | null, text: string): void {
  const { turns, turn_deps } = conversation;
  if (isTalking(turn_deps.relay) && currentTurn(conversation)?.mayInterrupt('speech') === false) {
    turns.push({ role: 'user', content: text });
    sendPrompt(turn_deps.relay, text);
    return;
  }
  // First, because it adds what was heard of the agent's turn and its tools, which came before this text.
  if (conversation.first_message.state === 'speaking') cutFirstMessage(conversation);
  stopTurn(conversation);
  closeRound(turn_deps.tools, turns);
  flushLate(turn_deps.tools, turns);
  const said = endHold(conversation.hold, conversation.clock) ? holdNote(text) : text;
  // The party continued after its turn counted as over: for the model both parts are one turn.
  const previous = turns.at(-1)?.role === 'user' ? turns.pop()! : null;
  turns.push({ role: 'user', content: previous ? `${previous.content} ${said}` : said });
  if (conversation.first_message.state === 'waiting') takeFirstTurn(conversation, heard);
  else void takeTurn(conversation, () => sayModelReply(turn_deps, heard));
}

/** After a long silence the agent asks whether the other party is there, after a second one it hangs up. */
export function waitForSpeech(conversation: Conversation): void {
  const { session, phrases, timeouts, turn_deps } = conversation;
  const queued = conversation.isPersonSpeaking() ? undefined : conversation.queued.shift();
  if (queued) {
    queued();
    return;
  }
  if (tellLate(conversation) || waitOnHold(conversation)) return;
  setTimer(conversation, 'silence', timeouts.silence_ms, () => {
    // The end of the agent's turn begins the next wait.
    if (currentTurn(conversation)) return;
    if (conversation.isPersonSpeaking()) return waitForSpeech(conversation);
    if (session.peerIsComputing?.() && conversation.waits_for_peer++ < max_waits_for_peer)
      return waitForSpeech(conversation);
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

/** The agent speaks of a late result only when neither side speaks and it has nothing else to say. */
export function tellLate(conversation: Conversation): boolean {
  const { turns, turn_deps, state } = conversation;
  if (state.name !== 'listening' || conversation.isPersonSpeaking()) return false;
  if (!flushLate(turn_deps.tools, turns)) return false;
  void takeTurn(conversation, () => sayModelReply(turn_deps, null));
  return true;
}

/** Silence does not count on hold. When its time is over, the model decides what to do. */
function waitOnHold(conversation: Conversation): boolean {
  const { hold, clock, turns, turn_deps } = conversation;
  const remaining_ms = remainingHoldMs(hold, clock);
  if (remaining_ms === 0) return false;
  setTimer(conversation, 'silence', remaining_ms, () => {
    if (currentTurn(conversation)) return;
    if (conversation.isPersonSpeaking()) return waitForSpeech(conversation);
    endHold(hold, clock);
    turns.push({ role: 'user', content: holdOverNote });
    void takeTurn(conversation, () => sayModelReply(turn_deps, null));
  });
  return true;
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
  const turn = tracedTurn(conversation.trace, () =>
    sayText(conversation.turn_deps, conversation.phrases.apology, { discloses: false }),
  );
  conversation.state = { name: 'apologizing', turn };
  const timeout = new Promise<void>((resolve) => conversation.clock.after(apology_timeout_ms, resolve));
  await Promise.race([turn.done.catch(() => {}), timeout]);
  const reason = layer === 'llm' || layer === 'relay' ? 'setup_error' : 'media_failure';
  endConversation(conversation, reason, `${layer}: ${error.message}`);
}

export function reportFailure(conversation: Conversation, layer: Layer, error: Error): void {
  conversation.emit({ kind: 'went_wrong', at_ms: conversation.now(), layer, detail: error.message });
}

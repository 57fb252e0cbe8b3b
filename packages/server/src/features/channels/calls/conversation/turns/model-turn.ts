// A turn in which the model replies: it speaks while it writes, uses tools, and continues with their results.
import { RelayFailed } from '../../../../../providers/relay/relay.ts';
import type { HeardTurn } from '../listen/listener.ts';
import { isTalking, type RelayTalk } from '../relay/relay-talk.ts';
import { speakRelayReply } from '../relay/relay-turn.ts';
import {
  addCall,
  cancelReady,
  closeRound,
  max_rounds,
  type RoundCall,
  runsAlone,
  sentenceOf,
  start,
  startActs,
  type ToolRound,
} from '../tools/tool-round.ts';
import { type WaitForToolsDeps, waitForTools } from '../tools/wait-for-tools.ts';
import { type ModelReplyDeps, speakModelReply } from './model-reply.ts';
import { beginRound, type Round, type RoundDeps } from './round.ts';
import { type AgentTurn, sayClauses, startTurn, type TurnHandle } from './turn.ts';
import type { TurnPart } from './turn-part.ts';

export type TurnDeps = RoundDeps &
  ModelReplyDeps &
  WaitForToolsDeps & {
    /** Replies in place of the model, as long as it is open. */
    relay?: RelayTalk | null;
  };

/** What one round leaves to the next one. */
type Carried = {
  /** What the turn replies to, until the agent has said something. */
  heard: HeardTurn | null;
  tool_ms: number;
  /** Said word for word at the start of the next round. */
  sentences: string[];
};

/** `heard` is what the model replies to; null when the agent opens the conversation or continues by itself. */
export function sayModelReply(deps: TurnDeps, heard: HeardTurn | null): AgentTurn {
  return startTurn(async (stopping, turn) => {
    if (isTalking(deps.relay)) {
      const said = await relayReply(deps, deps.relay, heard, stopping, turn);
      if (said !== 'failed') return said;
    }
    return modelReply(deps, heard, stopping, turn);
  });
}

/** `failed`: the model takes over from here on. */
async function relayReply(
  deps: TurnDeps,
  talk: RelayTalk,
  heard: HeardTurn | null,
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<'spoken' | 'end_call' | 'failed'> {
  const last = deps.turns.at(-1);
  const prompt = last?.role === 'user' ? (heard?.text ?? last.content) : null;
  // It was asked nothing, so it may never speak: the agent listens, and the silence timer runs.
  if (prompt === null && talk.cycles.length === 0 && !talk.end) return 'spoken';
  try {
    return await speakRelayReply(deps, talk, { prompt, heard }, stopping, turn);
  } catch (error) {
    if (!(error instanceof RelayFailed) || !talk.settings.fallback) throw error;
    deps.emit({
      kind: 'went_wrong',
      at_ms: deps.since(deps.clock.ms()),
      layer: 'relay',
      detail: error.message,
    });
    return 'failed';
  }
}

async function modelReply(
  deps: TurnDeps,
  heard: HeardTurn | null,
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<'spoken' | 'end_call'> {
  const carried: Carried = { heard, tool_ms: 0, sentences: [] };
  for (let number = 1; ; number++) {
    const tools: ToolRound = { number, calls: [] };
    const round = await sayRound(deps, tools, carried, stopping, turn);
    if (stopping.aborted) return 'spoken';
    if (round.hasWords()) carried.heard = null;
    if (tools.calls.length === 0) return 'spoken';
    const next = await useTools(deps, tools, { carried, has_words: round.hasWords() }, stopping, turn);
    if (stopping.aborted) return 'spoken';
    if (next === 'end_call') return 'end_call';
    if (next === 'wait' || number === max_rounds) return 'spoken';
  }
}

async function sayRound(
  deps: TurnDeps,
  tools: ToolRound,
  carried: Carried,
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<Round> {
  const { heard, tool_ms, sentences } = carried;
  const round = beginRound(deps, { discloses: true, heard, tool_ms });
  const callsOf = () => tools.calls.map(({ call }) => call);
  turn.use({
    utterance: round.utterance,
    cutOff() {
      round.utterance.stop();
      cancelReady(deps.tools, tools);
      round.record(true, callsOf());
    },
  });
  for (const sentence of sentences.splice(0)) {
    round.textStarted();
    sayClauses(round, sentence);
  }
  await speakModelReply(deps, round, (call) => addCall(deps.tools, tools, call), stopping);
  round.utterance.finish();
  // Nothing to wait for: what was called starts now.
  if (round.hasWords()) await round.utterance.done;
  if (!stopping.aborted) round.record(false, callsOf());
  return round;
}

/** Runs the calls of the round to their end. `wait`: the agent waits for the other party, as a tool asked for. */
async function useTools(
  deps: TurnDeps,
  tools: ToolRound,
  { carried, has_words }: { carried: Carried; has_words: boolean },
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<'continue' | 'wait' | 'end_call'> {
  const { tools: work, turns, clock } = deps;
  const started_ms = clock.ms();
  startActs(work, tools);
  await waitForTools(deps, tools, { has_words, stopping, turn });
  if (stopping.aborted) return 'continue';
  const last = await runLast(deps, tools, stopping, turn);
  if (stopping.aborted) return 'continue';
  closeRound(work, turns);
  carried.tool_ms += clock.ms() - started_ms;
  carried.sentences = tools.calls.flatMap(({ tool, result }) => {
    const sentence = result && sentenceOf(tool, result);
    return sentence ? [sentence] : [];
  });
  if (last?.tool?.name === 'end_call') return 'end_call';
  const is_waiting = last?.tool?.name === 'hold' || last?.tool?.name === 'transfer_call';
  return is_waiting && last.result?.outcome === 'done' ? 'wait' : 'continue';
}

/** Runs the call that must come last and alone. It is not made when another call of the turn failed: the model decides again. */
async function runLast(
  { tools: work }: TurnDeps,
  tools: ToolRound,
  stopping: AbortSignal,
  turn: TurnHandle,
): Promise<RoundCall | null> {
  const last = tools.calls.find((each) => each.state === 'ready' && runsAlone(each));
  if (!last) return null;
  const others = tools.calls.filter((each) => each !== last);
  if (others.some(({ result, state }) => state !== 'ready' && result?.outcome !== 'done')) {
    cancelReady(work, tools, 'Another tool of this turn was not done.');
    return null;
  }
  const waiting: TurnPart = { utterance: null, cutOff() {}, continues: true };
  turn.use(waiting);
  start(work, tools, last);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  stopping.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([last.outcome.promise, stopped]);
  return last;
}

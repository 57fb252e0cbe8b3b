// The tool calls of one model turn on a call: reads start at once, acts after the agent's words were heard, and a call
// that takes too long reports later.
import type { ToolCall, Turn } from '../../../../../providers/llm/llm.ts';
import type { MediaClock } from '../../../../../providers/media/media-clock.ts';
import {
  type AgentTool,
  checkCall,
  failed,
  redactArguments,
  type ToolList,
  type ToolOutcome,
  toolContent,
} from '../../../../agents/runtime/index.ts';
import type { Fact } from '../facts.ts';

/** Runs one call and records it. Never rejects. */
export type RunTool = (
  use: { tool_call_id: string; tool: AgentTool; arguments: Record<string, unknown>; round: number },
  signal: AbortSignal,
) => Promise<ToolOutcome>;

/** ready → started → settled; ready → settled when it is refused or cancelled. */
export type RoundCall = {
  call: ToolCall;
  /** Null when there is no such tool. */
  tool: AgentTool | null;
  arguments: Record<string, unknown>;
  state: 'ready' | 'started' | 'settled';
  outcome: PromiseWithResolvers<ToolOutcome>;
  result: ToolOutcome | null;
  /** The model was told that it is still running, so its result follows as late news. */
  is_late: boolean;
};

export type ToolRound = { number: number; calls: RoundCall[] };

/** The tools of one conversation. */
export type ToolWork = {
  list: ToolList;
  run: RunTool;
  /** Limits how many run at a time. */
  limit<T>(job: () => Promise<T>): Promise<T>;
  clock: MediaClock;
  nextId(): string;
  emit(fact: Fact): void;
  since(ms: number): number;
  /** Aborted when the call is over: reads end, acts that have started run on. */
  closing: AbortController;
  /** The round whose results are not in the model's turns yet. */
  open: ToolRound | null;
  /** Turns that came while a round was open: nothing may stand between a call and its result. */
  deferred: Turn[];
  /** Results that came after the model was told that they are still missing. */
  late: string[];
  /** Called when a late result is there. */
  onLate(): void;
};

/** Limits a model that calls tools again and again. */
export const max_rounds = 6;

export const runsAlone = ({ tool }: RoundCall): boolean => tool?.runs_alone === true;

/** Takes a call from the model's stream. A read starts immediately, while the words of this turn are spoken. */
export function addCall(work: ToolWork, round: ToolRound, call: ToolCall): void {
  const checked = checkInRound(work, round, call);
  const each: RoundCall = {
    call,
    tool: 'tool' in checked ? checked.tool : null,
    arguments: 'tool' in checked ? checked.arguments : {},
    state: 'ready',
    outcome: Promise.withResolvers(),
    result: null,
    is_late: false,
  };
  round.calls.push(each);
  work.open = round;
  if ('outcome' in checked) settle(work, each, checked);
  else if (checked.tool.effect === 'read' && !checked.tool.runs_alone) start(work, round, each);
}

/** The results of the last round would not reach the model in this turn, so only what ends the turn is done in it. */
function checkInRound({ list }: ToolWork, { number, calls }: ToolRound, call: ToolCall) {
  const checked = checkCall(list, call, calls.length);
  const is_too_late = number >= max_rounds && 'tool' in checked && !checked.tool.runs_alone;
  return is_too_late ? failed('limit_reached', `At most ${max_rounds} rounds of calls are made.`) : checked;
}

/** The agent's words were heard: what was announced may be done. */
export function startActs(work: ToolWork, round: ToolRound): void {
  for (const each of round.calls) if (each.state === 'ready' && !runsAlone(each)) start(work, round, each);
}

export function start(work: ToolWork, round: ToolRound, each: RoundCall): void {
  const tool = each.tool!;
  const tool_call_id = work.nextId();
  each.state = 'started';
  let started_ms = work.clock.ms();
  const run = async (): Promise<ToolOutcome> => {
    started_ms = work.clock.ms();
    const at_ms = work.since(started_ms);
    const shown = redactArguments(each.arguments, tool.redact);
    work.emit({ kind: 'tool_called', at_ms, tool: tool.name, tool_call_id, arguments: shown });
    const use = { tool_call_id, tool, arguments: each.arguments, round: round.number };
    return work.run(use, work.closing.signal);
  };
  void work.limit(run).then((outcome) => {
    const now_ms = work.clock.ms();
    const fact = {
      at_ms: work.since(now_ms),
      tool: tool.name,
      tool_call_id,
      duration_ms: Math.round(now_ms - started_ms),
    };
    if (outcome.outcome === 'done') work.emit({ kind: 'tool_answered', ...fact });
    else work.emit({ kind: 'tool_failed', ...fact, error: outcome.error, detail: outcome.detail });
    work.list.settled(tool.name, outcome);
    settle(work, each, outcome);
  });
}

function settle(work: ToolWork, each: RoundCall, outcome: ToolOutcome): void {
  each.state = 'settled';
  each.result = outcome;
  each.outcome.resolve(outcome);
  if (!each.is_late || work.closing.signal.aborted) return;
  work.late.push(`(${each.call.name}, which was still running, has answered. ${contentOf(each, outcome)})`);
  work.onLate();
}

/** The person spoke, or another call of the turn failed: what has not started is not done. */
export function cancelReady(
  work: ToolWork,
  round: ToolRound,
  detail = 'The person spoke before it was done.',
): void {
  for (const each of round.calls) if (each.state === 'ready') settle(work, each, failed('cancelled', detail));
}

/** Adds the results of the open round to the model's turns, in the model's order. A no-op without one. */
export function closeRound(work: ToolWork, turns: Turn[]): void {
  const round = work.open;
  if (!round) return;
  work.open = null;
  cancelReady(work, round);
  for (const each of round.calls) {
    each.is_late = each.result === null;
    const content = each.result ? contentOf(each, each.result) : JSON.stringify({ status: 'still_running' });
    turns.push({ role: 'tool', call_id: each.call.call_id, content });
  }
  for (const { result } of round.calls)
    if (result?.outcome === 'done' && result.instruct) turns.push({ role: 'note', content: result.instruct });
  turns.push(...work.deferred.splice(0));
}

/** Adds a turn for the model, after the results of tools that are still running. */
export function addTurn(work: ToolWork, turns: Turn[], turn: Turn): void {
  (work.open ? work.deferred : turns).push(turn);
}

function contentOf({ tool }: RoundCall, outcome: ToolOutcome): string {
  const content = toolContent(tool, outcome);
  const said = sentenceOf(tool, outcome);
  return said === null ? content : `${content}\n(Already said to the person: ${said})`;
}

/** What is said word for word because of the outcome, before the model continues. */
export const sentenceOf = (tool: AgentTool | null, outcome: ToolOutcome): string | null =>
  outcome.outcome === 'done' ? (outcome.say ?? null) : (tool?.speech?.failed ?? null);

/** Late results become a turn of their own: they are data, so they must not be a note. */
export function flushLate(work: ToolWork, turns: Turn[]): boolean {
  const late = work.late.splice(0);
  if (late.length > 0) turns.push({ role: 'user', content: late.join('\n') });
  return late.length > 0;
}

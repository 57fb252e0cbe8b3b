// The tools that an agent may still use in this conversation: one that fails twice in a row leaves the list.
import type { Tool } from '../../../providers/llm/llm.ts';
import { type AgentTool, failed, type ToolOutcome } from './agent-tool.ts';

const tolerated_failures = 1;
/** Failures that say nothing about the tool. */
const not_its_fault: readonly string[] = ['cancelled', 'limit_reached'];

export type ToolList = {
  /** What the model is offered now. */
  offered(): Tool[];
  find(name: string): AgentTool | null;
  settled(name: string, outcome: ToolOutcome): void;
  /** False when the conversation has used all calls that it may make. Counts the call otherwise. */
  take(): boolean;
};

export function toolList(tools: readonly AgentTool[], max_calls: number): ToolList {
  const failures = new Map<string, number>();
  let calls = 0;
  const isOffered = ({ name }: AgentTool) => (failures.get(name) ?? 0) <= tolerated_failures;
  return {
    offered: () =>
      tools.filter(isOffered).map(({ name, description, parameters }) => ({ name, description, parameters })),
    find: (name) => tools.find((tool) => tool.name === name && isOffered(tool)) ?? null,
    settled(name, outcome) {
      if (outcome.outcome === 'done') failures.delete(name);
      else if (!not_its_fault.includes(outcome.error)) failures.set(name, (failures.get(name) ?? 0) + 1);
    },
    take: () => ++calls <= max_calls,
  };
}

export const max_calls_per_round = 8;
export const calls_at_once = 4;

/** The tool and its arguments, or why the call is not made. */
export function checkCall(
  list: ToolList,
  { name, arguments: input }: { name: string; arguments: unknown },
  index: number,
): { tool: AgentTool; arguments: Record<string, unknown> } | ToolOutcome {
  const tool = list.find(name);
  if (!tool) return failed('not_allowed', 'There is no tool with this name in this conversation.');
  if (index >= max_calls_per_round) {
    return failed('limit_reached', `At most ${max_calls_per_round} calls are made at a time.`);
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return failed('invalid_arguments', 'The arguments must be a JSON object.');
  }
  if (!list.take()) return failed('limit_reached', 'This conversation has used all its tool calls.');
  return { tool, arguments: input as Record<string, unknown> };
}

/** Runs at most `at_once` of the given jobs at a time, in their order. */
export function limiter(at_once: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(job: () => Promise<T>): Promise<T> => {
    if (running >= at_once) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

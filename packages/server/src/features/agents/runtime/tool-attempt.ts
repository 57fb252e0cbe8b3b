// One attempt of a tool call within its timeout, whose record is stored before and settled afterwards.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Log } from '../../../platform/log.ts';
import type { TraceParent } from '../../../platform/tracing/trace-below.ts';
import type { MediaClock } from '../../../providers/media/media-clock.ts';
import { type AgentTool, failed, type ToolContext, type ToolOutcome } from './agent-tool.ts';
import type { ToolApprovals } from './approvals/tool-approvals.ts';
import {
  argumentsHash,
  type NewToolCall,
  redactArguments,
  type ToolRecords,
} from './records/tool-records.ts';

export type ToolRunnerDeps = {
  records: ToolRecords;
  /** Left out: a tool that needs an approval does not run. */
  approvals?: Pick<ToolApprovals, 'askAlone' | 'decision' | 'giveUp' | 'start'>;
  clock: Pick<MediaClock, 'ms' | 'after'>;
  log: Log;
  /** Where the spans of tool calls begin; null or left out: tracing is off. */
  trace?: TraceParent | null;
};

export type ToolUse = {
  tool_call_id: string;
  tool: AgentTool;
  arguments: Record<string, unknown>;
  context: ToolContext;
  /** The message that is answered; null on a call. */
  message_id: string | null;
  round: number;
};

export const cancelled = failed('cancelled', 'The conversation ended before the answer came.');

/** Without a record a crash could repeat the call, so it is not made. */
export function notStored(
  { log }: Pick<ToolRunnerDeps, 'log'>,
  { tool }: ToolUse,
  error: unknown,
): ToolOutcome {
  if (error instanceof ApiError) return failed('not_allowed', `${error.code}: ${error.message}`);
  log.warn({ tool: tool.name, err: error }, 'tool not called: its record could not be stored');
  return failed('unreachable', 'The service could not store a record of this call.');
}

export const newCallOf = ({ tool, context, ...use }: ToolUse): NewToolCall => ({
  id: use.tool_call_id,
  organization_id: context.organization_id,
  conversation_id: context.conversation_id,
  call_id: context.call_id,
  agent_id: context.agent_id,
  name: tool.name,
  kind: tool.kind,
  effect: tool.effect,
  arguments: redactArguments(use.arguments, tool.redact),
  message_id: use.message_id,
  round: use.round,
  arguments_hash: argumentsHash(use.arguments),
  timeout_ms: tool.timeout_ms,
});

/** Its record has the status `running`, set by this process. */
export async function runStored(
  deps: ToolRunnerDeps,
  use: ToolUse,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { tool, context, tool_call_id: id } = use;
  const { organization_id } = context;
  const started_ms = deps.clock.ms();
  const outcome = await tracedAttempt(deps, use, () =>
    attemptTool(deps.clock, use, signal, (error) =>
      deps.log.warn({ tool: tool.name, err: error }, 'tool failed'),
    ),
  );
  try {
    return await deps.records.settle(
      { organization_id, id },
      outcome,
      Math.round(deps.clock.ms() - started_ms),
    );
  } catch (error) {
    deps.log.warn({ tool_call_id: id, err: error }, 'outcome of a tool call not stored');
    return outcome;
  }
}

/** The span has no arguments and no result: they may be about a person. */
function tracedAttempt(
  { trace }: Pick<ToolRunnerDeps, 'trace'>,
  { tool, tool_call_id, context }: ToolUse,
  attempt: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  if (!trace) return attempt();
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': tool_call_id,
    'gen_ai.agent.id': context.agent_id,
    'parley.tool_kind': tool.kind,
  };
  return trace.span(`execute_tool ${tool.name}`, { attributes }, async (span) => {
    const outcome = await attempt();
    if (outcome.outcome === 'failed') span.fail(outcome.error);
    return outcome;
  });
}

/** One attempt without a record. Ends at the timeout or the signal, even if the tool ignores its own signal. */
export function attemptTool(
  clock: Pick<MediaClock, 'after'>,
  { tool, arguments: input, tool_call_id }: Pick<ToolUse, 'tool' | 'arguments' | 'tool_call_id'>,
  signal: AbortSignal,
  onError: (error: Error) => void = () => {},
): Promise<ToolOutcome> {
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>();
  const stop = new AbortController();
  const end = (outcome: ToolOutcome) => {
    resolve(outcome);
    stop.abort(new Error('The call of the tool is over.'));
  };
  const cancelTimeout = clock.after(tool.timeout_ms, () =>
    end(failed('timeout', `No answer within ${tool.timeout_ms} ms.`)),
  );
  const cancel = () => end(cancelled);
  const is_cancelable = tool.effect === 'read';
  if (is_cancelable) signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted && is_cancelable) cancel();
  else
    tool.run({ tool_call_id, arguments: input, signal: stop.signal }).then(resolve, (error: Error) => {
      onError(error);
      resolve(failed('unreachable', 'The tool failed.'));
    });
  return promise.finally(() => {
    cancelTimeout();
    signal.removeEventListener('abort', cancel);
  });
}

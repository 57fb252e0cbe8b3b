// Runs a tool after a person approved the call: on the phone the conversation waits, in messages it continues later.
import { failed, type ToolOutcome } from '../agent-tool.ts';
import { toolHash } from '../records/tool-payload.ts';
import { newCallOf, notStored, runStored, type ToolRunnerDeps, type ToolUse } from '../tool-attempt.ts';
import { call_wait_seconds } from './tool-approvals.ts';

const not_decided = failed('approval_denied', `No person approved it within ${call_wait_seconds} seconds.`);
const cancelled = failed('cancelled', 'The conversation ended before a person decided.');
const changed_tool = failed('approval_denied', 'The tool was changed after the approval.');
const no_approvals = failed('approval_denied', 'It needs an approval, which cannot be requested here.');

/** For a call: asks, waits, and runs. Never rejects. */
export async function runWhenApproved(
  deps: ToolRunnerDeps,
  use: ToolUse,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (!deps.approvals) return no_approvals;
  try {
    await deps.approvals.askAlone(newCallOf(use), use);
    const decided = await decision(deps, deps.approvals, use, signal);
    return decided === 'approved' ? await startApproved(deps, use, null, signal) : decided;
  } catch (error) {
    return notStored(deps, use, error);
  }
}

/** Ends with the decision, the time limit or the conversation. */
async function decision(
  deps: ToolRunnerDeps,
  approvals: NonNullable<ToolRunnerDeps['approvals']>,
  { tool_call_id: id, context: { organization_id } }: ToolUse,
  signal: AbortSignal,
): Promise<'approved' | ToolOutcome> {
  const ref = { organization_id, id };
  const over = new AbortController();
  const { promise: given_up, resolve } = Promise.withResolvers<ToolOutcome>();
  const end = () => resolve(cancelled);
  const cancelTimeout = deps.clock.after(call_wait_seconds * 1000, () => resolve(not_decided));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([
      approvals.decision(ref, over.signal),
      given_up.then((outcome) => approvals.giveUp(ref, outcome)),
    ]);
  } finally {
    over.abort();
    cancelTimeout();
    signal.removeEventListener('abort', end);
  }
}

/**
 * The call is approved. It runs at most once: the first process that starts it. `tool_sha256`: the hash of the tool that was
 * approved; null when the tool cannot have changed since.
 */
export async function startApproved(
  deps: ToolRunnerDeps,
  use: ToolUse,
  tool_sha256: string | null,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { tool, tool_call_id: id, context } = use;
  const { organization_id } = context;
  if (!deps.approvals) return no_approvals;
  if (!(await deps.approvals.start(newCallOf(use)))) return cancelled;
  if (tool_sha256 !== null && tool_sha256 !== toolHash(tool))
    return deps.records.settle({ organization_id, id }, changed_tool, 0);
  return runStored(deps, use, signal);
}

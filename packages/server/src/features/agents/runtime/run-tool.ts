// Runs one tool call: stores its record first, makes one attempt within the tool's timeout, and settles the record.
import type { ToolOutcome } from './agent-tool.ts';
import { runWhenApproved } from './approvals/run-approved.ts';
import {
  cancelled,
  newCallOf,
  notStored,
  runStored,
  type ToolRunnerDeps,
  type ToolUse,
} from './tool-attempt.ts';

/**
 * Never rejects. Aborting the signal ends a read as `cancelled`. An act that has started runs to its own end: nobody
 * could say otherwise whether it was done.
 */
export async function runTool(deps: ToolRunnerDeps, use: ToolUse, signal: AbortSignal): Promise<ToolOutcome> {
  const { tool } = use;
  if (signal.aborted) return cancelled;
  if (tool.approval === 'required') return runWhenApproved(deps, use, signal);
  try {
    await deps.records.begin(newCallOf(use));
  } catch (error) {
    return notStored(deps, use, error);
  }
  return runStored(deps, use, signal);
}

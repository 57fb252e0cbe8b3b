// Waits for the answers of client tools, which any process of the service may receive.
import type { ToolOutcome } from '../agent-tool.ts';
import { unknown_outcome } from '../records/tool-content.ts';
import { rowWaiters, type WaiterDeps } from './row-waiters.ts';

export type ClientAnswers = ReturnType<typeof clientAnswers>;

export function clientAnswers(deps: WaiterDeps) {
  const { wait, notify } = rowWaiters<ToolOutcome>(deps, 'tool_result', ({ status, outcome }) =>
    status === 'running' ? null : (outcome ?? unknown_outcome),
  );
  return { wait, answered: notify };
}

// Records of tool calls in the database. The first outcome of a call counts, from any process.
import type { Clock } from '../../../../platform/clock.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { ToolOutcome } from '../agent-tool.ts';
import { movedToolCall, newToolCall, type ToolCallStore } from '../store.ts';
import { unknown_outcome } from './tool-content.ts';
import type { NewToolCall, ToolCallRef, ToolRecords } from './tool-records.ts';

type Deps = { store: ToolCallStore; unitOfWork: UnitOfWork; clock: Clock };

/** A call that runs this much longer than its timeout has no process any more. */
const grace_ms = 30_000;

export const storedToolRecords = (deps: Deps): ToolRecords => ({
  begin: (call) => begin(deps, call),
  settle: async (ref, outcome, duration_ms) =>
    (await settle(deps, ref, outcome, duration_ms))
      ? outcome
      : ((await deps.store.outcome(ref))?.outcome ?? unknown_outcome),
  earlier: (key) => deps.store.earlier(key),
  wasLost: (ref) => wasLost(deps, ref),
});

async function begin({ unitOfWork, clock }: Deps, call: NewToolCall): Promise<void> {
  const { timeout_ms, ...fields } = call;
  const now_ms = clock.ms();
  const at = (after_ms: number) => new Date(now_ms + after_ms).toISOString();
  await unitOfWork.commit({
    record: newToolCall({
      ...fields,
      status: 'running',
      outcome: null,
      approval_id: null,
      tool_sha256: null,
      requested_at: at(0),
      lost_at: at(timeout_ms + grace_ms),
      settled_at: null,
      duration_ms: null,
    }),
    events: requestedEvents(call, at(timeout_ms)),
  });
}

/** Asks the programs of the organization for the answer of a client tool. */
export function requestedEvents(call: NewToolCall, expires_at: string) {
  const { organization_id, call_id, message_id, conversation_id, agent_id } = call;
  const tool_request = {
    tool_call_id: call.id,
    tool: call.name,
    arguments: call.arguments,
    expires_at,
    agent_id,
  };
  if (call.kind !== 'client') return [];
  if (call_id !== null) {
    const data = { id: call_id, ...tool_request };
    return [{ organization_id, type: 'call.tool_requested' as const, resource_id: call_id, data }];
  }
  const data = { id: conversation_id, message_id: message_id!, ...tool_request };
  const type = 'conversation.tool_requested' as const;
  return [{ organization_id, type, resource_id: conversation_id, data }];
}

/** False when it had an outcome before. */
export async function settle(
  { unitOfWork, clock }: Pick<Deps, 'unitOfWork' | 'clock'>,
  ref: ToolCallRef,
  outcome: ToolOutcome,
  duration_ms: number,
): Promise<boolean> {
  const trigger =
    outcome.outcome === 'done' ? 'succeeded' : outcome.error === 'cancelled' ? 'was_cancelled' : 'failed';
  const result = await unitOfWork.commit({
    record: movedToolCall(ref, trigger, {
      outcome,
      settled_at: clock.now().toISOString(),
      duration_ms,
    }),
  });
  return result.outcome === 'stored';
}

/** `was_abandoned`: it was approved, and never started. */
export async function wasLost(
  { unitOfWork, clock }: Omit<Deps, 'store'>,
  ref: ToolCallRef,
  trigger: 'was_lost' | 'was_abandoned' = 'was_lost',
): Promise<void> {
  await unitOfWork.commit({
    record: movedToolCall(ref, trigger, { settled_at: clock.now().toISOString() }),
  });
}

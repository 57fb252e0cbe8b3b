// Tool calls that wait for a person: a call is stored with its approval, and the decision says whether it runs.
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import type { Jobs } from '../../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { WaitingRecords, WithdrawApproval } from '../../../rules/admission/index.ts';
import type { ToolApprovalRequest } from '../../../rules/approvals/index.ts';
import { type AgentTool, failed, type ToolContext, type ToolOutcome } from '../agent-tool.ts';
import { rowWaiters, type WaiterDeps } from '../client-tools/row-waiters.ts';
import type { SuspendedStore } from '../client-tools/suspended-store.ts';
import { requestedEvents } from '../records/stored-tool-records.ts';
import { payloadOf, toolHash } from '../records/tool-payload.ts';
import type { NewToolCall, ToolCallRef } from '../records/tool-records.ts';
import { movedToolCall, newToolCall, type ToolCallStore } from '../store.ts';

/** The job that continues an answer when all its calls are decided. */
export const resume_job = 'resume_answer';
export const call_wait_seconds = 60;
const message_wait_seconds = 72 * 3600;
/** A call that was approved on the phone and not started by then has no process any more. */
const start_grace_ms = 30_000;

/** The feature of approvals, as tools use it. */
export type ApprovalRequests = {
  /** Whether everything that an agent does needs one. */
  coverActs(organization_id: string): Promise<boolean>;
  request(
    tx: Transaction,
    request: Omit<ToolApprovalRequest, 'requester'>,
  ): Promise<{ approval_id: string; expires_at: string }>;
  withdraw: WithdrawApproval;
};

export type ToolApprovalDeps = WaiterDeps & {
  clock: Clock;
  unitOfWork: UnitOfWork;
  store: ToolCallStore;
  suspended: SuspendedStore;
  approvals: ApprovalRequests;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
};

export type ToolApprovals = ReturnType<typeof toolApprovals>;

export function toolApprovals(deps: ToolApprovalDeps) {
  const waiters = rowWaiters<'approved' | ToolOutcome>(deps, 'tool_approval', ({ status, outcome }) =>
    status === 'waiting_approval' ? null : status === 'approved' ? 'approved' : (outcome ?? abandoned),
  );
  return {
    /** In a transaction: the call is stored, and a person is asked. */
    ask: (tx: Transaction, call: NewToolCall, of: Asked) => ask(deps, tx, call, of),
    askAlone: (call: NewToolCall, of: Asked) => deps.db.transaction((tx) => ask(deps, tx, call, of)),
    decision: waiters.wait,
    giveUp: (ref: ToolCallRef, outcome: ToolOutcome) => giveUp(deps, ref, outcome),
    /** False when it was started before, or is not approved. */
    async start(call: NewToolCall): Promise<boolean> {
      const after = (ms: number) => new Date(deps.clock.ms() + ms).toISOString();
      const lost_at = after(call.timeout_ms + start_grace_ms);
      const record = movedToolCall(call, 'started', { lost_at });
      const events = requestedEvents(call, after(call.timeout_ms));
      return (await deps.unitOfWork.commit({ record, events })).outcome === 'stored';
    },
    /** For approvals. */
    port: port(deps, waiters.notify),
  };
}

const abandoned = failed('cancelled', 'The conversation ended before a person decided.');

type Asked = { tool: AgentTool; context: ToolContext };

async function ask(
  deps: ToolApprovalDeps,
  tx: Transaction,
  call: NewToolCall,
  { tool, context }: Asked,
): Promise<void> {
  const { timeout_ms: _, ...fields } = call;
  const { organization_id, agent_id, conversation_id, call_id } = call;
  const tool_sha256 = toolHash(tool);
  const is_on_phone = call_id !== null;
  const { approval_id, expires_at } = await deps.approvals.request(tx, {
    organization_id,
    agent_id,
    tool_call_id: call.id,
    payload: payloadOf({ ...call, tool_sha256 }),
    reason: { code: 'tool', message: reasonFor(call.name, context) },
    expires_in_seconds: is_on_phone ? call_wait_seconds : message_wait_seconds,
    by_link: !is_on_phone,
  });
  const data = {
    tool_call_id: call.id,
    approval_id,
    tool: call.name,
    arguments: call.arguments,
    conversation_id,
    call_id,
    agent_id,
    expires_at,
  };
  await deps.unitOfWork.commitIn(tx, [
    {
      record: newToolCall({
        ...fields,
        status: 'waiting_approval',
        outcome: null,
        approval_id,
        tool_sha256,
        requested_at: deps.clock.now().toISOString(),
        lost_at: expires_at,
        settled_at: null,
        duration_ms: null,
      }),
      events: [{ organization_id, type: 'tool.approval_requested', resource_id: call.id, data }],
    },
  ]);
}

const channel_words = { call: 'on a call', sms: 'in texts', email: 'in emails' } as const;
const reasonFor = (name: string, { channel, person }: ToolContext) =>
  `The agent wants to use ${name} ${channel_words[channel]} with ${person ?? 'an unknown caller'}.`;

/** Ends the request when the agent no longer waits for the decision. Returns `approved` when it came first. */
async function giveUp(
  deps: ToolApprovalDeps,
  ref: ToolCallRef,
  outcome: ToolOutcome,
): Promise<'approved' | ToolOutcome> {
  const was_denied = outcome.outcome === 'failed' && outcome.error === 'approval_denied';
  const is_given_up = await deps.db.transaction(async (tx) => {
    const row = await deps.store.held(ref, tx);
    if (!row || !(await settle(deps, tx, ref, was_denied ? 'was_denied' : 'was_abandoned', outcome)))
      return false;
    await deps.approvals.withdraw(tx, { ...ref, approval_id: row.approval_id });
    return true;
  });
  if (is_given_up) return outcome;
  const now = await deps.store.outcome(ref);
  return now?.status === 'approved' ? 'approved' : (now?.outcome ?? outcome);
}

async function settle(
  { unitOfWork, clock }: ToolApprovalDeps,
  tx: Transaction,
  ref: ToolCallRef,
  trigger: 'was_denied' | 'was_abandoned',
  outcome: ToolOutcome,
): Promise<boolean> {
  const settled_at = clock.now().toISOString();
  const [result] = await unitOfWork.commitIn(tx, [
    { record: movedToolCall(ref, trigger, { outcome, settled_at }) },
  ]);
  return result!.outcome === 'stored';
}

const denials = {
  canceled: 'The request was canceled.',
  approval_rejected: 'A person decided against it.',
  approval_expired: 'No person decided in time.',
} as const;

function port(deps: ToolApprovalDeps, notify: (id: string) => void): WaitingRecords {
  const { store } = deps;
  /** Calls of a message are decided one after the other, so that the last decision sees all of them. */
  const lock = async (tx: Transaction, ref: ToolCallRef) => {
    const row = await store.held(ref, tx);
    if (row?.message_id) await deps.suspended.lock(tx, ref.organization_id, row.message_id);
    return row;
  };
  const decided = async (
    tx: Transaction,
    { organization_id, id }: ToolCallRef,
    message_id: string | null,
  ) => {
    if (message_id === null) return tx.afterCommit(() => notify(id));
    if ((await store.countWaiting(tx, organization_id, message_id)) > 0) return;
    await deps.jobs.enqueue(tx, resumeJob({ organization_id, message_id }));
    tx.afterCommit(() => deps.jobs.wake());
  };
  return {
    async release(tx, ref, { approval_id }) {
      const row = await lock(tx, ref);
      if (row?.approval_id !== approval_id) return false;
      const lost_at = new Date(deps.clock.ms() + start_grace_ms).toISOString();
      const [moved] = await deps.unitOfWork.commitIn(tx, [
        { record: movedToolCall(ref, 'was_approved', { lost_at }) },
      ]);
      if (moved!.outcome !== 'stored') return false;
      await decided(tx, ref, row.message_id);
      return true;
    },
    async cancel(tx, ref, end_reason) {
      const row = await lock(tx, ref);
      if (!row) return false;
      const outcome = failed('approval_denied', denials[end_reason]);
      if (!(await settle(deps, tx, ref, 'was_denied', outcome))) return false;
      await decided(tx, ref, row.message_id);
      return true;
    },
    async payload(ref) {
      const row = await store.held(ref);
      return row && payloadOf(row);
    },
  };
}

export const resumeJob = (of: { organization_id: string; message_id: string }) => ({
  kind: resume_job,
  payload: of,
  unique_key: `${resume_job}:${of.organization_id}:${of.message_id}`,
  // A run that is under way does not know this decision.
  replace: true,
});

// Decides approvals: each decision, and what it does to the record that waits, is one transaction.
import { type Approval, approvalLifecycle } from '@parley/contract/rules/approvals/approvals';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Actor, AuditLog } from '../../access/audit/index.ts';
import type { WaitingRecords, WaitingRef } from '../admission/index.ts';
import type { Funds } from '../funds/index.ts';
import { partyOf } from '../known-parties/index.ts';
import { eventData } from './event-data.ts';
import { batchHash, currentPrice, payloadHash } from './gate.ts';
import type { Parties } from './parties/parties.ts';
import type { PartyStore } from './parties/party-store.ts';
import { type ApprovalStore, approval_columns, type StoredApproval } from './store.ts';

/** What can wait for an approval. */
export type WaitingNoun = Exclude<Approval['object']['noun'], 'email_batch'>;

export type DecisionDeps = {
  db: Database;
  clock: Clock;
  move: Mover;
  store: ApprovalStore;
  party_store: PartyStore;
  parties: Pick<Parties, 'forget'>;
  funds: Pick<Funds, 'prices'>;
  audit: AuditLog;
  waitingRecords(noun: WaitingNoun): WaitingRecords;
};

export type Decision = {
  actor: Actor;
  /** As the approval shows it. */
  decided_by: string;
  via: 'console' | 'link' | 'key';
  note: string | null;
  /** Runs in the transaction, before anything is changed. */
  guard?: (tx: Transaction) => Promise<void>;
};

const batch_size = 100;
const expiry_seconds = 15;

const portOf = ({ waitingRecords }: DecisionDeps, { noun }: Approval['object']) =>
  waitingRecords(noun === 'email_batch' ? 'email' : noun);
/** The records that wait for the approval. */
const refsOf = ({ organization_id, object, terms }: StoredApproval): WaitingRef[] =>
  (terms.payloads ? Object.keys(terms.payloads) : [object.id]).map((id) => ({ organization_id, id }));

/** A forward address, a number, a tool and a change of the configuration have no recipients. */
const isMessage = ({ noun }: Approval['object']) =>
  noun !== 'number' && noun !== 'forward_address' && noun !== 'tool_call' && noun !== 'configuration';

const alreadyDecided = ({ status }: Approval) =>
  new ApiError('approval_already_decided', { detail: `The approval is ${status}.` });

export async function approve(
  deps: DecisionDeps,
  approval: StoredApproval,
  payload_sha256: string,
  decision: Decision,
): Promise<StoredApproval> {
  await requirePending(deps, approval);
  if (payload_sha256 !== approval.payload_sha256) throw new ApiError('approval_payload_changed');
  await requireSamePayload(deps, approval);
  const micros = await currentPrice(deps, approval);
  if (micros > approval.quoted_price_micros) {
    const { organization_id, id } = approval;
    await deps.db.transaction((tx) => deps.store.setQuote(tx, organization_id, id, micros));
    throw new ApiError('approval_price_changed');
  }
  return decide(deps, approval, 'was_approved', decision, async (tx) => {
    let released = 0;
    for (const ref of refsOf(approval)) {
      if (await portOf(deps, approval.object).release(tx, ref, { approval_id: approval.id })) released++;
    }
    // The record was canceled meanwhile.
    if (released === 0) throw alreadyDecided({ ...approval, status: 'canceled' });
    if (!isMessage(approval.object)) return;
    const messages = approval.messages.length > 0 ? approval.messages : [approval.shown];
    const recipients = messages.flatMap(({ to, cc, bcc }) => [...to, ...cc, ...bcc]);
    const parties = [...new Set(recipients.map(partyOf))].sort();
    const { organization_id } = approval;
    await deps.party_store.addApproved(tx, organization_id, parties, deps.clock.now());
    tx.afterCommit(() => deps.parties.forget(organization_id, parties));
  });
}

export async function reject(
  deps: DecisionDeps,
  approval: StoredApproval,
  decision: Decision,
): Promise<StoredApproval> {
  await requirePending(deps, approval);
  return decide(deps, approval, 'was_rejected', decision, (tx) =>
    cancelRecords(deps, tx, approval, 'approval_rejected'),
  );
}

async function requirePending(deps: DecisionDeps, approval: StoredApproval): Promise<void> {
  if (approval.status !== 'pending') throw alreadyDecided(approval);
  if (Date.parse(approval.expires_at) > deps.clock.ms()) return;
  await expire(deps, approval.organization_id, approval.id);
  throw alreadyDecided({ ...approval, status: 'expired' });
}

/** What is stored now must be what the approver saw. Admission compares again at the hand-over. */
async function requireSamePayload(deps: DecisionDeps, approval: StoredApproval): Promise<void> {
  const port = portOf(deps, approval.object);
  const { payloads } = approval.terms;
  for (const ref of refsOf(approval)) {
    const payload = await port.payload(ref);
    const approved_hash = payloads ? payloads[ref.id] : approval.payload_sha256;
    if (!payload || payloadHash(payload) !== approved_hash) throw new ApiError('approval_payload_changed');
  }
  if (payloads && batchHash(payloads) !== approval.payload_sha256)
    throw new ApiError('approval_payload_changed');
}

async function cancelRecords(
  deps: DecisionDeps,
  tx: Transaction,
  approval: StoredApproval,
  end_reason: Parameters<WaitingRecords['cancel']>[2],
): Promise<void> {
  for (const ref of refsOf(approval)) await portOf(deps, approval.object).cancel(tx, ref, end_reason);
}

type Trigger = Exclude<keyof typeof approvalLifecycle.moves, 'became_dearer'>;

/** Null when another decision was first. */
const moveApproval = (
  deps: DecisionDeps,
  tx: Transaction,
  { organization_id, id, payload_sha256 }: StoredApproval,
  trigger: Trigger,
  set: { decided_by: string | null; decided_via: string | null; note: string | null },
) =>
  deps.move<typeof approvalLifecycle, StoredApproval>(tx, {
    lifecycle: approvalLifecycle,
    table: 'approvals',
    organization_id,
    id,
    trigger,
    // A message that joined a batch meanwhile is not decided about.
    key: { payload_sha256 },
    set: { decided_at: deps.clock.now(), ...set },
    returning: approval_columns,
    event: (record) => ({ data: eventData(record) }),
  });

function decide(
  deps: DecisionDeps,
  approval: StoredApproval,
  trigger: 'was_approved' | 'was_rejected',
  { actor, decided_by, via, note, guard }: Decision,
  apply: (tx: Transaction) => Promise<void>,
): Promise<StoredApproval> {
  const { organization_id, id } = approval;
  return deps.db.transaction(async (tx) => {
    await guard?.(tx);
    // Records are locked before approvals, as everywhere, so that nothing waits in a circle.
    await apply(tx);
    const decided = await moveApproval(deps, tx, approval, trigger, { decided_by, decided_via: via, note });
    if (!decided) throw alreadyDecided((await deps.store.find(organization_id, id, tx)) ?? approval);
    await deps.audit.write(tx, actor, {
      organization_id,
      action: trigger === 'was_approved' ? 'approval.approved' : 'approval.rejected',
      object_id: id,
      detail: { object: approval.object, via },
    });
    return decided;
  });
}

const by_service = { decided_by: null, decided_via: null, note: null };

/** The record is canceled in the same transaction. */
async function expire(deps: DecisionDeps, organization_id: string, id: string): Promise<void> {
  const approval = await deps.store.find(organization_id, id);
  if (approval?.status !== 'pending') return;
  await deps.db
    .transaction(async (tx) => {
      await cancelRecords(deps, tx, approval, 'approval_expired');
      // Decided meanwhile: the transaction is rolled back, so nothing is canceled.
      if (!(await moveApproval(deps, tx, approval, 'expired', by_service))) throw alreadyDecided(approval);
    })
    .catch((error) => {
      if (!(error instanceof ApiError)) throw error;
    });
}

/** The caller cancels the record that waits for it, in the same transaction. A batch waits for its other messages. */
export async function withdraw(
  deps: DecisionDeps,
  tx: Transaction,
  { organization_id, approval_id }: { organization_id: string; approval_id: string },
): Promise<void> {
  const approval = await deps.store.lock(tx, organization_id, approval_id);
  if (!approval || approval.terms.payloads) return;
  await moveApproval(deps, tx, approval, 'was_canceled', by_service);
}

export const expiryJob = (deps: DecisionDeps): JobHandler => ({
  kind: 'expire_approvals',
  every_seconds: expiry_seconds,
  async run() {
    for (;;) {
      const due = await deps.store.due(deps.clock.now(), batch_size);
      for (const { organization_id, id } of due) await expire(deps, organization_id, id);
      if (due.length < batch_size) return;
    }
  },
});

// Changes emails that wait: another time, canceled by the caller, released or ended by an approval.
import { emailLifecycle } from '@parley/contract/channels/emails/email-records';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { mover } from '../../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import type { Outbox } from '../../../../platform/outbox.ts';
import {
  approvedState,
  newApproval,
  readSchedule,
  type Stopped,
  scheduleHold,
  type WaitingEndReason,
  type WaitingRecords,
  type WaitingRef,
  type WithdrawApproval,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import { reportStore } from '../delivery-reports/store.ts';
import type { SendDeps } from '../send/send-email.ts';
import type { EmailRow } from '../store.ts';
import { storeHold } from './hold-email.ts';
import { payloadOf } from './payload.ts';
import { waitingRequest } from './send-waiting-email.ts';
import { changeWaiting, lockEmail } from './store.ts';
import { dueAt, isWaiting, newSendJob, waitingEntry } from './waiting-email.ts';

export type ChangeDeps = SendDeps & {
  outbox: Outbox;
  countOutcome: CountOutcome;
  withdrawApproval: WithdrawApproval | null;
  budgets: Pick<Budgets, 'giveBack'>;
};

export function changeWaitingEmails(deps: ChangeDeps) {
  const move = mover(deps);
  return {
    /** POST /v1/emails/{email_id}/cancel */
    async cancel({ organization_id, id }: WaitingRef): Promise<void> {
      await deps.db.transaction(async (tx) => {
        const email = waiting(await lockEmail(tx, organization_id, id));
        await end(deps, move, tx, email, 'canceled');
        const approval_id = email.hold?.approval_id;
        if (approval_id) await deps.withdrawApproval?.(tx, { organization_id, approval_id });
      });
    },

    /** PATCH /v1/emails/{email_id} */
    async reschedule({ organization_id, id }: WaitingRef, requested: string): Promise<void> {
      const found = await deps.store.find(organization_id, id);
      if (!found) throw new ApiError('not_found');
      const scheduled_at = readSchedule(deps.clock, requested)!;
      const before = waiting(found);
      if (before.hold?.kind === 'approval') throw waitsForApproval(before);
      const terms = before.terms && { ...before.terms, approval_id: null };
      const moved: EmailRow = { ...before, scheduled_at, terms, released_at: null };
      const approval = before.terms?.approval_id ? await askAgain(deps, before, moved) : null;
      const after = { ...moved, hold: approval?.hold ?? scheduleHold(scheduled_at) };
      const is_moved = await storeHold(deps, before, after, { commit: approval?.commit ?? null });
      if (!is_moved) throw new ApiError('already_handed_over');
    },

    port: waitingEmailsPort(deps, move),
  };
}
export type ChangeWaitingEmails = ReturnType<typeof changeWaitingEmails>;

const waitingEmailsPort = (deps: ChangeDeps, move: ReturnType<typeof mover>): WaitingRecords => ({
  async release(tx, { organization_id, id }, { approval_id }) {
    const email = await lockEmail(tx, organization_id, id);
    if (!email?.hold || !isWaiting(email)) return false;
    const approved = approvedState({ ...email, hold: email.hold }, approval_id, deps.clock.now());
    if (!approved) return false;
    const released: EmailRow = { ...email, ...approved };
    await changeWaiting(tx, email, released);
    const detail = { kind: 'approval', approval_id };
    await deps.timeline.add(tx, [waitingEntry(deps, email, { kind: 'released', detail })]);
    await deps.jobs.enqueue(tx, newSendJob(email, dueAt(released, deps.clock)!));
    tx.afterCommit(() => deps.jobs.wake());
    return true;
  },

  async cancel(tx, { organization_id, id }, end_reason) {
    const email = await lockEmail(tx, organization_id, id);
    if (!email || !isWaiting(email)) return false;
    await end(deps, move, tx, email, end_reason);
    return true;
  },

  async payload({ organization_id, id }) {
    const email = await deps.store.find(organization_id, id);
    return email && payloadOf(email, await deps.attachments.ofEmail(organization_id, id));
  },
});

function waiting(email: EmailRow | null): EmailRow {
  if (!email) throw new ApiError('not_found');
  if (!isWaiting(email)) throw new ApiError('already_handed_over');
  return email;
}

const waitsForApproval = ({ id }: EmailRow) =>
  new ApiError('held', {
    detail: 'It waits for an approval, which is valid only for the time that was asked for.',
    fix: `Cancel it with POST /v1/emails/${id}/cancel and send it again with the new time.`,
  });

async function askAgain(deps: ChangeDeps, before: EmailRow, moved: EmailRow): Promise<Stopped | null> {
  const attachments = await deps.attachments.ofEmail(moved.organization_id, moved.id);
  return newApproval(deps.admission, before, waitingRequest(deps, moved, attachments));
}

/** The row must be locked, and waiting. */
async function end(
  deps: ChangeDeps,
  move: ReturnType<typeof mover>,
  tx: Transaction,
  email: EmailRow,
  end_reason: WaitingEndReason,
): Promise<void> {
  const { organization_id, id } = email;
  const entry = waitingEntry(deps, email, { kind: 'canceled', detail: { end_reason } });
  const { occurred_at } = entry;
  await move(tx, {
    lifecycle: emailLifecycle,
    table: 'emails',
    organization_id,
    id,
    trigger: 'canceled',
    set: { hold: null, end_reason, last_event_at: occurred_at },
    returning: reportStore.only_id,
    event: () => ({
      source_id: email.email_domain_id,
      data: {
        id,
        direction: email.direction,
        status: 'canceled',
        end_reason,
        from_address: email.from_address,
        to_addresses: email.to_addresses,
        subject: email.subject,
        occurred_at,
      },
    }),
  });
  await deps.timeline.add(tx, [entry]);
  await deps.budgets.giveBack(email.terms?.counted ?? [], tx);
  tx.afterCommit(() => deps.countOutcome('email', 'outbound', 'canceled', end_reason));
}

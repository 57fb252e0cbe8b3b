// Changes emails that wait: another time, canceled by the caller, released or ended by an approval.
import { emailLifecycle } from '@parley/contract/email-records';
import type { Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { mover } from '../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import {
  default_terms,
  type HeldEndReason,
  type HeldRecords,
  type HeldRef,
  readSchedule,
  type Stopped,
  scheduleHold,
  type WithdrawApproval,
} from '../../admission/index.ts';
import { reportStore } from '../delivery-reports/store.ts';
import type { SendDeps } from '../send/send-email.ts';
import type { EmailRow } from '../store.ts';
import { dueAt, heldEntry, isWaiting, newHeldJob } from './held-email.ts';
import { storeHold } from './hold-email.ts';
import { payloadOf } from './payload.ts';
import { heldRequest } from './send-held-email.ts';
import { changeWaiting, lockEmail } from './store.ts';

export type ChangeDeps = SendDeps & {
  outbox: Outbox;
  countOutcome: CountOutcome;
  withdrawApproval: WithdrawApproval | null;
};

export function changeHeldEmails(deps: ChangeDeps) {
  const move = mover(deps);
  return {
    /** POST /v1/emails/{email_id}/cancel */
    async cancel({ organization_id, id }: HeldRef): Promise<void> {
      await deps.db.transaction(async (tx) => {
        const email = waiting(await lockEmail(tx, organization_id, id));
        await end(deps, move, tx, email, 'canceled');
        const approval_id = email.hold?.approval_id;
        if (approval_id) await deps.withdrawApproval?.(tx, { organization_id, approval_id });
      });
    },

    /** PATCH /v1/emails/{email_id} */
    async reschedule({ organization_id, id }: HeldRef, requested: string): Promise<void> {
      const found = await deps.store.find(organization_id, id);
      if (!found) throw new ApiError('not_found');
      const scheduled_at = readSchedule(deps.clock, requested)!;
      const before = waiting(found);
      if (before.hold?.kind === 'approval') throw waitsForApproval(before);
      const terms = before.terms && { ...before.terms, approval_id: null };
      const moved: EmailRow = { ...before, scheduled_at, terms, released_at: null };
      const approval = before.terms?.approval_id ? await newApproval(deps, moved) : null;
      const after = { ...moved, hold: approval?.hold ?? scheduleHold(scheduled_at) };
      const is_moved = await storeHold(deps, before, after, { commit: approval?.commit ?? null });
      if (!is_moved) throw new ApiError('already_handed_over');
    },

    port: heldEmailsPort(deps, move),
  };
}
export type ChangeHeldEmails = ReturnType<typeof changeHeldEmails>;

const heldEmailsPort = (deps: ChangeDeps, move: ReturnType<typeof mover>): HeldRecords => ({
  async release(tx, { organization_id, id }, { approval_id }) {
    const email = await lockEmail(tx, organization_id, id);
    if (!email || !isWaiting(email) || email.hold?.approval_id !== approval_id) return false;
    const { scheduled_at } = email;
    const is_early = scheduled_at !== null && Date.parse(scheduled_at) > deps.clock.ms();
    const released: EmailRow = {
      ...email,
      hold: is_early ? scheduleHold(scheduled_at) : null,
      terms: { ...(email.terms ?? default_terms), approval_id },
    };
    await changeWaiting(tx, email, released);
    const detail = { kind: 'approval', approval_id };
    await deps.timeline.add(tx, [heldEntry(deps, email, { kind: 'released', detail })]);
    await deps.jobs.enqueue(tx, newHeldJob(email, dueAt(released, deps.clock)!));
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

/** An approval is valid for the payload with its time, so the new time needs another one. Null when none is needed. */
async function newApproval(deps: ChangeDeps, email: EmailRow): Promise<Stopped | null> {
  const attachments = await deps.attachments.ofEmail(email.organization_id, email.id);
  const request = heldRequest(deps, email, attachments);
  // Only asked whether a person must decide: nothing is counted now.
  const terms = { ...(email.terms ?? default_terms), is_counted_at_hand_over: false };
  const decision = await deps.admission.admit('hand_over', { ...request, terms });
  return decision.outcome === 'defer' && decision.hold?.kind === 'approval' ? decision : null;
}

/** The row must be locked, and waiting. */
async function end(
  deps: ChangeDeps,
  move: ReturnType<typeof mover>,
  tx: Transaction,
  email: EmailRow,
  end_reason: HeldEndReason,
): Promise<void> {
  const { organization_id, id } = email;
  const entry = heldEntry(deps, email, { kind: 'canceled', detail: { end_reason } });
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
  tx.afterCommit(() => deps.countOutcome('email', 'outbound', 'canceled', end_reason));
}

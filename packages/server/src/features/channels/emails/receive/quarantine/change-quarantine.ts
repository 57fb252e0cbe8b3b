// Releases received emails from quarantine, puts them into it, and deletes those that were not released in time.
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import { ApiError } from '../../../../../platform/http/api-error.ts';
import type { Context } from '../../../../../platform/http/context.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { JobHandler } from '../../../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../../../platform/unit-of-work/unit-of-work.ts';
import { type AuditLog, actorOf } from '../../../../access/audit/index.ts';
import type { EmailAttachments } from '../../../email-attachments/index.ts';
import type { EmailDomainService } from '../../../email-domains/index.ts';
import type { TimelineEntry } from '../../timeline-store.ts';
import { type CommitDeps, chargeReceived, startForward } from '../accept/commit-messages.ts';
import { quarantinedEvent, receivedEvent } from '../events.ts';
import { findRecipients } from '../find-recipients.ts';
import { answererOf, answerRequest } from '../replies/answerer.ts';
import type { Quarantine } from '../store.ts';
import { arrivalOf, deleteExpired, lockReceived, type QuarantinedEmail, setQuarantine } from './store.ts';

export type QuarantineDeps = Pick<
  CommitDeps,
  'funds' | 'jobs' | 'notifyWaiting' | 'baseUrl' | 'requestAnswer'
> & {
  db: Database;
  clock: Clock;
  ids: Ids;
  unitOfWork: Pick<UnitOfWork, 'commitIn'>;
  audit: AuditLog;
  domains: Pick<EmailDomainService, 'receiver'>;
  attachments: Pick<EmailAttachments, 'ofEmail'>;
  addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
  /** How long an email stays in quarantine. */
  quarantine_days: number;
};

const per_step = 500;

export const changeQuarantine = (deps: QuarantineDeps) => ({
  /** POST /v1/emails/{email_id}/release. An email that is not in quarantine stays as it is. */
  async release(context: Context, id: string): Promise<void> {
    const { organization_id } = context;
    // Before the transaction, which would need a second connection for them.
    const attachments = await deps.attachments.ofEmail(organization_id, id);
    const arrival = await arrivalOf(deps.db, organization_id, id);
    const receivers = await findRecipients(deps.domains, arrival?.recipients ?? []);
    await deps.db.transaction(async (tx) => {
      const email = received(await lockReceived(tx, organization_id, id));
      if (!email.quarantine) return;
      if (email.quarantine.reason === 'virus' && context.caller.role === 'member')
        throw new ApiError('virus_release_refused');
      if ((await chargeReceived(deps, tx, email)) === 'unpaid') throw new ApiError('insufficient_funds');
      await setQuarantine(tx, email, { quarantine: null, released_at: deps.clock.now() });
      await forwardReleased(deps, tx, email, email.quarantine, receivers);
      await deps.unitOfWork.commitIn(tx, [
        { events: [receivedEvent({ row: email, receivers, attachments }, deps.baseUrl())] },
      ]);
      await answerReleased(deps, tx, email, receivers);
      await record(deps, tx, context, email, 'released', { reason: email.quarantine.reason });
      tx.afterCommit(() => deps.notifyWaiting(organization_id));
    });
  },

  /** POST /v1/emails/{email_id}/quarantine. */
  async quarantine(context: Context, id: string): Promise<void> {
    await deps.db.transaction(async (tx) => {
      const email = received(await lockReceived(tx, context.organization_id, id));
      if (email.quarantine) return;
      const at = deps.clock.now().toISOString();
      const quarantine: Quarantine = { reason: 'manual', rule_id: null, at, loop_domain_ids: [] };
      await setQuarantine(tx, email, { quarantine, released_at: null });
      await deps.unitOfWork.commitIn(tx, [{ events: [quarantinedEvent(email, quarantine)] }]);
      await record(deps, tx, context, email, 'quarantined', { reason: 'manual' });
    });
  },
});
export type ChangeQuarantine = ReturnType<typeof changeQuarantine>;

function received(email: QuarantinedEmail | null): QuarantinedEmail {
  if (!email) throw new ApiError('not_found');
  if (email.direction !== 'inbound') throw new ApiError('email_not_received');
  return email;
}

/** By the domains as they are now. An email that was forwarded before is not forwarded again. */
async function forwardReleased(
  deps: QuarantineDeps,
  tx: Transaction,
  email: QuarantinedEmail,
  { loop_domain_ids }: Quarantine,
  recipients: Awaited<ReturnType<typeof findRecipients>>,
): Promise<void> {
  const { organization_id, id } = email;
  const domains = new Map(recipients.map(({ receiver }) => [receiver.email_domain_id, receiver]));
  for (const receiver of [...domains.values()].sort((a, b) =>
    a.email_domain_id < b.email_domain_id ? -1 : 1,
  )) {
    const is_own = receiver.organization_id === organization_id;
    if (!is_own || receiver.forward_to.length === 0) continue;
    if (loop_domain_ids.includes(receiver.email_domain_id)) continue;
    await startForward(deps, tx, { email: { organization_id, id }, receiver, traceparent: null });
  }
}

/** The agent of the address answers as if it had just arrived. What it answered before, it does not answer again. */
async function answerReleased(
  deps: QuarantineDeps,
  tx: Transaction,
  email: QuarantinedEmail,
  found: Awaited<ReturnType<typeof findRecipients>>,
): Promise<void> {
  const receivers = found.filter(({ receiver }) => receiver.organization_id === email.organization_id);
  const arrival = { recipients: receivers.map(({ address }) => address) };
  const answerer = answererOf({ row: { ...email, arrival }, receivers });
  if (!answerer) return;
  const received_at = deps.clock.now().toISOString();
  await deps.requestAnswer(tx, { ...answerRequest(email, answerer), received_at, is_released: true });
}

async function record(
  deps: QuarantineDeps,
  tx: Transaction,
  context: Context,
  { organization_id, id }: QuarantinedEmail,
  kind: 'released' | 'quarantined',
  detail: Record<string, unknown>,
): Promise<void> {
  const occurred_at = deps.clock.now().toISOString();
  const entry_id = deps.ids.next();
  const entry = { id: entry_id, organization_id, email_id: id, kind, occurred_at, detail };
  await deps.addToTimeline(tx, [{ ...entry, dedupe_key: `${kind}:${entry_id}`, counted: [] }]);
  const action = `email.${kind}`;
  await deps.audit.write(tx, actorOf(context), { organization_id, action, object_id: id, detail });
}

/** The objects of deleted emails have no record any more: the sweeper of mail objects deletes them. */
export const quarantineJobs = ({ db, clock, quarantine_days }: QuarantineDeps): JobHandler[] => [
  {
    kind: 'delete_expired_quarantine',
    every_seconds: 3600,
    async run(_job, signal) {
      const before = new Date(clock.ms() - quarantine_days * 86_400_000);
      while (!signal.aborted && (await deleteExpired(db, before, per_step)) === per_step);
    },
  },
];

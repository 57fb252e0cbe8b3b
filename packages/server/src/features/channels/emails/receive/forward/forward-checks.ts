// The checks of a forward right before it is handed to the mail transport: confirmed recipients, limits, and what a refusal does.
import type { Clock } from '../../../../../platform/clock.ts';
import type { Database } from '../../../../../platform/db/database.ts';
import { ApiError } from '../../../../../platform/http/api-error.ts';
import { namedId } from '../../../../../platform/ids.ts';
import type { Jobs } from '../../../../../platform/jobs.ts';
import {
  admissionText,
  type HandOverDecision,
  refusedAtCommit,
  type Stopped,
  stoppedBecause,
} from '../../../../rules/admission/index.ts';
import type { EmailDomainService } from '../../../email-domains/index.ts';
import { type ForwardJob, newForwardJob } from './forward-job.ts';
import { endHandOver, type ForwardedEmail, markAdmitted } from './store.ts';
import { addForwardEntry, type ForwardTimelineDeps } from './timeline.ts';

export type ForwardCheckDeps = ForwardTimelineDeps & {
  db: Database;
  clock: Clock;
  domains: Pick<EmailDomainService, 'forwards'>;
  enqueue: Jobs['enqueue'];
};

/** A forward that a rule defers, or that fails for a reason that may pass, is tried again for this long. */
const max_wait_seconds = 86_400;

export const mayWait = ({ clock }: Pick<ForwardCheckDeps, 'clock'>, { forwarded_at }: ForwardedEmail) =>
  clock.ms() - forwarded_at.getTime() < max_wait_seconds * 1000;

/**
 * Removes recipients that were deleted, or stopped the forwards, since the message was received. Null if none is left.
 * Checked at each attempt, because the job may be hours old.
 */
export async function withConfirmedRecipients(
  deps: ForwardCheckDeps,
  email: ForwardedEmail,
  job: ForwardJob,
): Promise<ForwardJob | null> {
  const { organization_id, email_domain_id } = job;
  const confirmed = new Set(await deps.domains.forwards.confirmed(organization_id, email_domain_id));
  const { removed = [], remaining = [] } = Object.groupBy(job.forward_to, (address) =>
    confirmed.has(address) ? 'remaining' : 'removed',
  );
  if (removed.length === 0) return job;
  await deps.db.transaction(async (tx) => {
    if (remaining.length === 0) await endHandOver(tx, job, deps.clock.now());
    await addForwardEntry(deps, tx, email, {
      detail: { recipients: removed, reason: 'not_allowed', check: 'confirmation' },
      // Another attempt may find other recipients gone.
      dedupe_key: `forward_unconfirmed:${namedId(email_domain_id, ...removed)}`,
    });
  });
  return remaining.length === 0 ? null : { ...job, forward_to: remaining };
}

/** Counts the forward toward the limits once, not at each attempt. A limit that is reached becomes a refusal. */
export async function countOnce(
  { db }: ForwardCheckDeps,
  email: ForwardedEmail,
  job: ForwardJob,
  decision: HandOverDecision,
): Promise<HandOverDecision> {
  if (decision.outcome !== 'allow' || !decision.commit || email.was_admitted) return decision;
  const { commit } = decision;
  try {
    await db.transaction(async (tx) => {
      await commit(tx);
      await markAdmitted(tx, job, admissionText(decision));
    });
    return decision;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusedAtCommit(decision, error);
  }
}

/** A deferred forward is tried again later, for up to a day. A refused one ends with an entry on the timeline. */
export async function deferOrRefuse(
  deps: ForwardCheckDeps,
  email: ForwardedEmail,
  job: ForwardJob,
  decision: Stopped,
): Promise<void> {
  const { clock, db } = deps;
  // Nobody is asked to approve a forward: its recipients confirmed it themselves.
  const can_wait = decision.outcome === 'defer' && decision.hold?.kind !== 'approval';
  if (can_wait && mayWait(deps, email)) {
    const run_at = new Date(clock.ms() + decision.retry_after_seconds * 1000);
    await deps.enqueue(db, newForwardJob({ ...job, holds: (job.holds ?? 0) + 1 }, run_at));
    return;
  }
  await db.transaction(async (tx) => {
    await endHandOver(tx, job, clock.now(), admissionText(decision));
    await addForwardEntry(deps, tx, email, {
      detail: { recipients: job.forward_to, reason: 'not_allowed', ...stoppedBecause(decision) },
      dedupe_key: `forward_failed:${job.email_domain_id}`,
    });
  });
}

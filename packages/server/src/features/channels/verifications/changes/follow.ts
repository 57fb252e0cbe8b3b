// Follows verifications at the carrier: polling alone is enough, and a callback only makes the next poll earlier.
import type { Queryable, Transaction } from '../../../../platform/db/database.ts';
import type { Job } from '../../../../platform/jobs.ts';
import type { RegistrationState } from '../../../../providers/carrier/registration.ts';
import { reasonOf } from '../checklist.ts';
import { type Deps, sync_sms_job } from '../deps.ts';
import { actionRequired } from '../event-data.ts';
import type { Trigger } from '../store.ts';
import type { Ref, VerificationRow } from '../verification-row.ts';
import { enqueueAdvance } from './create-verification.ts';

const open_states = ['submitted', 'in_review'] as const;
const minute_ms = 60_000;
const day_ms = 24 * 60 * minute_ms;
/** How many days before the end of an approval its organization is reminded. */
const reminder_days = [7, 30] as const;

const triggers = {
  submitted: null,
  in_review: 'review_began',
  approved: 'approved',
  rejected: 'rejected',
  canceled: 'canceled',
} as const;

/** Every 15 minutes on the first day, then every hour; once a day after the approval, and when it ends. */
function nextCheck(row: VerificationRow, now_ms: number): Date {
  if (row.state === 'approved') {
    const end = row.expires_at === null ? Infinity : Date.parse(row.expires_at);
    return new Date(end > now_ms ? Math.min(now_ms + day_ms, end) : now_ms + day_ms);
  }
  const age_ms = now_ms - Date.parse(row.submitted_at ?? row.created_at);
  return new Date(now_ms + (age_ms < day_ms ? 15 : 60) * minute_ms);
}

/**
 * Asks the carrier once and applies what it says. A carrier that does not answer is asked again at the next check. With a job,
 * its answer counts only while no newer run of the job has begun to ask.
 */
export async function followVerification(
  deps: Deps,
  { organization_id, id }: Ref,
  job: Job | null = null,
): Promise<void> {
  const { store, log, clock } = deps;
  const row = await store.find(organization_id, id);
  if (!row || !['submitted', 'in_review', 'approved'].includes(row.state)) return;
  const port = deps.carriers.byName(row.provider)?.registration;
  // Rows of an earlier release have no progress.
  const progress =
    Object.keys(row.progress).length > 0 ? row.progress : { id: row.provider_verification_id ?? '' };
  const result = port ? await port.state(progress, row.kind) : null;
  if (result?.outcome === 'known') {
    await deps.db.transaction(async (tx) => {
      if (!job || (await deps.jobs.isCurrent(tx, job))) await apply(deps, tx, row, result);
    });
    return;
  }
  const detail = result?.outcome === 'unclear' ? { word: result.word } : { outcome: result?.outcome };
  log.warn({ verification_id: id, ...detail }, 'the carrier did not report a state of the verification');
  await store.change(deps.db, row, [row.state], { next_check_at: nextCheck(row, clock.ms()) });
}

async function apply(deps: Deps, tx: Transaction, { organization_id, id }: Ref, report: RegistrationState) {
  const { store, clock } = deps;
  const row = await store.lock(tx, { organization_id, id });
  if (!row || !['submitted', 'in_review', 'approved'].includes(row.state)) return;
  const now = clock.now();
  const trigger = triggerFor(row, report);
  const set = {
    waits_for: report.waiting_for === 'carrier' ? null : report.waiting_for,
    editable_until: report.editable_until,
    expires_at: report.expires_at,
    // A step that is being taken keeps its mark: its answer may have been lost.
    ...(row.submit_requested_at === null && { step_began_at: null }),
    ...(report.ready_to_advance && { submit_requested_at: now }),
  };
  const after = trigger
    ? await moveTo(deps, tx, row, trigger, report, set)
    : await store.change(tx, row, [row.state], set);
  if (!after) return;
  await store.change(tx, row, [after.state], { next_check_at: nextCheck(after, clock.ms()) });
  if (report.ready_to_advance) await enqueueAdvance(deps, tx, row);
  const waits = report.waiting_for === 'you' || report.waiting_for === 'contact';
  if (
    waits &&
    row.waiting_for !== report.waiting_for &&
    !trigger?.match(/approved|rejected|revoked|canceled/)
  ) {
    await deps.timeline.add(tx, row, 'action_required', now, report.problems);
    await actionRequired(deps, tx, after, now);
  }
  await remind(deps, tx, after, now);
}

function triggerFor(row: VerificationRow, report: RegistrationState): Trigger | null {
  if (row.state === 'approved')
    return report.state === 'rejected' || report.state === 'canceled' ? 'revoked' : null;
  const trigger = triggers[report.state];
  return row.state === 'in_review' && trigger === 'review_began' ? null : trigger;
}

async function moveTo(
  deps: Deps,
  tx: Transaction,
  row: VerificationRow,
  trigger: Trigger,
  report: Pick<RegistrationState, 'problems'>,
  set: Record<string, unknown>,
) {
  const now = deps.clock.now();
  const failed = trigger === 'rejected' || trigger === 'revoked';
  const moved = await deps.store.move(
    tx,
    row,
    trigger,
    {
      ...set,
      ...(trigger === 'approved' && { approved_at: now, problems: null, reminded_days: null }),
      ...(failed && {
        problems: JSON.stringify(report.problems),
        rejection_reason: reasonOf(report.problems),
      }),
    },
    now,
  );
  if (!moved) return null;
  await deps.timeline.add(tx, row, trigger, now, failed ? report.problems : []);
  if (row.kind !== 'number') await enqueueSync(deps, tx, row.organization_id);
  return moved;
}

export const enqueueSync = async ({ jobs }: Deps, on: Queryable, organization_id: string) => {
  const unique_key = `${sync_sms_job}:${organization_id}`;
  await jobs.enqueue(on, { kind: sync_sms_job, payload: { organization_id }, unique_key, replace: true });
};

/** 30 and 7 days before the approval ends, once each. */
async function remind(deps: Deps, tx: Transaction, row: VerificationRow, now: Date): Promise<void> {
  if (row.state !== 'approved' || row.expires_at === null) return;
  const left_ms = Date.parse(row.expires_at) - now.getTime();
  const days = reminder_days.find((each) => left_ms <= each * day_ms);
  if (days === undefined || left_ms <= 0 || (row.reminded_days ?? Infinity) <= days) return;
  await deps.store.change(tx, row, ['approved'], { reminded_days: days });
  await deps.timeline.add(tx, row, 'action_required', now, [
    { key: null, code: 'expires_soon', message: `The approval ends in ${Math.ceil(left_ms / day_ms)} days.` },
  ]);
  await actionRequired(deps, tx, row, now);
}

/** Shorter than the lease of the job by more than a slow check; the next run goes on. */
const run_seconds = 420;

/** The job: a failure of one verification does not stop the others. */
export async function followDue(deps: Deps, which: 'open' | 'approved'): Promise<void> {
  const states = which === 'open' ? open_states : (['approved'] as const);
  const start_ms = deps.clock.ms();
  for (const ref of await deps.store.due(states, deps.clock.now())) {
    if (deps.clock.ms() - start_ms > run_seconds * 1000) return;
    await followVerification(deps, ref).catch((error) =>
      deps.log.warn({ verification_id: ref.id, err: error }, 'verification not updated'),
    );
  }
}

/** The carrier found out with another request, such as an order, that an approved verification is wrong. */
export async function revokeApproved(
  deps: Deps,
  { organization_id, provider, reference }: { organization_id: string; provider: string; reference: string },
  problems: RegistrationState['problems'],
): Promise<void> {
  const row = await deps.store.byProviderId(organization_id, provider, reference);
  if (row?.state !== 'approved') return;
  await deps.db.transaction((tx) => moveTo(deps, tx, row, 'revoked', { problems }, {}));
}

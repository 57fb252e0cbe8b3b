// Background jobs of emails: reports that came with a send, sends whose process crashed, and merging of counters.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { problemAnswer } from '../../../platform/http/problem.ts';
import { type RememberedRow, storedAnswer } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Wake } from '../../../platform/wake.ts';
import type { MailReport, SendFailure } from '../../../providers/mail/transport.ts';
import type { DeliveryReports } from './delivery-reports/delivery-reports.ts';
import { sendDeadline } from './send/hand-over.ts';
import { endReasonOf, type RecordOutcome, reports_job } from './send/record-outcome.ts';
import { sendFailed } from './send/send-errors.ts';
import type { EmailRow, EmailStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';

/** Counters of younger hours are still being incremented. */
const merge_after_hours = 2;

const lost: SendFailure = {
  accepted: false,
  reason: 'timeout',
  retryable: false,
  may_be_taken: true,
  detail: { response: 'The sending process ended before the outcome was known' },
};

type Deps = {
  clock: Clock;
  ids: Ids;
  store: EmailStore;
  timeline: TimelineStore;
  delivery_reports: DeliveryReports;
  recordOutcome: RecordOutcome;
};

export const emailJobs = (deps: Deps): JobHandler[] => [
  {
    kind: 'join_email_counters',
    every_seconds: 600,
    run: () => deps.timeline.mergeSlots(new Date(deps.clock.ms() - merge_after_hours * 3_600_000)),
  },
  {
    kind: reports_job,
    async run({ payload }) {
      const { organization_id, email_id, reports } = payload as {
        organization_id: string;
        email_id: string;
        reports: MailReport[];
      };
      for (const report of reports) await deps.delivery_reports.record(organization_id, email_id, report);
    },
  },
  { kind: 'close_lost_emails', every_seconds: 5, run: () => closeLostEmails(deps) },
];

/**
 * For a process that starts while no other one runs: what its predecessor was sending has no process any more, so its requests and
 * their idempotency keys need not wait for the deadline.
 */
export async function closeLeftBehind(
  deps: Deps & { db: Database; wake: Pick<Wake, 'start' | 'isAlone'>; timeout_ms: number },
): Promise<void> {
  const begun_before = sendDeadline(deps.clock.ms(), deps.timeout_ms);
  await deps.wake.start();
  if (!(await deps.wake.isAlone(deps.db))) return;
  // A moment before now: the sweeper takes what is past its deadline.
  const ended = await deps.store.endDeadlines(begun_before, new Date(deps.clock.ms() - 1));
  if (ended > 0) await closeLostEmails(deps);
}

/** Lost emails are never sent again: the transport may have accepted them, and a second copy is worse than none. */
async function closeLostEmails(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  for (const email of await deps.store.lost(now, 100)) {
    Object.assign(email, {
      status: 'failed',
      last_outcome: 'failed',
      end_reason: endReasonOf(lost),
      failed_at: now.toISOString(),
      last_event_at: now.toISOString(),
    });
    await deps.recordOutcome({ email, outcome: lost, answer: answerOf(deps, email) });
  }
}

/** The response for the request that sent the email, if it comes again. */
const answerOf = ({ ids }: Deps, email: EmailRow): RememberedRow | null =>
  email.idempotency_key === null
    ? null
    : storedAnswer(
        {
          organization_id: email.organization_id,
          operation: email.idempotency_operation!,
          key: email.idempotency_key,
        },
        problemAnswer(sendFailed(email), ids.next()),
      );

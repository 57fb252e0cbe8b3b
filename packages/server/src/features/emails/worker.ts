// Background work of emails: reports that came with a send, and sends whose process died.
import type { Clock } from '../../platform/clock.ts';
import { problemResponse } from '../../platform/http/problem.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { MailReport, SendFailure } from '../../providers/mail/transport.ts';
import type { DeliveryReports } from './delivery-reports/delivery-reports.ts';
import { endReasonOf, type Finished, reports_job } from './send/record-outcome.ts';
import { sendFailed } from './send/send-email.ts';
import type { EmailStore } from './store.ts';
import type { TimelineStore } from './timeline-store.ts';

/** Hours younger than this still take many counts at once. */
const busy_hours = 2;

const lost: SendFailure = {
  accepted: false,
  reason: 'timeout',
  retryable: false,
  may_be_taken: true,
  detail: { response: 'The sending process ended before the outcome was known' },
};

export function emailJobs(deps: {
  clock: Clock;
  ids: Ids;
  store: EmailStore;
  timeline: TimelineStore;
  delivery_reports: DeliveryReports;
  finish(finished: Finished): Promise<boolean>;
}): JobHandler[] {
  return [
    {
      kind: 'join_email_counters',
      every_seconds: 600,
      run: () => deps.timeline.joinSlots(new Date(deps.clock.ms() - busy_hours * 3_600_000)),
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
    {
      // Never sent again: whether the transport took it is unknown, and twice is worse than not at all.
      kind: 'close_lost_emails',
      every_seconds: 5,
      async run() {
        const now = deps.clock.now();
        for (const email of await deps.store.lost(now, 100)) {
          Object.assign(email, {
            status: 'failed',
            end_reason: endReasonOf(lost),
            failed_at: now.toISOString(),
            last_event_at: now.toISOString(),
          });
          const { status, body } = problemResponse(sendFailed(email), deps.ids.next());
          await deps.finish({ email, outcome: lost, answer: { status, body } });
        }
      },
    },
  ];
}

// Closes a send: status, timeline, counters, events and the remembered answer are one commit, shared by many sends.
import { emailLifecycle } from '@parley/contract/email-records';
import type { Clock } from '../../platform/clock.ts';
import { type Database, DatabaseUnavailable } from '../../platform/db/database.ts';
import { groupCommit } from '../../platform/db/group-commit.ts';
import type { Idempotency, RememberedRow } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { manyMover } from '../../platform/lifecycle.ts';
import type { NewEvent, Outbox } from '../../platform/outbox.ts';
import type { MailReport, SendOutcome } from '../../providers/mail/transport.ts';
import { deliveryEventData } from './event-data.ts';
import type { EmailRow } from './store.ts';
import type { TimelineEntry, TimelineStore } from './timeline-store.ts';

export type Finished = {
  email: EmailRow;
  outcome: SendOutcome;
  /** The answer to remember for the request's idempotency key, as exact text. */
  answer: { status: number; body: string } | null;
};

export const reports_job = 'email_reports';
const retry_every_ms = 500;

export function finishing(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  outbox: Outbox;
  idempotency: Idempotency;
  timeline: TimelineStore;
  enqueue: Jobs['enqueue'];
}) {
  const { clock, ids, outbox, timeline } = deps;
  const moveMany = manyMover({ outbox });

  const entry = (
    email: EmailRow,
    kind: TimelineEntry['kind'],
    counted: TimelineEntry['counted'],
    detail: Record<string, unknown>,
    occurred_at: string,
  ): TimelineEntry => ({
    id: ids.next(),
    organization_id: email.organization_id,
    email_id: email.id,
    kind,
    occurred_at,
    detail,
    dedupe_key: kind,
    counted,
  });

  const flush = (group: Finished[]): Promise<boolean[]> =>
    deps.db.transaction(async (tx) => {
      const record = (email: EmailRow) => ({ organization_id: email.organization_id, id: email.id });
      const sent = await moveMany(tx, {
        lifecycle: emailLifecycle,
        table: 'emails',
        trigger: 'accepted',
        records: group
          .filter(({ outcome }) => outcome.accepted)
          .map(({ email }) => ({
            ...record(email),
            set: {
              sent_at: email.sent_at,
              provider_message_id: email.provider_message_id,
              message_id: email.message_id,
              last_event_at: email.last_event_at,
              send_deadline: null,
            },
          })),
      });
      const failed = await moveMany(tx, {
        lifecycle: emailLifecycle,
        table: 'emails',
        trigger: 'refused',
        records: group
          .filter(({ outcome }) => !outcome.accepted)
          .map(({ email, outcome }) => ({
            ...record(email),
            set: {
              failed_at: email.failed_at,
              end_reason: email.end_reason,
              last_event_at: email.last_event_at,
              send_deadline: null,
            },
            event: { source_id: email.email_domain_id, data: sendFailedData(email, outcome) },
          })),
      });

      const entries: TimelineEntry[] = [];
      const events: NewEvent[] = [];
      const remembered: RememberedRow[] = [];
      for (const { email, outcome, answer } of group) {
        if (!sent.has(email.id) && !failed.has(email.id)) continue;
        if (outcome.accepted) {
          const at = email.sent_at!;
          entries.push(entry(email, 'sent', ['sent'], { provider: email.provider }, at));
          const delivered = outcome.reports.find((report) => report.kind === 'delivered');
          if (delivered) {
            entries.push(entry(email, 'delivered', ['delivered'], delivered.detail, at));
            events.push({
              type: 'email.delivered',
              organization_id: email.organization_id,
              resource_id: email.id,
              source_id: email.email_domain_id,
              data: deliveryEventData(email, 'delivered', at, delivered.detail),
            });
          }
          const rest: MailReport[] = outcome.reports.filter((report) => report !== delivered);
          if (rest.length > 0) {
            await deps.enqueue(tx, {
              kind: reports_job,
              payload: { organization_id: email.organization_id, email_id: email.id, reports: rest },
            });
          }
        } else {
          entries.push(entry(email, 'send_failed', ['rejected'], outcome.detail, email.failed_at!));
        }
        if (answer && email.idempotency_key !== null) {
          remembered.push({
            organization_id: email.organization_id,
            operation: email.idempotency_operation!,
            key: email.idempotency_key,
            ...answer,
          });
        }
      }
      await timeline.add(tx, entries);
      await outbox.write(tx, events);
      await deps.idempotency.rememberMany(tx, remembered);
      return group.map(({ email }) => sent.has(email.id) || failed.has(email.id));
    });

  const finishOnce = groupCommit<Finished, boolean>(flush);

  return {
    /**
     * False when somebody else closed the email before. The message is out by now, so a database that is away is
     * asked again until the deadline, after which the sweeper takes over.
     */
    async finish(finished: Finished): Promise<boolean> {
      const deadline = Date.parse(finished.email.send_deadline ?? '') || 0;
      for (;;) {
        try {
          return await finishOnce(finished);
        } catch (error) {
          if (!(error instanceof DatabaseUnavailable) || clock.ms() > deadline) throw error;
          await new Promise((resolve) => setTimeout(resolve, retry_every_ms));
        }
      }
    },
  };
}

function sendFailedData(email: EmailRow, outcome: SendOutcome): Record<string, unknown> {
  return {
    id: email.id,
    direction: email.direction,
    status: 'failed',
    end_reason: email.end_reason,
    from_address: email.from_address,
    to_addresses: email.to_addresses,
    subject: email.subject,
    failed_at: email.failed_at,
    detail: outcome.accepted ? {} : outcome.detail,
  };
}

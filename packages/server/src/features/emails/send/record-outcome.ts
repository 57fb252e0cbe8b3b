// Closes a send: status, timeline, counters, events and the remembered answer are one commit, shared by many sends.
import { emailLifecycle } from '@parley/contract/email-records';
import { batched } from '../../../platform/batch.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Database, DatabaseUnavailable } from '../../../platform/db/database.ts';
import { type Idempotency, type RememberedRow, rememberAnswers } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import { manyMover, movingMany } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import { type NewEvent, type Outbox, storedIds } from '../../../platform/outbox.ts';
import type { MailReport, SendOutcome } from '../../../providers/mail/transport.ts';
import { deliveryEventData } from '../event-data.ts';
import type { EmailRow, EmailStore } from '../store.ts';
import { sent_and_delivered, type TimelineEntry, type TimelineStore } from '../timeline-store.ts';

/** Of the transport, or of a rule that stopped the email before it. */
export type HandOverOutcome =
  | SendOutcome
  | { accepted: false; reason: 'not_allowed'; retryable: false; detail: Record<string, unknown> };

export type Finished = {
  email: EmailRow;
  outcome: HandOverOutcome;
  /** The answer to remember for the request's idempotency key, as exact text. */
  answer: { status: number; body: string } | null;
};

/** What the record says of a send that did not succeed. */
export const endReasonOf = <Failure extends { reason: string; may_be_taken?: boolean }>(
  failure: Failure,
): Failure['reason'] | 'unconfirmed' => (failure.may_be_taken === true ? 'unconfirmed' : failure.reason);

export const reports_job = 'email_reports';
const retry_every_ms = 500;

export function finishing(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  outbox: Outbox;
  idempotency: Idempotency;
  store: EmailStore;
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

  /** What a send that ended is to its timeline and to whoever listens, and the reports that are still to come. */
  const tellingOf = ({ email, outcome }: Finished) => {
    const event = (type: NewEvent['type'], data: NewEvent['data']): NewEvent => ({
      type,
      organization_id: email.organization_id,
      resource_id: email.id,
      source_id: email.email_domain_id,
      data,
    });
    if (!outcome.accepted) {
      return {
        entries: [entry(email, 'send_failed', ['rejected'], outcome.detail, email.failed_at!)],
        events: [event('email.send_failed', sendFailedData(email, outcome))],
        rest: [],
      };
    }
    const at = email.sent_at!;
    const delivered = outcome.reports.find((report) => report.kind === 'delivered');
    const rest: MailReport[] = outcome.reports.filter((report) => report !== delivered);
    if (!delivered) {
      const sent = entry(email, 'sent', ['sent'], { provider: email.provider }, at);
      return { entries: [sent], events: [], rest };
    }
    return {
      entries: [entry(email, 'delivered', sent_and_delivered, delivered.detail, at)],
      events: [event('email.delivered', deliveryEventData(email, 'delivered', at, delivered.detail))],
      rest,
    };
  };

  const rememberedOf = ({ email, answer }: Finished): (RememberedRow & { record_id: string })[] =>
    answer && email.idempotency_key !== null
      ? [
          {
            record_id: email.id,
            organization_id: email.organization_id,
            operation: email.idempotency_operation!,
            key: email.idempotency_key,
            ...answer,
          },
        ]
      : [];

  const acceptance = (group: Finished[]) => ({
    lifecycle: emailLifecycle,
    table: 'emails',
    trigger: 'accepted' as const,
    columns: {
      sent_at: 'timestamptz',
      provider_message_id: 'text',
      message_id: 'text',
      last_event_at: 'timestamptz',
      send_deadline: 'timestamptz',
      admission: 'text',
    } as const,
    records: group.map(({ email }) => ({
      organization_id: email.organization_id,
      id: email.id,
      set: {
        sent_at: email.sent_at,
        provider_message_id: email.provider_message_id,
        message_id: email.message_id,
        last_event_at: email.last_event_at,
        send_deadline: null,
        admission: email.admission,
      },
    })),
  });

  /** Stored emails that were taken: the move and all that it means for those that moved are one statement. */
  const acceptOnce = batched<Finished, boolean>(
    async (group) => {
      const told = group.map(tellingOf);
      const answers = group.flatMap(rememberedOf);
      const closed = await outbox.writeWith(
        deps.db,
        movingMany(acceptance(group)),
        told.flatMap(({ events }) => events),
        {
          ...timeline.additionTo(
            told.flatMap(({ entries }) => entries),
            storedIds,
          ),
          ...(answers.length > 0 ? { remembered: rememberAnswers(answers, storedIds) } : {}),
        },
      );
      return group.map(({ email }) => closed.has(email.id));
    },
    { max_flushes: 2 },
  );

  const flush = (group: Finished[]): Promise<boolean[]> =>
    deps.db.transaction(async (tx) => {
      const record = (email: EmailRow) => ({ organization_id: email.organization_id, id: email.id });
      const sent = await moveMany(tx, acceptance(group.filter(({ outcome }) => outcome.accepted)));
      const failed = await moveMany(tx, {
        lifecycle: emailLifecycle,
        table: 'emails',
        trigger: 'refused',
        columns: {
          failed_at: 'timestamptz',
          end_reason: 'text',
          last_event_at: 'timestamptz',
          send_deadline: 'timestamptz',
          admission: 'text',
        },
        records: group
          .filter(({ outcome }) => !outcome.accepted)
          .map(({ email, outcome }) => ({
            ...record(email),
            set: {
              failed_at: email.failed_at,
              end_reason: email.end_reason,
              last_event_at: email.last_event_at,
              send_deadline: null,
              admission: email.admission,
            },
            event: { source_id: email.email_domain_id, data: sendFailedData(email, outcome) },
          })),
      });

      const closed = (id: string) => sent.has(id) || failed.has(id);
      const entries: TimelineEntry[] = [];
      const events: NewEvent[] = [];
      const remembered: RememberedRow[] = [];
      for (const finished of group) {
        const { email } = finished;
        if (!closed(email.id)) continue;
        const { entries: steps, events: told, rest } = tellingOf(finished);
        entries.push(...steps);
        // A move tells of itself.
        if (!failed.has(email.id)) events.push(...told);
        if (rest.length > 0) {
          await deps.enqueue(tx, {
            kind: reports_job,
            payload: { organization_id: email.organization_id, email_id: email.id, reports: rest },
          });
        }
        remembered.push(...rememberedOf(finished));
      }
      await timeline.add(tx, entries);
      await outbox.write(tx, events);
      await deps.idempotency.rememberMany(tx, remembered);
      return group.map(({ email }) => closed(email.id));
    });

  // Many round trips a commit: the larger the group, the less each email pays for them.
  const finishOnce = batched<Finished, boolean>(flush, { max_flushes: 2 });

  /** A try before may have been committed though its answer was lost. Only who handed the email over says that it is sent. */
  const isClosedSo = async (email: EmailRow, outcome: HandOverOutcome): Promise<boolean> => {
    const kept = await deps.store.find(email.organization_id, email.id);
    return kept !== null && kept.status !== 'queued' && (kept.status === 'failed') !== outcome.accepted;
  };

  const count = ({ email, outcome }: Finished): void => {
    const { accepted } = outcome;
    deps.countOutcome('email', 'outbound', accepted ? 'sent' : 'failed', accepted ? null : email.end_reason);
    // Other reports are counted when they are recorded.
    if (accepted && outcome.reports.some(({ kind }) => kind === 'delivered'))
      deps.countOutcome('email', 'outbound', 'delivered', null);
  };

  const wayOf = ({ outcome }: Finished) => {
    // What follows must be queued in the same commit.
    const has_more = outcome.accepted && outcome.reports.some((report) => report.kind !== 'delivered');
    return outcome.accepted && !has_more ? acceptOnce : finishOnce;
  };

  return {
    /**
     * False when somebody else closed the email before. The message is out by now, so whatever keeps the database from
     * writing that down, it is asked again until the deadline, after which the sweeper takes over.
     */
    async finish(finished: Finished): Promise<boolean> {
      const { email, outcome } = finished;
      const deadline = Date.parse(email.send_deadline ?? '') || 0;
      for (let tries = 1; ; tries++) {
        try {
          const closed = await wayOf(finished)(finished);
          const is_closed = closed || (tries > 1 && (await isClosedSo(email, outcome)));
          if (is_closed) count(finished);
          return is_closed;
        } catch (error) {
          if (clock.ms() > deadline) throw error;
          if (tries === 1 && !(error instanceof DatabaseUnavailable))
            deps.log.error(
              { err: error, email_id: email.id },
              'the outcome of an email is not written down yet',
            );
          await new Promise((resolve) => setTimeout(resolve, retry_every_ms));
        }
      }
    },
  };
}

function sendFailedData(email: EmailRow, outcome: HandOverOutcome): Record<string, unknown> {
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

// Records the outcome of a send: status, timeline, counters, events, stored response and report job are one commit.

import { alsoEnqueue } from '../../../../platform/also-enqueue.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { NewEvent } from '../../../../platform/event.ts';
import type { RememberedRow } from '../../../../platform/idempotency.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import { alsoWrite, move, type UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import type { SendOutcome } from '../../../../providers/mail/transport.ts';
import { deliveryEventData } from '../event-data.ts';
import { type EmailRow, outgoing_emails } from '../store.ts';
import { sent_and_delivered, type TimelineEntry, timelineEntries } from '../timeline-store.ts';

/** Of the transport, or of a rule that stopped the email before the hand-over. */
export type HandOverOutcome =
  | SendOutcome
  | { accepted: false; reason: 'not_allowed'; retryable: false; detail: Record<string, unknown> };

export type FinishedSend = {
  /** With the columns of the new status already set. */
  email: EmailRow;
  outcome: HandOverOutcome;
  /** The response to store under the key of the request; null without a key. */
  answer: RememberedRow | null;
  /** Entries of the timeline that come before the outcome. */
  entries?: readonly TimelineEntry[];
};

/** False when the email was closed before, for example by the sweeper. */
export type RecordOutcome = (send: FinishedSend) => Promise<boolean>;

export const reports_job = 'email_reports';

type Deps = {
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  unitOfWork: UnitOfWork;
};

export const recordOutcome =
  (deps: Deps): RecordOutcome =>
  async (send) => {
    const { email, outcome } = send;
    const { entries, events } = factsOf(deps, send);
    // The "delivered" report of the transport is part of this commit; all others are recorded by a job.
    const reports = outcome.accepted ? outcome.reports.filter(({ kind }) => kind !== 'delivered') : [];
    const { outcome: result } = await deps.unitOfWork.commit({
      record: outcome.accepted ? accepted(email) : refused(email),
      events,
      also: [
        ...(send.entries ?? []).map((entry) => alsoWrite(timelineEntries, entry)),
        ...entries.map((entry) => alsoWrite(timelineEntries, entry)),
        ...(reports.length > 0
          ? [
              alsoEnqueue(deps, {
                kind: reports_job,
                payload: { organization_id: email.organization_id, email_id: email.id, reports },
              }),
            ]
          : []),
      ],
      answer: send.answer,
      // The message may have left the service: retry until the deadline, after which the sweeper closes the email.
      retry_until: email.send_deadline === null ? null : new Date(email.send_deadline),
      after: () => count(deps.countOutcome, send),
    });
    return result === 'stored';
  };

/** The end reason of a send that did not succeed. */
export const endReasonOf = <Failure extends { reason: string; may_be_taken?: boolean }>(
  failure: Failure,
): Failure['reason'] | 'unconfirmed' => (failure.may_be_taken === true ? 'unconfirmed' : failure.reason);

const accepted = (email: EmailRow) =>
  move(outgoing_emails, 'accepted', email, {
    sent_at: email.sent_at,
    last_outcome: email.last_outcome,
    provider_message_id: email.provider_message_id,
    message_id: email.message_id,
    last_event_at: email.last_event_at,
    send_deadline: null,
    admission: email.admission,
  });

const refused = (email: EmailRow) =>
  move(outgoing_emails, 'refused', email, {
    failed_at: email.failed_at,
    end_reason: email.end_reason,
    last_event_at: email.last_event_at,
    send_deadline: null,
    admission: email.admission,
  });

/** Sets the columns of an email whose outcome is known. */
export function applyOutcome(email: EmailRow, outcome: HandOverOutcome, now: string): void {
  email.last_event_at = now;
  if (outcome.accepted) {
    email.status = 'sent';
    email.last_outcome = outcome.reports.some(({ kind }) => kind === 'delivered') ? 'delivered' : 'sent';
    email.sent_at = now;
    email.provider_message_id = outcome.provider_message_id;
    email.message_id = outcome.message_id ?? email.message_id;
  } else {
    email.status = 'failed';
    email.last_outcome = 'failed';
    email.failed_at = now;
    email.end_reason = endReasonOf(outcome);
  }
}

/** The timeline entries of the outcome, and the events for subscribers. */
function factsOf(
  deps: Deps,
  { email, outcome }: FinishedSend,
): { entries: TimelineEntry[]; events: NewEvent[] } {
  if (!outcome.accepted) {
    return {
      entries: [entryOf(deps, email, 'send_failed', ['rejected'], outcome.detail, email.failed_at!)],
      events: [eventOf(email, 'email.send_failed', sendFailedData(email, outcome.detail))],
    };
  }
  const at = email.sent_at!;
  const delivered = outcome.reports.find((report) => report.kind === 'delivered');
  if (!delivered) {
    return { entries: [sentEntry(deps, email, at)], events: [] };
  }
  // The timeline shows the "sent" part of a common entry first, which is wrong for an email that waited.
  const entries =
    email.released_at === null
      ? [entryOf(deps, email, 'delivered', sent_and_delivered, delivered.detail, at)]
      : [sentEntry(deps, email, at), entryOf(deps, email, 'delivered', ['delivered'], delivered.detail, at)];
  return {
    entries,
    events: [eventOf(email, 'email.delivered', deliveryEventData(email, 'delivered', at, delivered.detail))],
  };
}

const sentEntry = (deps: Deps, email: EmailRow, at: string) =>
  entryOf(deps, email, 'sent', ['sent'], { provider: email.provider }, at);

const entryOf = (
  { ids }: Deps,
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

const eventOf = (email: EmailRow, type: NewEvent['type'], data: NewEvent['data']): NewEvent => ({
  type,
  organization_id: email.organization_id,
  resource_id: email.id,
  source_id: email.email_domain_id,
  data,
});

function count(countOutcome: CountOutcome, { email, outcome }: FinishedSend): void {
  if (!outcome.accepted) {
    countOutcome('email', 'outbound', 'failed', email.end_reason);
    return;
  }
  countOutcome('email', 'outbound', 'sent', null);
  // Other reports are counted when the job records them.
  if (outcome.reports.some(({ kind }) => kind === 'delivered'))
    countOutcome('email', 'outbound', 'delivered', null);
}

const sendFailedData = (email: EmailRow, detail: Record<string, unknown>): Record<string, unknown> => ({
  id: email.id,
  direction: email.direction,
  status: 'failed',
  end_reason: email.end_reason,
  from_address: email.from_address,
  to_addresses: email.to_addresses,
  subject: email.subject,
  failed_at: email.failed_at,
  detail,
});

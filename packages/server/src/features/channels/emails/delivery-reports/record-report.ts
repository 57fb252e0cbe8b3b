// Records one delivery report on an email: timeline, counters, status, event and suppressions in one transaction.
import { emailLifecycle } from '@parley/contract/channels/emails/email-records';
import type { EmailCounter } from '@parley/contract/channels/emails/email-statistics';
import { limits } from '@parley/contract/limits';
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import type { Outbox } from '../../../../platform/outbox.ts';
import { continueTrace } from '../../../../platform/tracing/continue-trace.ts';
import type { Tracing } from '../../../../platform/tracing/trace.ts';
import type { MailReport } from '../../../../providers/mail/transport.ts';
import type { ConsentRevocations } from '../../../rules/consents/index.ts';
import type { EmailSuppressions } from '../../email-suppressions/index.ts';
import { deliveryEventData } from '../event-data.ts';
import { confirmEmail, isUnconfirmed } from '../send/confirmation.ts';
import type { TimelineStore } from '../timeline-store.ts';
import { type LockedEmail, reportStore } from './store.ts';

export type ReportDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  outbox: Outbox;
  move: Mover;
  timeline: TimelineStore;
  suppressions: EmailSuppressions;
  revocations: Pick<ConsentRevocations, 'revoke'>;
  tracing: Tracing | null;
};

export type EmailReport = {
  organization_id: string;
  email_id: string;
  report: MailReport;
  /** False when the report could be forged: then an email to several recipients neither ends nor suppresses anyone. */
  is_certain: boolean;
  provider_message_id?: string | undefined;
};

/** These counters count every report; all others count each email once. */
const counted_always = new Set<EmailCounter>(['opened', 'clicked']);
/** Together long enough for a commit that is in progress. */
const max_tries = 50;
const retry_ms = 100;

/**
 * False for a duplicate and for a report that cannot be true. A report that is faster than the commit of "sent" waits for
 * that commit and throws in the end, so that the sender of the report tries again.
 */
export const recordReport = (deps: ReportDeps, input: EmailReport): Promise<boolean> =>
  continueTrace(
    deps,
    { organization_id: input.organization_id, id: input.email_id },
    { name: 'email.report', attributes: { 'parley.report': input.report.kind } },
    () => recordWhenSent(deps, input),
  );

async function recordWhenSent(deps: ReportDeps, input: EmailReport): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const result = await deps.db.transaction((tx) => recordOnce(deps, tx, input));
    if (result !== 'not_sent_yet') return result;
    if (tries === max_tries) throw new Error(`Email ${input.email_id} is still being sent`);
    await new Promise((resolve) => setTimeout(resolve, retry_ms));
  }
}

const isVisit = ({ kind }: MailReport) => kind === 'opened' || kind === 'clicked';

async function recordOnce(
  deps: ReportDeps,
  tx: Transaction,
  input: EmailReport,
): Promise<boolean | 'not_sent_yet'> {
  const { organization_id, email_id, report } = input;
  const email = await reportStore.lock(tx, organization_id, email_id);
  if (!email) return false;
  const is_visit = isVisit(report);
  // Some relays follow the links of a message before they accept it.
  if (email.status === 'queued' && !is_visit) return 'not_sent_yet';
  if (is_visit && !email.has_html) return false;
  const timeline = await deps.timeline.summary(tx, organization_id, email_id);
  if (is_visit && timeline.entries >= limits.email_timeline_visits) return false;
  const occurred_at = timeOf(deps.clock, email, report);
  const recipients = recipientsOf(email, report);
  const detail = is_visit ? withoutRecipients(report.detail) : { ...report.detail, recipients };
  await confirmByReport(deps, tx, email, input, occurred_at);
  const added = await deps.timeline.add(tx, [
    {
      id: deps.ids.next(),
      organization_id,
      email_id,
      kind: report.kind,
      occurred_at,
      detail,
      dedupe_key: `${report.kind}:${report.report_id}`,
      counted: countersOf(report, timeline.counted),
    },
  ]);
  if (added.size === 0) return false;
  await reportStore.touch(tx, organization_id, email_id, { kind: report.kind, occurred_at });
  const severity = report.kind === 'bounced' ? (report.hard ? 'hard' : 'soft') : null;
  if (!is_visit) tx.afterCommit(() => deps.countOutcome('email', 'outbound', report.kind, severity));
  const trigger = triggerOf(email, input);
  await publish(deps, tx, email, input, trigger, deliveryEventData(email, report.kind, occurred_at, detail));
  if (trigger) await suppressAll(deps, tx, input, recipients, trigger);
  return true;
}

/** A report proves that the transport accepted the message. A visit does not: relays follow links before they accept. */
async function confirmByReport(
  deps: ReportDeps,
  tx: Transaction,
  email: LockedEmail,
  { organization_id, report, provider_message_id }: EmailReport,
  sent_at: string,
): Promise<void> {
  if (isVisit(report) || !isUnconfirmed(email)) return;
  const confirmation = { sent_at, confirmed_by: report.kind, provider_message_id };
  await confirmEmail(tx, deps, { ...email, organization_id }, confirmation);
}

type Trigger = 'hard_bounced' | 'complained';

/** The status change that the report causes, if any. */
function triggerOf(email: LockedEmail, { report, is_certain }: EmailReport): Trigger | null {
  if (!is_certain && allRecipientsOf(email).length !== 1) return null;
  if (report.kind === 'bounced' && report.hard) return 'hard_bounced';
  return report.kind === 'complained' ? 'complained' : null;
}

/** Where the status does not change (a soft bounce, a second recipient), the event is written without a move. */
async function publish(
  deps: ReportDeps,
  tx: Transaction,
  email: LockedEmail,
  { organization_id, email_id, report }: EmailReport,
  trigger: Trigger | null,
  data: Record<string, unknown>,
): Promise<void> {
  const event = { source_id: email.email_domain_id, data };
  const moved =
    trigger &&
    (await deps.move(tx, {
      lifecycle: emailLifecycle,
      table: 'emails',
      organization_id,
      id: email_id,
      trigger,
      set: trigger === 'hard_bounced' ? { end_reason: 'hard_bounce' } : {},
      returning: reportStore.only_id,
      event: () => event,
    }));
  if (moved) return;
  await deps.outbox.write(tx, [
    { type: `email.${report.kind}`, organization_id, resource_id: email_id, ...event },
  ]);
}

async function suppressAll(
  deps: ReportDeps,
  tx: Transaction,
  { organization_id, email_id }: EmailReport,
  recipients: string[],
  trigger: Trigger,
): Promise<void> {
  const cause =
    trigger === 'hard_bounced'
      ? ({ reason: 'hard_bounce', source: 'bounce_report' } as const)
      : ({ reason: 'complaint', source: 'complaint_report' } as const);
  for (const recipient of recipients) {
    await deps.suppressions.suppress(organization_id, { recipient, ...cause }, tx);
    if (trigger === 'complained') {
      const revoked_by = { kind: 'complaint', item_id: email_id } as const;
      await deps.revocations.revoke(tx, { organization_id, recipient, channel: 'email', revoked_by });
    }
  }
}

/** A report cannot be older than the email or newer than now, whatever the clock of its source says. */
function timeOf(clock: Clock, email: LockedEmail, report: MailReport): string {
  const now = clock.ms();
  const reported = Date.parse(report.occurred_at ?? '');
  const at = Number.isNaN(reported) ? now : Math.min(Math.max(reported, Date.parse(email.requested_at)), now);
  return new Date(at).toISOString();
}

/** Only recipients of the email: a report may name any address. */
function recipientsOf(email: LockedEmail, report: MailReport): string[] {
  const all = allRecipientsOf(email);
  const reported = new Set(report.recipients.map(addressKey));
  const known = all.filter((address) => reported.has(addressKey(address)));
  // A forwarded message bounces under another address. With one recipient it is still clear which one is meant.
  return known.length === 0 && all.length === 1 ? all : known;
}

function countersOf(report: MailReport, already_counted: Set<string>): EmailCounter[] {
  const counters: EmailCounter[] = [report.kind];
  if (report.kind === 'bounced' && report.hard) counters.push('bounced_hard');
  if (report.kind === 'opened') counters.push('unique_opened');
  if (report.kind === 'clicked') counters.push('unique_clicked');
  return counters.filter((name) => counted_always.has(name) || !already_counted.has(name));
}

export const allRecipientsOf = (email: LockedEmail): string[] => [
  ...email.to_addresses,
  ...email.cc_addresses,
  ...email.bcc_addresses,
];

const withoutRecipients = ({ recipients: _, ...detail }: Record<string, unknown>) => detail;

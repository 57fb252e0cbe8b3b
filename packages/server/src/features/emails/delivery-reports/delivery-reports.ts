// What becomes of an email after it was sent: delivered, delayed, bounced, complained, opened, clicked.
import { emailLifecycle } from '@parley/contract/email-records';
import type { EmailCounter } from '@parley/contract/email-statistics';
import { limits } from '@parley/contract/limits';
import { addressKey } from '@parley/contract/mailbox';
import { batched } from '../../../platform/batch.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import { mover } from '../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { MailReport, SendOutcome } from '../../../providers/mail/transport.ts';
import type { EmailSuppressions } from '../../email-suppressions/index.ts';
import { deliveryEventData } from '../event-data.ts';
import { confirmEmail, isUnconfirmed } from '../send/confirmation.ts';
import type { TimelineStore } from '../timeline-store.ts';
import { type LockedEmail, reportStore } from './store.ts';

/** Counted every time; the others count emails, each once. */
const counted_always = new Set<EmailCounter>(['opened', 'clicked']);

type Told = {
  organization_id: string;
  email_id: string;
  report: MailReport;
  is_certain: boolean;
  provider_message_id?: string | undefined;
};

/** Long enough for a commit that is under way. */
const early_tries = 50;
const early_ms = 100;

export function deliveryReports(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  outbox: Outbox;
  timeline: TimelineStore;
  suppressions: EmailSuppressions;
}) {
  const { clock, ids, outbox, timeline } = deps;
  const store = reportStore();
  const move = mover({ outbox });

  /** A report cannot be older than the email or newer than now, whatever its source's clock says. */
  const timeOf = (email: LockedEmail, report: MailReport): string => {
    const now = clock.ms();
    const said = Date.parse(report.occurred_at ?? '');
    const at = Number.isNaN(said) ? now : Math.min(Math.max(said, Date.parse(email.requested_at)), now);
    return new Date(at).toISOString();
  };

  /** Only people the email went to: a report may name anybody. */
  const recipientsOf = (email: LockedEmail, report: MailReport): string[] => {
    const all = everybodyOf(email);
    const named = new Set(report.recipients.map(addressKey));
    const known = all.filter((address) => named.has(addressKey(address)));
    // A forwarded message bounces under another name; with one recipient there is no doubt whose it is.
    return known.length === 0 && all.length === 1 ? all : known;
  };

  const countersOf = (report: MailReport, before: Set<string>): EmailCounter[] => {
    const wanted: EmailCounter[] =
      report.kind === 'bounced'
        ? report.hard
          ? ['bounced', 'bounced_hard']
          : ['bounced']
        : report.kind === 'opened'
          ? ['opened', 'unique_opened']
          : report.kind === 'clicked'
            ? ['clicked', 'unique_clicked']
            : [report.kind];
    return wanted.filter((name) => counted_always.has(name) || !before.has(name));
  };

  const suppressAll = async (
    tx: Transaction,
    organization_id: string,
    recipients: string[],
    reason: 'hard_bounce' | 'complaint',
  ) => {
    const source = reason === 'hard_bounce' ? 'bounce_report' : 'complaint_report';
    for (const recipient of recipients) {
      await deps.suppressions.suppress(organization_id, { recipient, reason, source }, tx);
    }
  };

  const recordOnce = (told: Told): Promise<boolean | 'early'> =>
    deps.db.transaction(async (tx) => {
      const { organization_id, email_id, report, is_certain, provider_message_id } = told;
      const email = await store.lock(tx, organization_id, email_id);
      if (!email) return false;
      const visited = report.kind === 'opened' || report.kind === 'clicked';
      // Some relays follow the links of a message before they take it.
      if (email.status === 'queued' && !visited) return 'early';
      if (visited && !email.has_html) return false;
      const before = await timeline.before(tx, organization_id, email_id);
      if (visited && before.entries >= limits.email_timeline_visits) return false;
      const occurred_at = timeOf(email, report);
      const recipients = recipientsOf(email, report);
      const detail = visited ? withoutRecipients(report.detail) : { ...report.detail, recipients };
      // What is reported of a message was taken by the transport. A visit proves less: relays follow links, too.
      if (!visited && isUnconfirmed(email)) {
        const confirmation = { sent_at: occurred_at, confirmed_by: report.kind, provider_message_id };
        await confirmEmail(tx, { ...deps, move }, { ...email, organization_id }, confirmation);
      }
      const added = await timeline.add(tx, [
        {
          id: ids.next(),
          organization_id,
          email_id,
          kind: report.kind,
          occurred_at,
          detail,
          dedupe_key: `${report.kind}:${report.report_id}`,
          counted: countersOf(report, before.counted),
        },
      ]);
      if (added.size === 0) return false;
      await store.touch(tx, organization_id, email_id, occurred_at);
      const severity = report.kind === 'bounced' ? (report.hard ? 'hard' : 'soft') : null;
      if (!visited) tx.afterCommit(() => deps.countOutcome('email', 'outbound', report.kind, severity));

      const event = {
        source_id: email.email_domain_id,
        data: deliveryEventData(email, report.kind, occurred_at, detail),
      };
      const trigger = !(is_certain || everybodyOf(email).length === 1)
        ? null
        : report.kind === 'bounced' && report.hard
          ? 'hard_bounced'
          : report.kind === 'complained'
            ? 'complained'
            : null;
      const moved =
        trigger &&
        (await move(tx, {
          lifecycle: emailLifecycle,
          table: 'emails',
          organization_id,
          id: email_id,
          trigger,
          set: trigger === 'hard_bounced' ? { end_reason: 'hard_bounce' } : {},
          returning: store.nothing,
          event: () => event,
        }));
      // Where the status does not change (a soft bounce, a second recipient) the event is told all the same.
      if (!moved) {
        await outbox.write(tx, [
          { type: `email.${report.kind}`, organization_id, resource_id: email_id, ...event },
        ]);
      }
      if (trigger === 'hard_bounced') await suppressAll(tx, organization_id, recipients, 'hard_bounce');
      if (trigger === 'complained') await suppressAll(tx, organization_id, recipients, 'complaint');
      return true;
    });

  const recordTold = async (told: Told): Promise<boolean> => {
    for (let tries = 1; ; tries++) {
      const result = await recordOnce(told);
      if (result !== 'early') return result;
      if (tries === early_tries) throw new Error(`Email ${told.email_id} is still being sent`);
      await new Promise((resolve) => setTimeout(resolve, early_ms));
    }
  };

  return {
    /**
     * False when the report was known, or tells of something that cannot have happened. One that is quicker than the
     * commit that says "sent" waits for it, and fails in the end: whoever brought it brings it again. What is not certain
     * is told and counted, but of an email to several people it neither ends it nor suppresses anybody.
     */
    record: (
      organization_id: string,
      email_id: string,
      report: MailReport,
      { is_certain = true, provider_message_id }: { is_certain?: boolean; provider_message_id?: string } = {},
    ): Promise<boolean> => recordTold({ organization_id, email_id, report, is_certain, provider_message_id }),

    /**
     * For a process that learns that the transport took an email which the sweeper closed before. True when it had been
     * closed as unconfirmed.
     */
    async confirm(
      { organization_id, id }: { organization_id: string; id: string },
      outcome: SendOutcome & { accepted: true },
    ): Promise<boolean> {
      const was_unconfirmed = await deps.db.transaction(async (tx) => {
        const email = await store.lock(tx, organization_id, id);
        if (!email || !isUnconfirmed(email)) return email !== null && email.status !== 'failed';
        const { provider_message_id, message_id } = outcome;
        const sent_at = clock.now().toISOString();
        const confirmation = { sent_at, confirmed_by: 'transport', provider_message_id, message_id };
        await confirmEmail(tx, { ...deps, move }, { ...email, organization_id }, confirmation);
        return true;
      });
      if (!was_unconfirmed) return false;
      for (const report of outcome.reports)
        await recordTold({ organization_id, email_id: id, report, is_certain: true });
      return true;
    },

    /** The visit of a stranger. They may come in any number, so that all of them together hold two connections at most. */
    recordVisit: batched<Omit<Told, 'is_certain'>, boolean>(
      async (group) => {
        const known: boolean[] = [];
        for (const visit of group) known.push(await recordTold({ ...visit, is_certain: true }));
        return known;
      },
      { max_flushes: 2 },
    ),

    /** A reader asked for no more. */
    unsubscribe: (organization_id: string, email_id: string): Promise<boolean> =>
      deps.db.transaction(async (tx) => {
        const email = await store.lock(tx, organization_id, email_id);
        if (!email) return false;
        for (const recipient of everybodyOf(email)) {
          await deps.suppressions.suppress(
            organization_id,
            { recipient, reason: 'unsubscribe', source: 'one_click' },
            tx,
          );
        }
        const occurred_at = clock.now().toISOString();
        const entry = { id: ids.next(), organization_id, email_id, occurred_at, detail: {}, counted: [] };
        await timeline.add(tx, [{ ...entry, kind: 'unsubscribed', dedupe_key: 'unsubscribed' }]);
        return true;
      }),
  };
}
export type DeliveryReports = ReturnType<typeof deliveryReports>;

const everybodyOf = (email: LockedEmail) => [
  ...email.to_addresses,
  ...email.cc_addresses,
  ...email.bcc_addresses,
];

const withoutRecipients = ({ recipients: _, ...detail }: Record<string, unknown>) => detail;

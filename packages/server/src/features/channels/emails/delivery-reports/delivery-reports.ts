// Delivery reports: what happens to an email after it was sent (delivered, delayed, bounced, complained, opened, clicked).
import { batched } from '../../../../platform/batch.ts';
import { mover } from '../../../../platform/lifecycle.ts';
import type { MailReport, SendOutcome } from '../../../../providers/mail/transport.ts';
import { confirmEmail, isUnconfirmed } from '../send/confirmation.ts';
import { allRecipientsOf, type EmailReport, type ReportDeps, recordReport } from './record-report.ts';
import { reportStore } from './store.ts';

type EmailReference = { organization_id: string; id: string };

export function deliveryReports(options: Omit<ReportDeps, 'move'>) {
  const deps: ReportDeps = { ...options, move: mover(options) };
  return {
    /** See recordReport(). */
    record: (
      organization_id: string,
      email_id: string,
      report: MailReport,
      { is_certain = true, provider_message_id }: { is_certain?: boolean; provider_message_id?: string } = {},
    ): Promise<boolean> =>
      recordReport(deps, { organization_id, email_id, report, is_certain, provider_message_id }),

    confirm: (email: EmailReference, outcome: SendOutcome & { accepted: true }) =>
      confirm(deps, email, outcome),

    /** Visits come from unknown clients in any number, so all of them together use two connections at most. */
    recordVisit: batched<Omit<EmailReport, 'is_certain'>, boolean>(
      async (visits) => {
        const recorded: boolean[] = [];
        for (const visit of visits) recorded.push(await recordReport(deps, { ...visit, is_certain: true }));
        return recorded;
      },
      { max_flushes: 2 },
    ),

    unsubscribe: (organization_id: string, email_id: string) => unsubscribe(deps, organization_id, email_id),
  };
}
export type DeliveryReports = ReturnType<typeof deliveryReports>;

/**
 * For a process that learns that the transport accepted an email which the sweeper closed before. True when the email had
 * been closed as unconfirmed.
 */
async function confirm(
  deps: ReportDeps,
  { organization_id, id }: EmailReference,
  outcome: SendOutcome & { accepted: true },
): Promise<boolean> {
  const was_unconfirmed = await deps.db.transaction(async (tx) => {
    const email = await reportStore.lock(tx, organization_id, id);
    if (!email || !isUnconfirmed(email)) return email !== null && email.status !== 'failed';
    const { provider_message_id, message_id } = outcome;
    const sent_at = deps.clock.now().toISOString();
    const confirmation = { sent_at, confirmed_by: 'transport', provider_message_id, message_id };
    await confirmEmail(tx, deps, { ...email, organization_id }, confirmation);
    return true;
  });
  if (!was_unconfirmed) return false;
  for (const report of outcome.reports)
    await recordReport(deps, { organization_id, email_id: id, report, is_certain: true });
  return true;
}

/** Suppresses all recipients of the email. False when the email does not exist. */
const unsubscribe = (deps: ReportDeps, organization_id: string, email_id: string): Promise<boolean> =>
  deps.db.transaction(async (tx) => {
    const email = await reportStore.lock(tx, organization_id, email_id);
    if (!email) return false;
    for (const recipient of allRecipientsOf(email)) {
      await deps.suppressions.suppress(
        organization_id,
        { recipient, reason: 'unsubscribe', source: 'one_click' },
        tx,
      );
      const revoked_by = { kind: 'unsubscribe', item_id: email_id } as const;
      await deps.revocations.revoke(tx, { organization_id, recipient, channel: 'email', revoked_by });
    }
    const occurred_at = deps.clock.now().toISOString();
    const entry = { id: deps.ids.next(), organization_id, email_id, occurred_at, detail: {}, counted: [] };
    await deps.timeline.add(tx, [{ ...entry, kind: 'unsubscribed', dedupe_key: 'unsubscribed' }]);
    return true;
  });

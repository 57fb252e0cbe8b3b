// The sandbox transport: sends nothing, and has fixed outcomes for test recipients.
import type { MailReport, MailTransport, OutgoingMail, SendOutcome } from '../transport.ts';

export const sandbox_domain = 'sandbox.test';

type Outcome =
  | { reject: true }
  | { reports(recipient: string, mail: OutgoingMail): Omit<MailReport, 'report_id'>[] };

const report = (
  kind: MailReport['kind'],
  recipient: string,
  detail: object,
  more: Partial<MailReport> = {},
) => ({
  kind,
  recipients: [recipient],
  occurred_at: null,
  detail: { recipients: [recipient], ...detail },
  ...more,
});
const delivered = (recipient: string) => report('delivered', recipient, { response: '250 2.0.0 Ok: kept' });
const visitor = { ip_address: '127.0.0.1', user_agent: 'Parley sandbox', machine: false };

/** By local part at sandbox.test. Every other address accepts the mail and reports delivery. */
export const testRecipients: Record<string, Outcome> = {
  delivered: { reports: (to) => [delivered(to)] },
  delayed: {
    reports: (to) => [report('delivery_delayed', to, { diagnostic_code: 'smtp; 451 4.7.1 Try again later' })],
  },
  bounced: {
    reports: (to) => [
      report(
        'bounced',
        to,
        {
          hard: true,
          bounce_type: 'Permanent',
          bounce_sub_type: 'NoEmail',
          diagnostic_code: 'smtp; 550 5.1.1 No such user',
        },
        { hard: true },
      ),
    ],
  },
  softbounced: {
    reports: (to) => [
      report(
        'bounced',
        to,
        {
          hard: false,
          bounce_type: 'Transient',
          bounce_sub_type: 'MailboxFull',
          diagnostic_code: 'smtp; 452 4.2.2 Mailbox full',
        },
        { hard: false },
      ),
    ],
  },
  complained: {
    reports: (to) => [delivered(to), report('complained', to, { feedback_type: 'abuse' })],
  },
  rejected: { reject: true },
  opened: { reports: (to) => [delivered(to), report('opened', to, visitor)] },
  clicked: {
    reports: (to, mail) => {
      const link = mail.first_link;
      return [
        delivered(to),
        report('opened', to, visitor),
        // A message without a link cannot be clicked.
        ...(link === null ? [] : [report('clicked', to, { ...visitor, link })]),
      ];
    },
  },
};

/** The outcomes that suppress their recipient; `rejected` counts as a bounce if other recipients accepted the message. */
const suppressing = new Set(['bounced', 'complained', 'rejected']);

const testRecipientOf = (address: string): string | null => {
  const [local, domain] = address.toLowerCase().split('@');
  return domain === sandbox_domain && local! in testRecipients ? local! : null;
};

/** Whether the address is a test recipient that stays usable although its outcome suppresses it. */
export function isRepeatable(address: string): boolean {
  const local = testRecipientOf(address);
  return local !== null && suppressing.has(local);
}

export function sandboxTransport(): MailTransport {
  const outcomeFor = (address: string): Outcome => testRecipients[testRecipientOf(address) ?? 'delivered']!;

  return {
    name: 'sandbox',
    capabilities: { rewrites: [], simulated: true },
    isRepeatable,
    async send(mail: OutgoingMail, signal): Promise<SendOutcome> {
      signal.throwIfAborted();
      const simulated = () => ({
        organization_id: mail.organization_id,
        email_id: mail.email_id,
        from: mail.envelope.from,
        to: mail.envelope.to,
        message: { message_id: mail.message_id, ...mail.shown() },
      });
      const outcomes = mail.envelope.to.map((recipient) => ({ recipient, outcome: outcomeFor(recipient) }));
      if (outcomes.every(({ outcome }) => 'reject' in outcome)) {
        const response = '550 5.7.1 The sandbox rejects this recipient';
        return {
          accepted: false,
          simulated,
          reason: 'smtp_rejected',
          retryable: false,
          detail: { response },
        };
      }
      const reports = outcomes.flatMap(({ recipient, outcome }) => {
        const applied = 'reject' in outcome ? testRecipients.bounced! : outcome;
        return 'reports' in applied ? applied.reports(recipient, mail) : [];
      });
      return {
        accepted: true,
        simulated,
        provider_message_id: `sandbox-${mail.email_id}`,
        reports: merge(reports),
      };
    },
    close: async () => {},
  };
}

/** One delivery report for all recipients, like that of a relay. */
function merge(reports: Omit<MailReport, 'report_id'>[]): MailReport[] {
  const delivered_to = reports
    .filter((report) => report.kind === 'delivered')
    .flatMap((report) => report.recipients);
  const rest = reports.filter((report) => report.kind !== 'delivered');
  const first = reports.find((report) => report.kind === 'delivered');
  const all = first
    ? [{ ...first, recipients: delivered_to, detail: { ...first.detail, recipients: delivered_to } }, ...rest]
    : rest;
  return all.map((report) => ({ ...report, report_id: `sandbox:${report.kind}:${report.recipients[0]}` }));
}

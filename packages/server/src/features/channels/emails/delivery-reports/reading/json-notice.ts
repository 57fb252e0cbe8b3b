// Reads notices in JSON of a mail provider that arrive by mail, because somebody subscribed an address to them.
import { isComplaint } from '../../../../../protocols/mail/complaint.ts';
import type { MailReport } from '../../../../../providers/mail/transport.ts';

type Recipient = { emailAddress?: unknown; diagnosticCode?: unknown };
type Notice = {
  notificationType?: unknown;
  eventType?: unknown;
  mail?: { messageId?: unknown };
  bounce?: {
    bounceType?: unknown;
    bounceSubType?: unknown;
    bouncedRecipients?: Recipient[];
    timestamp?: unknown;
  };
  complaint?: { complainedRecipients?: Recipient[]; complaintFeedbackType?: unknown; timestamp?: unknown };
};

const max_chars = 256 * 1024;
const max_recipients = 50;
const hard_types = ['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList'];

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.slice(0, 2000) : null);
const addressOf = ({ emailAddress }: Recipient) =>
  /[^\s<>]{1,64}@[^\s<>]{1,255}/.exec(textOf(emailAddress) ?? '')?.[0];

/** Null for other text; empty for a notice of something else, such as a delivery. */
export function readJsonNotice(text: string, report_id: string): MailReport[] | null {
  const notice = noticeIn(text);
  if (!notice) return null;
  const { bounce, complaint } = notice;
  if (bounce)
    return each(bounce.bouncedRecipients, (address, recipient) =>
      bounceOf(bounce, address, recipient, report_id),
    );
  if (!complaint) return [];
  const feedback_type = textOf(complaint.complaintFeedbackType) ?? 'abuse';
  if (!isComplaint(feedback_type)) return [];
  return each(complaint.complainedRecipients, (address) => ({
    kind: 'complained',
    recipients: [address],
    occurred_at: timeOf(complaint.timestamp),
    detail: { feedback_type, user_agent: null },
    report_id: `${report_id}:${address}`,
  }));
}

function noticeIn(text: string): Notice | null {
  const start = text.slice(0, max_chars).trimStart();
  if (!/^\{\s*"(?:notificationType|eventType)"/.test(start)) return null;
  const end = start.lastIndexOf('}');
  try {
    return JSON.parse(start.slice(0, end + 1).replaceAll(/\r?\n/g, ' ')) as Notice;
  } catch {
    return null;
  }
}

const each = (
  recipients: unknown,
  report: (address: string, recipient: Recipient) => MailReport,
): MailReport[] =>
  (Array.isArray(recipients) ? (recipients as Recipient[]) : [])
    .slice(0, max_recipients)
    .flatMap((recipient) => {
      const address = recipient && addressOf(recipient);
      return address ? [report(address, recipient)] : [];
    });

function bounceOf(
  { bounceType, bounceSubType, timestamp }: NonNullable<Notice['bounce']>,
  address: string,
  { diagnosticCode }: Recipient,
  report_id: string,
): MailReport {
  const bounce_sub_type = textOf(bounceSubType) ?? 'Undetermined';
  // "Permanent" also covers refused content, which does not mean that the address is invalid.
  const hard = bounceType === 'Permanent' && hard_types.includes(bounce_sub_type);
  return {
    kind: 'bounced',
    recipients: [address],
    occurred_at: timeOf(timestamp),
    hard,
    detail: {
      hard,
      bounce_type: textOf(bounceType) ?? 'Undetermined',
      bounce_sub_type,
      diagnostic_code: textOf(diagnosticCode),
    },
    report_id: hard ? `hard:${address}`.toLowerCase() : `${report_id}:${address}`,
  };
}

function timeOf(value: unknown): string | null {
  const ms = Date.parse(textOf(value) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

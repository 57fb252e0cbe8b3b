// Translates SES events to reports: one table from its terms to ours.
import { isComplaint } from '../../../protocols/mail/complaint.ts';
import type { MailReport, ProviderReport } from '../transport.ts';

/** The tag with our email id, for reports about a send whose response was lost. */
export const email_id_tag = 'parley_email_id';

type Recipient = { emailAddress?: string; diagnosticCode?: string };
type Details = {
  timestamp?: string;
  recipients?: string[];
  bounceType?: string;
  bounceSubType?: string;
  bouncedRecipients?: Recipient[];
  complainedRecipients?: Recipient[];
  delayedRecipients?: Recipient[];
  complaintFeedbackType?: string;
  delayType?: string;
  feedbackId?: string;
  smtpResponse?: string;
  ipAddress?: string;
  userAgent?: string;
  link?: string;
};
export type SesEvent = {
  /** Event publishing has eventType, the older notifications have notificationType. */
  eventType?: string;
  notificationType?: string;
  mail?: { messageId?: string; destination?: string[]; tags?: Record<string, string[]> };
  reject?: { reason?: string };
  bounce?: Details;
  complaint?: Details;
  delivery?: Details;
  deliveryDelay?: Details;
  open?: Details;
  click?: Details;
};

const addresses = (recipients: Recipient[] = []) =>
  recipients.flatMap(({ emailAddress }) => (emailAddress ? [bare(emailAddress)] : []));
const bare = (address: string) => /<([^<>]+)>$/.exec(address)?.[1] ?? address;

type Translated = Omit<MailReport, 'report_id' | 'occurred_at'>;
const translations: Record<string, (event: SesEvent) => Translated | null> = {
  Delivery: ({ delivery }) => ({
    kind: 'delivered',
    recipients: delivery?.recipients ?? [],
    detail: { response: delivery?.smtpResponse ?? null },
  }),
  DeliveryDelay: ({ deliveryDelay }) => ({
    kind: 'delivery_delayed',
    recipients: addresses(deliveryDelay?.delayedRecipients),
    detail: {
      delay_type: deliveryDelay?.delayType ?? null,
      diagnostic_code: deliveryDelay?.delayedRecipients?.[0]?.diagnosticCode ?? null,
    },
  }),
  Bounce: ({ bounce }) => {
    // "Permanent" also covers refused content and attachments, which do not mean that the address is invalid.
    const hard =
      bounce?.bounceType === 'Permanent' &&
      ['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList'].includes(bounce.bounceSubType ?? '');
    return {
      kind: 'bounced',
      recipients: addresses(bounce?.bouncedRecipients),
      hard,
      detail: {
        hard,
        bounce_type: bounce?.bounceType ?? 'Undetermined',
        bounce_sub_type: bounce?.bounceSubType ?? 'Undetermined',
        diagnostic_code: bounce?.bouncedRecipients?.[0]?.diagnosticCode ?? null,
      },
    };
  },
  // Accepted, then found harmful: no recipient got it.
  Reject: ({ reject, mail }) => ({
    kind: 'bounced',
    recipients: mail?.destination?.map(bare) ?? [],
    hard: false,
    detail: {
      hard: false,
      bounce_type: 'Permanent',
      bounce_sub_type: 'ContentRejected',
      diagnostic_code: reject?.reason ?? null,
    },
  }),
  Complaint: ({ complaint }) =>
    isComplaint(complaint?.complaintFeedbackType ?? null)
      ? {
          kind: 'complained',
          recipients: addresses(complaint?.complainedRecipients),
          detail: {
            feedback_type: complaint?.complaintFeedbackType ?? null,
            user_agent: complaint?.userAgent ?? null,
          },
        }
      : null,
  Open: ({ open }) => ({ kind: 'opened', recipients: [], detail: visit(open) }),
  Click: ({ click }) => ({
    kind: 'clicked',
    recipients: [],
    detail: { ...visit(click), link: click?.link ?? '' },
  }),
};

const visit = (details?: Details) => ({
  ip_address: details?.ipAddress ?? null,
  user_agent: details?.userAgent ?? null,
  machine: false,
});

/** Null for events without new information, such as Send. `fallback_id` identifies the notice. */
export function translateEvent(event: SesEvent, fallback_id: string): ProviderReport | null {
  const type = event.eventType ?? event.notificationType ?? '';
  const translate = Object.hasOwn(translations, type) ? translations[type] : undefined;
  const provider_message_id = event.mail?.messageId;
  const translated = translate?.(event);
  if (!translated || !provider_message_id) return null;
  const details =
    event.bounce ?? event.complaint ?? event.delivery ?? event.deliveryDelay ?? event.open ?? event.click;
  return {
    provider_message_id,
    // Event publishing includes the tags of the message.
    email_id: event.mail?.tags?.[email_id_tag]?.[0] ?? null,
    report: {
      ...translated,
      occurred_at: details?.timestamp ?? null,
      report_id: details?.feedbackId ?? fallback_id,
    },
  };
}

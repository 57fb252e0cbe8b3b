// The events about a received message.
import type { inboundSuppressionReasons } from '@parley/contract/channels/emails/email-events';
import type { NewEvent } from '../../../../platform/event.ts';
import type { DecidingRule } from '../../../rules/receive-rules/index.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import type { Receiver } from '../../email-domains/index.ts';
import type { EmailRow } from '../store.ts';
import type { InboundRow, Quarantine } from './store.ts';

/** Why the message is not announced as received, or not forwarded. */
export type SuppressionReason = (typeof inboundSuppressionReasons)[number];

export type IncomingMessage = {
  row: InboundRow;
  /** The receive rule that decided. */
  rule: DecidingRule | null;
  /** The domains of this organization that received it; the first one is the source of its events. */
  receivers: { receiver: Receiver; is_loop: boolean }[];
  attachments: StoredAttachment[];
  /** The organization received more messages this minute than its limit. */
  over_rate: boolean;
  /** The trace of its receipt; null when it has none. */
  traceparent: string | null;
};

/** What the events need of a message; a released one is read from its record. */
export type AnnouncedMessage = {
  row: EmailRow;
  receivers: readonly { receiver: Pick<Receiver, 'domain'> }[];
  attachments: readonly Pick<StoredAttachment, 'id' | 'filename' | 'content_type' | 'size_bytes'>[];
};

const sourceOf = ({ row, receivers }: AnnouncedMessage) => ({
  organization_id: row.organization_id,
  resource_id: row.id,
  source_id: row.email_domain_id,
  source_name: receivers[0]?.receiver.domain ?? null,
});

const commonData = ({ id, direction, from_address, to_addresses, subject, message_id }: EmailRow) => ({
  id,
  direction,
  from_address,
  to_addresses,
  subject,
  message_id,
});

export const quarantinedEvent = (
  { id, organization_id, email_domain_id, from_address, to_addresses, subject }: QuarantinedRow,
  { reason, rule_id }: Pick<Quarantine, 'reason' | 'rule_id'>,
): NewEvent => ({
  organization_id,
  resource_id: id,
  source_id: email_domain_id,
  type: 'email.quarantined',
  data: { id, from_address, to_addresses, subject, reason, rule_id },
});
type QuarantinedRow = Pick<
  InboundRow,
  'id' | 'organization_id' | 'email_domain_id' | 'from_address' | 'to_addresses' | 'subject'
>;

export function receivedEvent(message: AnnouncedMessage, base_url: string): NewEvent {
  const { row } = message;
  const email_url = `${base_url}/v1/emails/${row.id}`;
  return {
    ...sourceOf(message),
    type: 'email.received',
    data: {
      ...commonData(row),
      in_reply_to: row.in_reply_to,
      spam_verdict: row.spam_verdict,
      virus_verdict: row.virus_verdict,
      spf_verdict: row.spf_verdict,
      dkim_verdict: row.dkim_verdict,
      dmarc_verdict: row.dmarc_verdict,
      raw_url: `${email_url}/raw`,
      attachments: message.attachments.map(({ id, filename, content_type, size_bytes }) => ({
        id,
        filename,
        content_type,
        size_bytes,
        url: `${email_url}/attachments/${id}`,
      })),
    },
  };
}

export const suppressedEvent = (message: IncomingMessage, reason: SuppressionReason): NewEvent => ({
  ...sourceOf(message),
  type: 'email.received.suppressed',
  data: { ...commonData(message.row), reason },
});

// Builds the email record of a received message for one organization.
import { limits } from '@parley/contract/limits';
import { addressKey } from '@parley/contract/schema/mailbox';
import { momentOf } from '../../../../../platform/ids.ts';
import { isProgramAddress } from '../../../../../protocols/mail/mime/automatic-message.ts';
import { clean } from '../../../../../protocols/mail/mime/parse-message.ts';
import type { SenderProof } from '../../../../access/sender-proof/index.ts';
import { threadKey } from '../../threads.ts';
import type { Delivery, Recipient, Verdicts } from '../delivery.ts';
import type { ExaminedMessage } from '../examination/examine.ts';
import type { InboundRow } from '../store.ts';
import { rawKey } from './message-files.ts';

export function inboundRow(
  ids: { email_id: string; conversation_id: string },
  delivery: Delivery,
  received: { raw: Buffer; examined: ExaminedMessage; verdicts: Verdicts; sender_proof: SenderProof },
  recipients: Recipient[],
): InboundRow {
  const { message, authentication } = received.examined;
  // The time of the id itself, so that a list of emails since this time includes this one.
  const now = momentOf(ids.email_id).toISOString();
  const { organization_id, email_domain_id } = recipients[0]!.receiver;
  const addresses = recipients.map(({ address }) => address);
  const named = new Set([...message.to_addresses, ...message.cc_addresses].map(addressKey));
  const from_address = message.from_address ?? delivery.mail_from;
  return {
    id: ids.email_id,
    organization_id,
    conversation_id: ids.conversation_id,
    email_domain_id,
    direction: 'inbound',
    from_address,
    from_name: message.from_name,
    to_addresses: message.to_addresses,
    cc_addresses: message.cc_addresses,
    // Recipients of the envelope that the header does not name.
    bcc_addresses: addresses.filter((address) => !named.has(addressKey(address))),
    reply_to: message.reply_to,
    subject: message.subject,
    status: 'received',
    end_reason: null,
    last_outcome: null,
    provider: delivery.provider,
    provider_message_id: delivery.provider_message_id,
    requested_at: now,
    sent_at: null,
    failed_at: null,
    metadata: {},
    labels: [],
    folder: 'inbox',
    quarantine_reason: null,
    body_text: message.body_text,
    body_html: message.body_html,
    is_auto_reply: message.is_auto_reply,
    // Bounces and notices have an empty return path (RFC 5321 section 4.5.5).
    is_automatic: message.is_automatic || delivery.mail_from === '' || isProgramAddress(from_address),
    content_erased_at: null,
    message_id: message.message_id,
    in_reply_to: message.in_reply_to,
    references_ids: message.references_ids,
    spam_verdict: received.verdicts.spam,
    virus_verdict: received.verdicts.virus,
    dkim_verdict: received.verdicts.dkim,
    spf_verdict: received.verdicts.spf,
    dmarc_verdict: received.verdicts.dmarc,
    sender_proof: received.sender_proof,
    provider_received_at: now,
    last_event_at: now,
    raw_key: rawKey(ids.email_id),
    raw_bytes: received.raw.length,
    composition: null,
    thread_key: threadKey(message.subject, [from_address, ...message.to_addresses, ...message.cc_addresses]),
    send_deadline: null,
    idempotency_operation: null,
    idempotency_key: null,
    admission: null,
    hold: null,
    scheduled_at: null,
    terms: null,
    released_at: null,
    quarantine: null,
    dedupe_key: dedupeKey(message, now),
    arrival: {
      mail_from: clean(delivery.mail_from, limits.mailbox_chars),
      recipients: addresses,
      remote_address: delivery.peer?.remote_address ?? null,
      helo: delivery.peer ? clean(delivery.peer.helo, 255) : null,
      arc: authentication?.arc ?? 'none',
      authentication_results: authentication ? clean(authentication.results, 10_000) : null,
    },
  };
}

const hour_chars = '2026-06-06T12'.length;

/** Scripts and devices send alerts that differ only in their time. A repeated delivery comes sooner, or is stored as a second email. */
const dedupeKey = ({ dedupe_key, is_anonymous }: ExaminedMessage['message'], now: string): string =>
  is_anonymous ? `${dedupe_key} ${now.slice(0, hour_chars)}` : dedupe_key;

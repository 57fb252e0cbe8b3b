// Builds the row of a new outgoing email, in status queued.
import type { Mailbox } from '@parley/contract/schema/mailbox';
import type { EmailRow } from '../../store.ts';
import type { ResolvedRequest, SendRequest } from './resolve-request.ts';

export function newEmail(options: {
  id: string;
  organization_id: string;
  now_ms: number;
  send_deadline: Date;
  scheduled_at: string | null;
  provider: string;
  request: SendRequest;
  resolved: ResolvedRequest;
  idempotency: { operation: string; key: string } | null;
}): EmailRow {
  const { id, request, resolved, idempotency } = options;
  const { sender, recipients, thread } = resolved;
  return {
    id,
    organization_id: options.organization_id,
    // Field by field: V8 builds a literal that spreads another object many times more slowly.
    conversation_id: thread.conversation_id,
    in_reply_to: thread.in_reply_to,
    references_ids: thread.references_ids,
    email_domain_id: sender.id,
    direction: 'outbound',
    from_address: sender.address,
    from_name: request.from_name ?? request.from?.name ?? null,
    to_addresses: addressesOf(recipients.to),
    cc_addresses: addressesOf(recipients.cc),
    bcc_addresses: addressesOf(recipients.bcc),
    reply_to: request.reply_to?.address ?? null,
    subject: request.subject,
    status: 'queued',
    end_reason: null,
    last_outcome: 'queued',
    provider: options.provider,
    provider_message_id: null,
    requested_at: new Date(options.now_ms).toISOString(),
    sent_at: null,
    failed_at: null,
    metadata: request.metadata ?? {},
    labels: [...(request.labels ?? [])],
    folder: null,
    quarantine_reason: null,
    body_text: request.body_text ?? null,
    body_html: request.body_html ?? null,
    message_id: `<${id}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`,
    is_auto_reply: false,
    is_automatic: false,
    content_erased_at: null,
    spam_verdict: null,
    virus_verdict: null,
    dkim_verdict: null,
    spf_verdict: null,
    dmarc_verdict: null,
    sender_proof: null,
    provider_received_at: null,
    last_event_at: null,
    raw_key: null,
    composition: compositionNotes(request, resolved),
    thread_key: resolved.thread_key,
    send_deadline: options.send_deadline.toISOString(),
    idempotency_operation: idempotency?.operation ?? null,
    idempotency_key: idempotency?.key ?? null,
    admission: null,
    hold: null,
    scheduled_at: options.scheduled_at,
    terms: null,
    released_at: null,
  };
}

function compositionNotes(request: SendRequest, { recipients }: ResolvedRequest): EmailRow['composition'] {
  const has_html = request.body_html != null;
  const mailboxes = [...recipients.to, ...recipients.cc, ...(request.reply_to ? [request.reply_to] : [])];
  return {
    names: Object.fromEntries(mailboxes.flatMap(({ name, address }) => (name ? [[address, name]] : []))),
    headers: request.list_headers ? { ...request.headers, ...request.list_headers } : (request.headers ?? {}),
    track_opens: has_html && (request.track_opens ?? true),
    track_clicks: has_html && (request.track_clicks ?? true),
    list_unsubscribe: request.list_unsubscribe ?? false,
  };
}

const addressesOf = (mailboxes: Mailbox[]) => mailboxes.map((mailbox) => mailbox.address);

// An email and a batch in the form of Resend.
import type { EmailBatch } from '@parley/contract/channels/emails/email-batches';
import type { Email } from '@parley/contract/channels/emails/email-records';

export const presentResendEmail = (email: Email) => ({
  object: 'email',
  id: email.id,
  to: email.to_addresses,
  from: email.from_name ? `${email.from_name} <${email.from_address}>` : email.from_address,
  created_at: email.requested_at,
  subject: email.subject,
  html: email.body_html,
  text: email.body_text,
  bcc: email.bcc_addresses,
  cc: email.cc_addresses,
  reply_to: email.reply_to === null ? [] : [email.reply_to],
  message_id: email.message_id,
  last_event: lastEvent(email),
  scheduled_at: email.scheduled_at,
  tags: Object.entries(email.metadata).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ name, value }] : [],
  ),
});

function lastEvent({ hold, status, last_outcome }: Email): string {
  if (hold) return 'scheduled';
  return status === 'canceled' ? 'canceled' : (last_outcome ?? status);
}

/** `places`: where each email of the batch was in the request. `unreadable`: the others of the request. */
export function presentResendBatch(
  { items }: EmailBatch,
  places: readonly number[],
  unreadable: readonly { index: number; message: string }[],
) {
  const rejected = items.flatMap(({ index, error }) =>
    error === null ? [] : [{ index: places[index]!, message: error.detail }],
  );
  const errors = [...rejected, ...unreadable].sort((a, b) => a.index - b.index);
  return {
    data: items.flatMap(({ email_id }) => (email_id === null ? [] : [{ id: email_id }])),
    ...(errors.length > 0 ? { errors } : {}),
  };
}

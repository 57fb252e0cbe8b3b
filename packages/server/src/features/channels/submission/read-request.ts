// Makes the request to send an email from a submitted message and its envelope.

import { Metadata } from '@parley/contract/channels/emails/email-requests';
import { type Purpose, purposes, ScheduledAt } from '@parley/contract/rules/approvals/hold';
import { addressKey, type Mailbox } from '@parley/contract/schema/mailbox';
import type { SubmittedMessage } from '../../../protocols/mail/mime/read-submission.ts';
import type { SendRequest } from '../emails/index.ts';
import { replies } from './replies.ts';

export type Envelope = { from: string; to: readonly string[] };

const reason_chars = 500;

export function sendRequest(message: SubmittedMessage, envelope: Envelope): SendRequest {
  const { settings, message_id } = message;
  const scheduled_at = schedule(settings.scheduled_at ?? settings['scheduled-at']);
  const purpose = purposeOf(settings.purpose);
  return {
    from: message.from ?? { name: null, address: envelope.from },
    ...recipients(message, envelope),
    subject: message.subject,
    ...(message.reply_to ? { reply_to: message.reply_to } : {}),
    ...(message.in_reply_to ? { in_reply_to: message.in_reply_to } : {}),
    ...(message.body_html === null ? {} : { body_html: message.body_html }),
    // A message without any text is still a message.
    ...(message.body_text === null && message.body_html !== null
      ? {}
      : { body_text: message.body_text ?? '' }),
    list_headers: message.headers,
    metadata: {
      ...metadata(settings.metadata),
      ...(settings.reason ? { reason: settings.reason.slice(0, reason_chars) } : {}),
      ...(message_id ? { original_message_id: message_id } : {}),
    },
    ...(scheduled_at ? { scheduled_at } : {}),
    ...(purpose ? { purpose } : {}),
    track_opens: false,
    track_clicks: false,
  };
}

/** The envelope says who gets the message. Its addresses that no field shows are blind copies. */
function recipients(
  { to, cc }: SubmittedMessage,
  envelope: Envelope,
): Record<'to' | 'cc' | 'bcc', Mailbox[]> {
  const left = new Map(envelope.to.map((address) => [addressKey(address), address]));
  const take = (shown: Mailbox[]) => shown.filter(({ address }) => left.delete(addressKey(address)));
  const found = { to: take(to), cc: take(cc) };
  const hidden = [...left.values()].map((address): Mailbox => ({ name: null, address }));
  return { ...found, bcc: hidden };
}

function metadata(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    return Metadata.parse(JSON.parse(text));
  } catch {
    throw replies.badSetting('Metadata', 'Expected a JSON object of at most 16 KiB');
  }
}

function purposeOf(text: string | undefined): Purpose | undefined {
  if (text === undefined) return undefined;
  const found = purposes.find((each) => each === text.trim().toLowerCase());
  if (!found) throw replies.badSetting('Purpose', `Expected one of ${purposes.join(', ')}`);
  return found;
}

function schedule(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const found = ScheduledAt.safeParse(text.trim());
  if (!found.success) throw replies.badSetting('Scheduled-At', found.error.issues[0]!.message);
  return found.data;
}

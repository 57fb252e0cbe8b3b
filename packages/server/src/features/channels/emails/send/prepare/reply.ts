// Builds the send request of a reply: its recipients, sender and subject.
import type { EmailReply } from '@parley/contract/channels/emails/email-requests';
import { limits } from '@parley/contract/limits';
import { addressKey, type Mailbox, readMailbox } from '@parley/contract/schema/mailbox';
import { ApiError } from '../../../../../platform/http/api-error.ts';
import type { EmailRow } from '../../store.ts';
import { replySubject } from '../../threads.ts';
import type { SendRequest } from './resolve-request.ts';

/** `isOwn`: whether the organization can send from an address. */
export async function replyTo(
  email: EmailRow,
  reply: EmailReply,
  isOwn: (address: string) => Promise<boolean>,
): Promise<SendRequest> {
  const { recipient_consent: _, reply_all, subject, cc: more_cc, ...content } = reply;
  const recipients_before = [...email.to_addresses, ...email.cc_addresses];
  const inbound = email.direction === 'inbound';
  const mine = inbound ? await firstOwn(recipients_before, isOwn) : email.from_address;
  const to = inbound ? [email.reply_to ?? email.from_address] : email.to_addresses;
  const excluded = new Set([...to, ...(mine ? [mine] : [])].map(addressKey));
  const others = reply_all ? recipients_before.filter((address) => !excluded.has(addressKey(address))) : [];
  const recipients = { to: mailboxes(to), cc: [...mailboxes(others), ...(more_cc ?? [])] };
  checkCount(recipients.to.length + recipients.cc.length + (reply.bcc?.length ?? 0), reply);
  return {
    ...content,
    ...recipients,
    subject: subject ?? replySubject(email.subject),
    ...(mine ? { from: { name: null, address: mine } } : {}),
    ...(!mine && email.email_domain_id ? { email_domain_id: email.email_domain_id } : {}),
    answers: email,
  };
}

/** The contract checks only the recipients in the request; with those of the original email there may be too many. */
function checkCount(recipients: number, { reply_all, list_unsubscribe }: EmailReply): void {
  if (recipients > limits.email_recipients) {
    throw new ApiError('too_many_recipients', {
      detail: `The reply would go to ${recipients} recipients; at most ${limits.email_recipients} are allowed.`,
      path: reply_all ? 'body.reply_all' : 'body.cc',
    });
  }
  if (list_unsubscribe && recipients !== 1) {
    throw new ApiError('unsubscribe_needs_one_recipient', {
      detail: `The reply would go to ${recipients} recipients.`,
      path: 'body.list_unsubscribe',
    });
  }
}

export async function firstOwn(addresses: string[], isOwn: (address: string) => Promise<boolean>) {
  for (const address of addresses) if (await isOwn(address)) return address;
  return null;
}

function mailboxes(addresses: string[]): Mailbox[] {
  return addresses.map((text) => {
    const mailbox = readMailbox(text);
    if (!mailbox) {
      throw new ApiError('invalid_email_address', {
        detail: 'The email to answer has a sender that is not one address.',
        path: 'path.email_id',
      });
    }
    return mailbox;
  });
}

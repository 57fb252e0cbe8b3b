// Answers an email: to whom, from which address, under which subject.
import type { EmailReply } from '@parley/contract/emails';
import { limits } from '@parley/contract/limits';
import { addressKey, type Mailbox, readMailbox } from '@parley/contract/mailbox';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { EmailRow } from '../store.ts';
import { replySubject } from '../threads.ts';
import type { SendRequest } from './resolve-request.ts';

/** `own` tells which of the addresses are senders of the organization. */
export async function replyTo(
  email: EmailRow,
  reply: EmailReply,
  own: (address: string) => Promise<boolean>,
): Promise<SendRequest> {
  const { recipient_consent: _, reply_all, subject, cc: more, ...content } = reply;
  const everybody = [...email.to_addresses, ...email.cc_addresses];
  const inbound = email.direction === 'inbound';
  const mine = inbound ? await firstOwn(everybody, own) : email.from_address;
  const to = inbound ? [email.reply_to ?? email.from_address] : email.to_addresses;
  const taken = new Set([...to, ...(mine ? [mine] : [])].map(addressKey));
  const others = reply_all ? everybody.filter((address) => !taken.has(addressKey(address))) : [];
  const recipients = { to: mailboxes(to), cc: [...mailboxes(others), ...(more ?? [])] };
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

/** The contract sees only whom the reply itself names; with those of the email answered they may be too many. */
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

async function firstOwn(addresses: string[], own: (address: string) => Promise<boolean>) {
  for (const address of addresses) if (await own(address)) return address;
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

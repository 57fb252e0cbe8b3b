// Decides whether forwarding a message could cause a mail loop.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { ParsedMessage } from '../../../../../protocols/mail/mime/parse-message.ts';
import type { Receiver } from '../../../email-domains/index.ts';

/** A message with more Received fields than this is in a loop, whatever its other headers say. */
const max_hops = 25;

export function isForwardLoop(
  message: Pick<ParsedMessage, 'forward_marks' | 'hops' | 'is_auto_reply'>,
  { mail_from }: { mail_from: string },
  receiver: Receiver,
): boolean {
  return (
    message.forward_marks.some((mark) => mark.includes(receiver.email_domain_id)) ||
    message.hops > max_hops ||
    // Bounces and automatic replies: forwarding them may cause the next automatic reply.
    mail_from === '' ||
    message.is_auto_reply ||
    receiver.forward_to.some((address) => returnsTo(receiver, address))
  );
}

/** Whether mail to the address would come back to this domain directly. */
function returnsTo(receiver: Receiver, address: string): boolean {
  const key = addressKey(address);
  const at = key.lastIndexOf('@');
  if (key.slice(at + 1) !== receiver.domain) return false;
  return (
    receiver.kind === 'custom' ||
    key.slice(0, at).split('+', 2).join('+') === receiver.default_address.split('@')[0]
  );
}

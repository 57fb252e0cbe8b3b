// Tells whether passing a message on would send it in a circle, or answer a machine.
import { addressKey } from '@parley/contract/mailbox';
import type { ParsedMessage } from '../../../protocols/mail/mime/parse-message.ts';
import type { Receiver } from '../../email-domains/index.ts';

/** A letter that went through so many servers goes round in a circle, whatever its headers say. */
const forward_hops = 25;

export function isLoop(
  message: Pick<ParsedMessage, 'forward_marks' | 'hops' | 'is_auto_reply'>,
  { mail_from }: { mail_from: string },
  receiver: Receiver,
): boolean {
  return (
    message.forward_marks.some((mark) => mark.includes(receiver.email_domain_id)) ||
    message.hops > forward_hops ||
    // Bounces and answering machines: passed on, they would be answered again.
    mail_from === '' ||
    message.is_auto_reply ||
    receiver.forward_to.some((address) => isOwn(address, receiver))
  );
}

/** Whether mail to the address would come straight back to this domain. */
function isOwn(address: string, receiver: Receiver): boolean {
  const key = addressKey(address);
  const at = key.lastIndexOf('@');
  if (key.slice(at + 1) !== receiver.domain) return false;
  return (
    receiver.kind === 'custom' ||
    key.slice(0, at).split('+', 2).join('+') === receiver.default_address.split('@')[0]
  );
}

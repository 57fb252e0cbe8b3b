// Which conversation a message belongs to: that of the email it answers, or else one with the same subject and addresses.
import { hash } from 'node:crypto';
import { addressKey } from '@parley/contract/schema/mailbox';

export const conversation_days = 30;
const max_references = 50;

/** "Re: AW: [list] Fwd: Order" and "order" are one subject. */
export function plainSubject(subject: string): string {
  let text = subject.trim().replaceAll(/\s+/g, ' ');
  for (;;) {
    const shorter = text.replace(/^(re|aw|antw|sv|vs|r|res|rif|fwd?|wg|tr|rv|enc|i)(\[\d+\])?\s?:\s?/i, '');
    if (shorter === text) return text.toLowerCase();
    text = shorter;
  }
}

/** The same key for all messages with one subject between the same addresses, in both directions. */
export function threadKey(subject: string, addresses: string[]): string {
  const keys = [...new Set(addresses.map(addressKey))].sort();
  return hash('sha256', JSON.stringify([plainSubject(subject), keys]), 'base64url').slice(0, 22);
}

/** RFC 5322 section 3.6.4: the references of the answered message, then its own Message-ID. */
export function referencesFor(answered: { references_ids: string[]; message_id: string | null }): string[] {
  const all = answered.message_id
    ? [...answered.references_ids, answered.message_id]
    : answered.references_ids;
  // The first one is the root of the thread. From a very long list the middle is dropped.
  return all.length <= max_references ? all : [all[0]!, ...all.slice(1 - max_references)];
}

export const replySubject = (subject: string) => (/^re:/i.test(subject.trim()) ? subject : `Re: ${subject}`);

export const isMessageId = (text: string) => /^<[^\s<>@\p{C}]{1,240}@[^\s<>@\p{C}]{1,240}>$/u.test(text);

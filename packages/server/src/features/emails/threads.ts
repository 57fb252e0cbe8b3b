// Which conversation a message belongs to: what it answers, else its subject and people.
import { hash } from 'node:crypto';
import { addressKey } from '@parley/contract/mailbox';

export const conversation_days = 30;
const references_kept = 50;

/** "Re: AW: [list] Fwd: Order" and "order" are one subject. */
export function plainSubject(subject: string): string {
  let text = subject.trim().replaceAll(/\s+/g, ' ');
  for (;;) {
    const shorter = text.replace(/^(re|aw|antw|sv|vs|r|res|rif|fwd?|wg|tr|rv|enc|i)(\[\d+\])?\s?:\s?/i, '');
    if (shorter === text) return text.toLowerCase();
    text = shorter;
  }
}

/** The same for everybody who writes to and fro under one subject. */
export function threadKey(subject: string, people: string[]): string {
  const keys = [...new Set(people.map(addressKey))].sort();
  return hash('sha256', JSON.stringify([plainSubject(subject), keys]), 'base64url').slice(0, 22);
}

/** RFC 5322 section 3.6.4: the references of the message answered, then the message itself. */
export function referencesFor(answered: { references_ids: string[]; message_id: string | null }): string[] {
  const all = answered.message_id
    ? [...answered.references_ids, answered.message_id]
    : answered.references_ids;
  // The first one names the root of the thread; from a very long list the middle is dropped.
  return all.length <= references_kept ? all : [all[0]!, ...all.slice(1 - references_kept)];
}

export const replySubject = (subject: string) => (/^re:/i.test(subject.trim()) ? subject : `Re: ${subject}`);

export const isMessageId = (text: string) => /^<[^\s<>@\p{C}]{1,240}@[^\s<>@\p{C}]{1,240}>$/u.test(text);

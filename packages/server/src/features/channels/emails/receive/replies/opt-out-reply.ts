// Recognizes an email with which a person asks for no more emails.

import { isProven, senderProof } from '../../../../access/sender-proof/index.ts';
import { resemblesRefusal } from '../../../../rules/consents/index.ts';
import type { InboundRow } from '../store.ts';

const keyword = /^(please\s+)?(stop|stop all|unsubscribe(\s+me)?|opt[\s-]?(me\s+)?out|remove me)[\s.!]*$/;
// Narrow, because most emails are not about this: "please stop sending the report to Bob" must not stop anything.
const sentences = new RegExp(
  [
    /\bstop\s+(e-?mailing|mailing|contacting|messaging|writing( to)?|spamming)\s+(me|us|this address)\b/,
    /\bstop\s+sending\s+(me|us)\s+((any|more|these|your)\s+)*(e-?mails?|mails?|messages?|anything)\b/,
    /\b(do not|don't|dont|never)\s+(e-?mail|contact|message|write( to)?)\s+(me|us|this address)\b/,
    /\bunsubscribe\s+(me|us|this address)\b/,
    /\b(take|remove)\s+(me|us|my (e-?mail )?address|this address)\s+(off|from|out of)\s+(your|the|this)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
/** Where mail programs begin to quote the email that is answered. */
const quote = /^(>|On\b.{0,200}\bwrote:|-{2,}\s*Original Message|_{10,}|From:\s)/m;
const max_chars = 300;

type Reply = Pick<InboundRow, 'in_reply_to' | 'body_text' | 'dmarc_verdict'> &
  Partial<Pick<InboundRow, 'sender_proof'>>;

/**
 * The new words of a short reply; null for other messages, because a long one has more to say. A message whose sender failed
 * the checks proves nothing about the owner of the address.
 */
function newWords(reply: Reply): string | null {
  const { in_reply_to, body_text } = reply;
  if (in_reply_to === null || body_text === null || senderProof(reply) === 'failed') return null;
  const start = body_text.slice(0, 4 * max_chars);
  const at = quote.exec(start)?.index ?? start.length;
  const text = start.slice(0, at).trim().toLowerCase().replaceAll('’', "'").replaceAll(/\s+/g, ' ');
  return text.length <= max_chars ? text : null;
}

const isClear = (text: string) => keyword.test(text) || sentences.test(text);

export function isOptOutReply(reply: Reply): boolean {
  const text = newWords(reply);
  return text !== null && isProven(reply) && isClear(text);
}

/** Resembles a refusal and is none, or nothing proves who wrote it: a person decides. */
export function isSuspectedReply(reply: Reply): boolean {
  const text = newWords(reply);
  if (text === null) return false;
  return isClear(text) ? !isProven(reply) : resemblesRefusal(text);
}

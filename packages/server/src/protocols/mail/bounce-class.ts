// Judges a refusal: whether the address is dead (hard) or only this message, at this time, was not taken (soft).
import { domain_unanswered, domain_unknown } from './bounce-phrases/domain-unknown.ts';
import { probably_unknown } from './bounce-phrases/mailbox-probably-unknown.ts';
import { mailbox_disabled, mailbox_full, mailbox_suspended } from './bounce-phrases/mailbox-state.ts';
import { mailbox_unknown } from './bounce-phrases/mailbox-unknown.ts';
import { rate, temporary, too_large } from './bounce-phrases/message.ts';
import { our_host } from './bounce-phrases/our-host.ts';
import { policy } from './bounce-phrases/policy.ts';
import { hasPhrase, type PhraseTable, phraseTable, plainWords } from './bounce-phrases/words.ts';

export type BounceClass = { hard: boolean; bounce_type: string; bounce_sub_type: string };

const tables = {
  our_host,
  rate,
  policy,
  mailbox_full,
  too_large,
  mailbox_suspended,
  mailbox_disabled,
  domain_unanswered,
  domain_unknown,
  mailbox_unknown,
  temporary,
  probably_unknown,
} satisfies Record<string, PhraseTable>;
export type BounceReason = keyof typeof tables;

/**
 * A reply of a server: what it says of the sender, the message or the moment comes first, because such replies often repeat
 * the words of another one ("Sender verify failed: unknown user").
 */
const reply_order = Object.keys(tables) as BounceReason[];
/** A letter around the reply explains much that did not happen: what it says of the address comes first. */
const prose_order: BounceReason[] = [
  'mailbox_full',
  'too_large',
  'mailbox_unknown',
  'domain_unanswered',
  'domain_unknown',
  'mailbox_suspended',
  'mailbox_disabled',
  'rate',
  'temporary',
  'our_host',
  'policy',
  'probably_unknown',
];

/** Exchange Online refuses with these words who is not in its directory. */
const unknown_at_exchange_online = phraseTable('recipient address rejected access denied');
/** These carriers tell the senders whom a person's own filter refuses that there is no such person, after the message. */
const filtering_carriers = /\b(docomo\.ne|ezweb\.ne|au|softbank(\.ne)?|vodafone\.ne|disney\.ne)\.(jp|com)\b/i;
const after_data = phraseTable(`
in reply to end of data
in reply to data
after end of data
after data
after i sent the message
`);

function reasonIn(text: string, order: BounceReason[], code: string | null): BounceReason | null {
  if (text.trim() === '') return null;
  const words = plainWords(text);
  if (code === '5.4.1' && hasPhrase(words, unknown_at_exchange_online)) return 'mailbox_unknown';
  const found = order.find((reason) => hasPhrase(words, tables[reason])) ?? null;
  if (found === 'mailbox_unknown' && filtering_carriers.test(text) && hasPhrase(words, after_data)) {
    return 'policy';
  }
  return found;
}

const hard: BounceClass = { hard: true, bounce_type: 'Permanent', bounce_sub_type: 'NoEmail' };
const rejected: BounceClass = { hard: false, bounce_type: 'Permanent', bounce_sub_type: 'ContentRejected' };
const transient = (bounce_sub_type: string): BounceClass => ({
  hard: false,
  bounce_type: 'Transient',
  bounce_sub_type,
});
const undetermined: BounceClass = {
  hard: false,
  bounce_type: 'Undetermined',
  bounce_sub_type: 'Undetermined',
};

const soft_classes: Partial<Record<BounceReason, BounceClass>> = {
  our_host: rejected,
  policy: rejected,
  rate: transient('General'),
  mailbox_full: transient('MailboxFull'),
  too_large: transient('MessageTooLarge'),
  mailbox_suspended: transient('General'),
  domain_unanswered: transient('General'),
  temporary: transient('General'),
};

/** What a code of RFC 3463 or RFC 5321 says where no words do. */
function classOfCode(code: string | null, reply: string | null): BounceClass {
  if (code === '5.2.2') return transient('MailboxFull');
  if (code === '5.2.3' || code === '5.3.4') return transient('MessageTooLarge');
  if (/^5\.[67]\.|^5\.1\.[78]$/.test(code ?? '')) return rejected;
  if (/^5\.1\.(0|1|2|3|6|10)$|^5\.2\.1$|^5\.4\.4$/.test(code ?? '')) return hard;
  if (code === null && reply === '552') return transient('MailboxFull');
  if (code === null && reply === '556') return hard;
  return undetermined;
}

/** Codes that name a dead address: what a letter says below of scanners and policies in general is no reply to this message. */
const names_address = /^5\.1\.(1|2|3|6|10)$/;
const general_reasons: BounceReason[] = ['policy', 'our_host', 'temporary'];

const specific_order = prose_order.filter((reason) => !general_reasons.includes(reason));

/** Codes that say something else than that the address is dead, more clearly than a guess at the words could. */
const rules_out_address = /^5\.(1\.[78]|2\.[23]|3\.4|5\.4)$/;
const rules_out_guesses = /^5\.(1\.[4578]|2\.[0234]|3\.\d+|4\.[2356]|6\.\d+|7\.\d+)$/;

export type Refusal = {
  /** An enhanced code such as 5.1.1, where the report has a field for it. */
  status: string | null;
  /** The reply of the server that refused. */
  reply: string;
  /** The report's own letter, without the message that it returns. */
  prose?: string;
};

/**
 * A permanent code alone says little: most are about policy. The words decide over a code where they speak of rate,
 * reputation, policy, space or the sending host; a code decides where there are no words.
 */
export function classifyRefusal({ status, reply, prose = '' }: Refusal): BounceClass {
  const answers = replyLines(prose);
  const said = reply.trim() === '' ? answers : reply;
  const code = specificCode(status, enhancedCode(said));
  const reply_code = replyCode(said);
  const of_reply = reasonIn(reply, reply_order, code) ?? reasonIn(answers, reply_order, code);
  const order = code && names_address.test(code) ? specific_order : prose_order;
  const reason = of_reply ?? reasonIn(prose, order, code);
  if (code?.startsWith('4') || (reply_code?.startsWith('4') && !code?.startsWith('5.1.'))) {
    return transient(reason === 'mailbox_full' || code === '4.2.2' ? 'MailboxFull' : 'General');
  }
  if (reason === null) return classOfCode(code, reply_code);
  const soft = soft_classes[reason];
  if (soft) return soft;
  const is_guess = of_reply === null || reason === 'probably_unknown';
  if (code && (is_guess ? rules_out_guesses : rules_out_address).test(code)) {
    return classOfCode(code, reply_code);
  }
  return hard;
}

/** The same for a reply that stands alone. */
export const classifyBounce = (status: string | null, words: string): BounceClass =>
  classifyRefusal({ status, reply: words });

export const enhancedCode = (words: string): string | null =>
  /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(words.slice(0, 2000))?.[1] ?? null;

const replyCode = (words: string): string | null =>
  /(?:^|[^\d.])([245]\d\d)(?:[ -]|$)/.exec(words.slice(0, 300))?.[1] ?? null;

/** A status of x.0.0 says nothing; the reply often has the real one. */
const specificCode = (status: string | null, in_reply: string | null): string | null =>
  status === null || (/^[245]\.0\.0$/.test(status) && in_reply !== null) ? in_reply : status;

const reply_line =
  /(^|[^\d.])[45]\d\d[ -]\D|(^|[^\d.])[45]\.\d{1,3}\.\d{1,3}($|[^\d.])|^\s*<<<|\bsaid:|\b(reason|error|diagnos\w*|because|rejected|refused|connected to)\b/i;
const max_reply_lines = 40;

/** The lines of a letter that quote a server, each with those that continue it. */
function replyLines(prose: string): string {
  const kept: string[] = [];
  let continues = 0;
  for (const line of prose.slice(0, 20_000).split('\n')) {
    if (kept.length >= max_reply_lines) break;
    if (line.trim() === '') continues = 0;
    else if (/^\s*>>>/.test(line)) continues = 0;
    else if (reply_line.test(line)) continues = 4;
    if (continues-- > 0 && line.trim() !== '') kept.push(line);
  }
  return kept.join('\n');
}

// Classifies a refusal by a mail server: a hard bounce (the address does not work) or a soft one (only this message failed, now).
import { domain_unanswered, domain_unknown } from './bounce-phrases/domain-unknown.ts';
import { probably_unknown } from './bounce-phrases/mailbox-probably-unknown.ts';
import { mailbox_disabled, mailbox_full, mailbox_suspended } from './bounce-phrases/mailbox-state.ts';
import { mailbox_unknown } from './bounce-phrases/mailbox-unknown.ts';
import { rate, temporary, too_large } from './bounce-phrases/message.ts';
import { our_host } from './bounce-phrases/our-host.ts';
import { hasPhrase, normalizeText, type PhraseTable, phraseTable } from './bounce-phrases/phrase-table.ts';
import { policy } from './bounce-phrases/policy.ts';

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
 * The order in which reasons are tried on an SMTP reply. Reasons about the sender, the message or a temporary state come first:
 * such replies often quote a phrase of another reason ("Sender verify failed: unknown user").
 */
const reply_reason_order = Object.keys(tables) as BounceReason[];
/**
 * The order for the text of a bounce message around the reply. Reasons about the address come first, because such text also
 * explains problems in general that did not happen here.
 */
const prose_reason_order: BounceReason[] = [
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

/** Exchange Online uses this text for a recipient that is not in its directory. */
const unknown_at_exchange_online = phraseTable('recipient address rejected access denied');
/** When the recipient's own filter refuses a message, these carriers reply "user unknown" after they received the message. */
const filtering_carriers = /\b(docomo\.ne|ezweb\.ne|au|softbank(\.ne)?|vodafone\.ne|disney\.ne)\.(jp|com)\b/i;
const after_data_phrases = phraseTable(`
in reply to end of data
in reply to data
after end of data
after data
after i sent the message
`);

function reasonIn(text: string, order: BounceReason[], code: string | null): BounceReason | null {
  if (text.trim() === '') return null;
  const normalized = normalizeText(text);
  if (code === '5.4.1' && hasPhrase(normalized, unknown_at_exchange_online)) return 'mailbox_unknown';
  const found = order.find((reason) => hasPhrase(normalized, tables[reason])) ?? null;
  if (
    found === 'mailbox_unknown' &&
    filtering_carriers.test(text) &&
    hasPhrase(normalized, after_data_phrases)
  ) {
    return 'policy';
  }
  return found;
}

const hard_bounce: BounceClass = { hard: true, bounce_type: 'Permanent', bounce_sub_type: 'NoEmail' };
const content_rejected: BounceClass = {
  hard: false,
  bounce_type: 'Permanent',
  bounce_sub_type: 'ContentRejected',
};
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
  our_host: content_rejected,
  policy: content_rejected,
  rate: transient('General'),
  mailbox_full: transient('MailboxFull'),
  too_large: transient('MessageTooLarge'),
  mailbox_suspended: transient('General'),
  domain_unanswered: transient('General'),
  temporary: transient('General'),
};

/** The class by status code alone (RFC 3463, RFC 5321), for a reply whose text has no known phrase. */
function classOfCode(code: string | null, reply: string | null): BounceClass {
  if (code === '5.2.2') return transient('MailboxFull');
  if (code === '5.2.3' || code === '5.3.4') return transient('MessageTooLarge');
  if (/^5\.[67]\.|^5\.1\.[78]$/.test(code ?? '')) return content_rejected;
  if (/^5\.1\.(0|1|2|3|6|10)$|^5\.2\.1$|^5\.4\.4$/.test(code ?? '')) return hard_bounce;
  if (code === null && reply === '552') return transient('MailboxFull');
  if (code === null && reply === '556') return hard_bounce;
  return undetermined;
}

/** Codes that say the address does not exist. General text about scanners and policies in the bounce message is then ignored. */
const names_address = /^5\.1\.(1|2|3|6|10)$/;
const general_reasons: BounceReason[] = ['policy', 'our_host', 'temporary'];

const specific_order = prose_reason_order.filter((reason) => !general_reasons.includes(reason));

/** Codes with another clear meaning: the address exists. `rules_out_guesses` lists those that only overrule a weak phrase match. */
const rules_out_address = /^5\.(1\.[78]|2\.[23]|3\.4|5\.4)$/;
const rules_out_guesses = /^5\.(1\.[4578]|2\.[0234]|3\.\d+|4\.[2356]|6\.\d+|7\.\d+)$/;

export type Refusal = {
  /** An enhanced status code such as 5.1.1, if the report has a field for it. */
  status: string | null;
  /** The reply of the server that refused the message. */
  reply: string;
  /** The text of the bounce message, without the returned original. */
  prose?: string;
};

/**
 * A permanent code alone says little, because servers also use it for policy. So the text wins over the code when it names
 * rate, reputation, policy, space or the sending host. The code decides only when the text has no known phrase.
 */
export function classifyRefusal({ status, reply, prose = '' }: Refusal): BounceClass {
  const quoted_replies = replyLines(prose);
  const reply_text = reply.trim() === '' ? quoted_replies : reply;
  const code = specificCode(status, enhancedCode(reply_text));
  const reply_code = replyCode(reply_text);
  const reply_reason =
    reasonIn(reply, reply_reason_order, code) ?? reasonIn(quoted_replies, reply_reason_order, code);
  const order = code && names_address.test(code) ? specific_order : prose_reason_order;
  const reason = reply_reason ?? reasonIn(prose, order, code);
  if (code?.startsWith('4') || (reply_code?.startsWith('4') && !code?.startsWith('5.1.'))) {
    return transient(reason === 'mailbox_full' || code === '4.2.2' ? 'MailboxFull' : 'General');
  }
  if (reason === null) return classOfCode(code, reply_code);
  const soft = soft_classes[reason];
  if (soft) return soft;
  const is_guess = reply_reason === null || reason === 'probably_unknown';
  if (code && (is_guess ? rules_out_guesses : rules_out_address).test(code)) {
    return classOfCode(code, reply_code);
  }
  return hard_bounce;
}

/** Classifies an SMTP reply that did not come in a bounce message. */
export const classifyBounce = (status: string | null, reply: string): BounceClass =>
  classifyRefusal({ status, reply });

export const enhancedCode = (text: string): string | null =>
  /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(text.slice(0, 2000))?.[1] ?? null;

const replyCode = (text: string): string | null =>
  /(?:^|[^\d.])([245]\d\d)(?:[ -]|$)/.exec(text.slice(0, 300))?.[1] ?? null;

/** The status x.0.0 means "undefined" (RFC 3463); the reply often contains a more specific code. */
const specificCode = (status: string | null, in_reply: string | null): string | null =>
  status === null || (/^[245]\.0\.0$/.test(status) && in_reply !== null) ? in_reply : status;

const reply_line =
  /(^|[^\d.])[45]\d\d[ -]\D|(^|[^\d.])[45]\.\d{1,3}\.\d{1,3}($|[^\d.])|^\s*<<<|\bsaid:|\b(reason|error|diagnos\w*|because|rejected|refused|connected to)\b/i;
const max_reply_lines = 40;

/** The lines of a bounce message that quote a server's reply, with up to three continuation lines each. */
function replyLines(prose: string): string {
  const lines: string[] = [];
  let remaining = 0;
  for (const line of prose.slice(0, 20_000).split('\n')) {
    if (lines.length >= max_reply_lines) break;
    if (line.trim() === '') remaining = 0;
    else if (/^\s*>>>/.test(line)) remaining = 0;
    else if (reply_line.test(line)) remaining = 4;
    if (remaining-- > 0 && line.trim() !== '') lines.push(line);
  }
  return lines.join('\n');
}

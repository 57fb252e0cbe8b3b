// Judges a refusal: whether the address is dead (hard) or only this message, at this time, was not taken (soft).

export type BounceClass = { hard: boolean; bounce_type: string; bounce_sub_type: string };

const hard: BounceClass = { hard: true, bounce_type: 'Permanent', bounce_sub_type: 'NoEmail' };
const soft = (bounce_sub_type: string): BounceClass => ({
  hard: false,
  bounce_type: 'Transient',
  bounce_sub_type,
});

/** Said of the message or its sender; the address may be perfectly fine. */
const about_message =
  /\b(spam|spf|dkim|dmarc|polic(y|ies)|blocked|block ?list|blacklist(ed)?|rbl|reputation|greylist\w*|banned|virus|content rejected|not authenticated|relay(ing)?( access)? denied)\b|listed (at|by|in|on)\b/i;
/** Said of the address it came from, or of the host that brought it. */
const about_us =
  /\bsender('s)? (address|domain|e-?mail|verif\w*|reject\w*|denied|refused|unknown|not|is)\b|\bafter mail from\b|\breverse (dns|lookup)\b|\bptr record\b|\byour (ip|host|server|domain)\b|\b(helo|ehlo)\b.{0,40}\b(reject\w*|invalid|not found)\b|\bip (address )?\[?[\da-f.:]+\]?.{0,40}\b(reject\w*|den(y|ied)|refused|not allowed)\b/i;
const full = /\b(quota|mailbox (is )?full|over ?quota|insufficient (system )?storage|not enough space)\b/i;
const too_large = /\b(too (large|big)|size (limit|exceed\w*)|exceeds .{0,30}size)\b/i;
const unknown_user =
  /\b(user|recipient|mailbox|account|address|local ?part|alias)\b.{0,40}\b(unknown|not found|does(n.t| not) exist|invalid|unavailable|no longer|inactive|disabled|deleted|rejected|undeliverable)\b|\b(unknown|no such|invalid|nonexistent|bad destination)\b.{0,20}\b(user|recipient|mailbox|account|address|person|domain)\b|\bno mailbox\b|\bhost (or domain name )?not found\b|\bdomain (name )?not found\b/i;

/**
 * A permanent code alone says little: most are about policy. Dead addresses are those that RFC 3463 class 5.1 names,
 * or that the server's own words call unknown. `status` is an enhanced code such as 5.1.1; a reply code may stand in.
 */
export function classifyBounce(status: string | null, words: string): BounceClass {
  const code = status ?? enhancedCode(words);
  if (code?.startsWith('4') || (!code && /\b4\d\d\b/.test(words.slice(0, 12)))) {
    return soft(full.test(words) || code === '4.2.2' ? 'MailboxFull' : 'General');
  }
  if (/^5\.2\.2$/.test(code ?? '') || full.test(words)) return soft('MailboxFull');
  if (/^5\.(2\.3|3\.4)$/.test(code ?? '') || too_large.test(words)) return soft('MessageTooLarge');
  if (/^5\.(7|6)\.|^5\.1\.[78]$/.test(code ?? '') || about_message.test(words) || about_us.test(words)) {
    return { hard: false, bounce_type: 'Permanent', bounce_sub_type: 'ContentRejected' };
  }
  if (/^5\.1\.(0|1|2|3|6|10)$/.test(code ?? '') || /^5\.2\.1$/.test(code ?? '')) return hard;
  if (unknown_user.test(words)) return hard;
  return { hard: false, bounce_type: 'Undetermined', bounce_sub_type: 'Undetermined' };
}

export const enhancedCode = (words: string): string | null =>
  /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/.exec(words.slice(0, 2000))?.[1] ?? null;

// Finds where a quoted message begins by its divider ("-----Original Message-----") or by its headers ("From: … Sent: …").
import { type HeaderRole, header_names } from './header-names.ts';
import type { Line } from './lines.ts';
import { bare_dividers, dividers } from './quote-phrases.ts';

const max_header_lines = 18;
const max_line_chars = 600;

const roles = new Map<string, HeaderRole>();
for (const [role, names] of Object.entries(header_names) as [HeaderRole, readonly string[]][])
  for (const name of names) if (!roles.has(name)) roles.set(name, role);

/** Removes invisible direction marks, which Outlook writes into headers. */
export const plain = (text: string): string =>
  text
    .slice(0, max_line_chars)
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();

const divider_phrases = new Set([...dividers, ...bare_dividers]);
const divider_line = /^[\s>*_|]*([-‐‑=_—–]{2,})\s*([^-‐‑=_—–][^=_—–]{2,80}?)\s*[-‐‑=_—–]{2,}[\s*]*$/u;
/** Yahoo writes the headers directly after the divider. */
const divider_start = /^[\s>]*-{5}\s([^-]{3,60})\s-{5}\s*\p{L}[\p{L}\s]{0,20}[:：]/u;
/** Lower case with single spaces. The lower case of the Turkish capital "İ" has two characters. */
const normal = (text: string) =>
  text.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i').replaceAll(/\s+/gu, ' ').trim();

/** Help desks ask to reply above a line. */
const reply_above =
  /^[\s#=*_-]*(?:(?:please )?(?:type|write|reply|respond)[^\n]{0,40} above (?:this|the) line|(?:bitte )?antworten sie (?:über|oberhalb) dieser (?:zeile|linie)|répondez au[- ]dessus de cette ligne|(?:por favor,? )?(?:escriba|responda)[^\n]{0,30} (?:encima|por encima) de esta línea)[\s#=*_.-]*$/iu;

/** David by Tobit writes its headers without colons below this line. */
const david = /^original message processed by david®?$/iu;

/** A line such as "-----Original Message-----" or "Begin forwarded message:". */
export function isDivider(text: string): boolean {
  const line = plain(text);
  const start_title = divider_start.exec(line)?.[1];
  if (start_title !== undefined) return divider_phrases.has(normal(start_title));
  if (text.length > 160) return false;
  const title = divider_line.exec(line)?.[2];
  if (title !== undefined) {
    const phrase = normal(title);
    return (
      divider_phrases.has(phrase) ||
      /^(?:original|forwarded) (?:message|mail|e-?mail) /u.test(phrase) ||
      phrase.startsWith('forwarded by ')
    );
  }
  if (reply_above.test(line) || david.test(line)) return true;
  const bare = /^[\s>*]*([^:：]{8,60})\s*[:：]\s*$/u.exec(line)?.[1];
  return bare !== undefined && bare_dividers.includes(normal(bare));
}

/** The same phrase without dashes or colon. It is a divider only if a message follows. */
export function isPossibleDivider(text: string): boolean {
  if (text.length > 80) return false;
  const bare = /^[\s>*_]*([^:：*_]{4,60})[*_\s]*[:：]?[*_\s]*$/u.exec(plain(text))?.[1];
  return bare !== undefined && divider_phrases.has(normal(bare));
}

/** A line of dashes, underscores or stars only, as mail programs draw it above a quotation. */
export const isRule = (text: string): boolean => /^\s*(?:[-‐‑_=—–*]\s?){3,}$/u.test(text);

type Header = { role: HeaderRole; value: string };

const header_form = /^[\s>*_|]*([\p{L}][\p{L}\p{M}\s/’'-]{0,24}?)(?:\s\(cc\))?[\s*_]*[:：][\s*_]*(.*)$/iu;

/** Cached by line, because a block of headers is searched from each of its lines. */
const read_headers = new WeakMap<Line, Header | null>();

function headerOf(line: Line): Header | null {
  const { text } = line;
  const first = text.slice(0, 40);
  if (!first.includes(':') && !first.includes('：')) return null;
  let header = read_headers.get(line);
  if (header === undefined) {
    const match = header_form.exec(plain(text));
    const role = match ? roles.get(normal(match[1]!)) : undefined;
    header = role ? { role, value: match![2]! } : null;
    read_headers.set(line, header);
  }
  return header;
}

const hasDate = (value: string) => /\d/u.test(value);

/** "Sent: … 12:00" is used only for messages, "Date: …" also for travel and meetings. */
const sent_names =
  /^[\s>*_|]*(?:sent|gesendet|envoyé|enviad[oa]s?|inviat[oa]|verzonden|skickat|sendt|lähetetty|wysłano|odesláno|отправлено|надіслано|elküldve|trimis|gönderildi|送信日時|发送时间|發送時間|傳送時間|寄件日期|보낸 날짜)(?![\p{L}\p{N}])/iu;
const saysWhenSent = (line: string) => sent_names.test(line) && /\d{1,2}[:.]\d{2}/u.test(line);
/** The format of the Date header, with the time zone. */
const wire_date = /\d{1,2} \p{L}{3} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}/u;

/** If the headers of a quoted message begin on this line: the number of the line after them. Otherwise null. */
export function headersEnd(lines: readonly Line[], start: number, is_below_divider: boolean): number | null {
  const first = headerOf(lines[start]!);
  if (!first) return null;
  if (allInOneLine(lines[start]!.text, first)) return start + 1;
  const seen = new Set<HeaderRole>();
  let count = 0;
  let has_address = false;
  let has_date = false;
  let is_sent = false;
  let is_wire_date = false;
  let end = start;
  let other_lines = 0;
  for (let at = start; at < Math.min(lines.length, start + max_header_lines); at++) {
    const { text } = lines[at]!;
    const header = headerOf(lines[at]!);
    if (header) {
      count++;
      other_lines = 0;
      end = at + 1;
      seen.add(header.role);
      if (header.role === 'date') {
        has_date ||= hasDate(header.value || (lines[at + 1]?.text ?? ''));
        is_sent ||= saysWhenSent(plain(text));
        is_wire_date ||= wire_date.test(header.value);
      }
    } else if (++other_lines > 2) break;
    // An address may be in the continuation line of a header; lines after the last header do not count.
    if (/@/u.test(text) && (header || other_lines <= 1))
      has_address ||= end === at + 1 || followedByHeader(lines, at);
  }
  if (is_below_divider) return seen.has('from') || (has_address && seen.has('to')) ? end : null;
  // Web forms also put From, Date and Subject above a text. Only a quoted message also has its recipient.
  const is_message = seen.has('to') && (seen.has('from') || has_address);
  const is_complete =
    (has_date && (seen.has('subject') || has_address || is_sent) && count >= 3) ||
    (is_wire_date && has_address) ||
    (seen.size >= 4 && seen.has('date') && seen.has('subject') && has_address);
  return is_message && is_complete ? end : null;
}

const followedByHeader = (lines: readonly Line[], at: number): boolean =>
  [lines[at + 1], lines[at + 2]].some((line) => line !== undefined && headerOf(line) !== null);

/** "From: Ana <ana@example.com> Sent: Tuesday 12:00 To: Bob Subject: Re: x", where the line breaks were lost. */
function allInOneLine(text: string, first: Header): boolean {
  if ((first.role !== 'from' && first.role !== 'date') || text.length < 30) return false;
  const line = plain(text);
  const seen = new Set<HeaderRole>();
  for (const [, name] of line.matchAll(/(?:^|[\s*])(\p{L}[\p{L}\p{M}]{0,15})\s?[:：]/gu)) {
    const role = roles.get(normal(name!));
    if (role) seen.add(role);
  }
  if (!seen.has('from') || !seen.has('date')) return false;
  return seen.has('to') && (seen.has('subject') || line.includes('@'));
}

// Splits a report into its own text, its machine-readable fields, and the message that it returns.
import PostalMime, { type Email as ParsedMail } from 'postal-mime';
import { htmlToText } from '../../../../../protocols/html/text.ts';

export type ReportParts = {
  /** The raw value of a header field; empty if there is none. */
  header(name: string): string;
  from: { name: string; address: string };
  subject: string;
  date: string | null;
  /** The media type of the whole message, such as multipart/report. */
  type: string;
  report_type: string;
  /** The report's own text. It may still end with a copy of the message. */
  text: string;
  status: string | null;
  feedback: string | null;
  /** The message that came back, or its headers. */
  original: string | null;
  is_receipt: boolean;
};

/** A report is small; a larger one returns the whole message, which is not needed. */
const max_bytes = 2 * 1024 * 1024;
const max_text_bytes = 256 * 1024;
/** More than are read of a text or of the fields. The parser takes its time for each line, also for an empty one. */
const max_part_lines = 3000;
const max_parts = 50;
const max_depth = 4;

const options = {
  attachmentEncoding: 'utf8',
  forceRfc822Attachments: true,
  maxNestingDepth: 30,
  maxHeadersSize: 256 * 1024,
} as const;

const status_types = ['message/delivery-status', 'message/global-delivery-status'];
const original_types = [
  'message/rfc822',
  'message/global',
  'message/partial',
  'message/rfc822-headers',
  'message/global-headers',
  'text/rfc822-headers',
  'text/rfc822-header',
];

/** Null for a message that cannot be parsed. */
export async function readParts(raw: Buffer): Promise<ReportParts | null> {
  const message = withLineFeeds(raw.subarray(0, max_bytes).toString('latin1'));
  const [head] = divide(message);
  const top = await parse(`${head}\n\n`);
  if (!top) return null;
  const header = (name: string) => top.headers.find((each) => each.key === name)?.value ?? '';
  const found: Found = { texts: [], status: [], feedback: null, original: null, is_receipt: false };
  await collect(message, found, max_depth);
  const content_type = header('content-type');
  return {
    header,
    from: senderOf(top, header('from')),
    subject: top.subject ?? '',
    date: top.date ?? null,
    type: typeOf(content_type),
    report_type: /report-type\s*=\s*"?([\w-]{1,80})/i.exec(content_type)?.[1]?.toLowerCase() ?? '',
    text: found.texts.join('\n\n'),
    status: found.status.length === 0 ? null : found.status.join('\n\n'),
    feedback: found.feedback,
    original: found.original,
    is_receipt: found.is_receipt,
  };
}

type Found = {
  texts: string[];
  status: string[];
  feedback: string | null;
  original: string | null;
  is_receipt: boolean;
};

async function collect(part: string, found: Found, depth: number): Promise<void> {
  const [head, body] = divide(part);
  const content_type = headerIn(head, 'content-type');
  const type = typeOf(content_type);
  const boundary = /boundary\s*=\s*(?:"([^"]{1,300})"|([^\s;]{1,300}))/i.exec(content_type);
  // The MIME parser chooses between alternatives of one text.
  if (boundary && /^multipart\/(?!alternative|related)/.test(type) && depth > 0) {
    const inner = partsOf(body, boundary[1] ?? boundary[2]!);
    for (const each of inner) await collect(each, found, depth - 1);
    if (inner.length > 0) return;
    // The boundary does not occur, so the body is read as plain text.
    return collectText(`Content-Type: text/plain\n\n${body}`, found);
  }
  const is_inner = depth < max_depth;
  if (is_inner && /^(received|return-path|message-id):/im.test(head)) found.original ??= part;
  else if (type === 'message/disposition-notification') found.is_receipt = true;
  else if (status_types.includes(type)) found.status.push((await textOf(part)) ?? '');
  else if (type === 'message/feedback-report') found.feedback ??= (await textOf(part)) ?? '';
  else if (original_types.includes(type)) found.original ??= (await textOf(part)) ?? '';
  else if (type === '' || /^(text|multipart)\//.test(type)) await collectText(part, found);
}

/** Text after the fields or after the returned message belongs to that message, not to the report. */
async function collectText(part: string, found: Found): Promise<void> {
  const text = (await textOf(part.slice(0, max_text_bytes)))?.trim() ?? '';
  if (text === '') return;
  const is_status = /^(reporting-mta|final-recipient|original-recipient|original-envelope-id):/i.test(text);
  if (is_status && found.texts.length > 0) found.status.push(text);
  else if (found.status.length === 0 && found.original === null) found.texts.push(text);
}

const parse = (message: string): Promise<ParsedMail | null> =>
  PostalMime.parse(Buffer.from(message, 'latin1'), options).catch(() => null);

async function textOf(part: string): Promise<string | null> {
  const mail = await parse(part.split('\n', max_part_lines).join('\n'));
  if (!mail) return null;
  if (mail.text) return mail.text;
  // Plain text that is labeled as HTML keeps its line breaks.
  if (mail.html && !/<\/?[a-z][^<>]{0,500}>/i.test(mail.html)) return mail.html;
  if (mail.html) return htmlToText(mail.html, { max_chars: max_text_bytes });
  const content = mail.attachments[0]?.content;
  if (content === undefined) return '';
  return typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString('utf8');
}

/** Undoes the changes of programs that store mail in files: line ends, and the "From " line of mbox. */
function withLineFeeds(message: string): string {
  const lines = message.includes('\n') ? message.replaceAll('\r\n', '\n') : message.replaceAll('\r', '\n');
  return lines.replace(/^\n+/, '').replace(/^>?From [^\n:]*(?: [^\n]*)?\n/, '');
}

function divide(part: string): [head: string, body: string] {
  if (part.startsWith('\n')) return ['', part.slice(1)];
  const end = part.indexOf('\n\n');
  return end === -1 ? [part, ''] : [part.slice(0, end), part.slice(end + 2)];
}

function partsOf(body: string, boundary: string): string[] {
  const line = `\n--${boundary}`;
  const text = `\n${body}`;
  const parts: string[] = [];
  let start = -1;
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    if (start !== -1) parts.push(text.slice(start, at));
    const end = text.indexOf('\n', at + line.length);
    const is_last = text.startsWith('--', at + line.length);
    if (is_last || end === -1 || parts.length >= max_parts) return parts;
    start = end + 1;
  }
  if (start !== -1) parts.push(text.slice(start));
  return parts;
}

function headerIn(head: string, name: string): string {
  const lines = head.slice(0, 64 * 1024).split('\n');
  const at = lines.findIndex((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`);
  if (at === -1) return '';
  let end = at + 1;
  while (end < lines.length && /^[ \t]/.test(lines[end]!)) end++;
  return lines
    .slice(at, end)
    .join(' ')
    .slice(name.length + 1)
    .trim();
}

const typeOf = (content_type: string): string =>
  /^\s*([\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80})/.exec(content_type)?.[1]?.toLowerCase() ?? '';

/** "MAILER-DAEMON <>" and "MAILER-DAEMON" have a name but no address. */
const senderOf = (mail: ParsedMail, written: string) => ({
  name: mail.from?.name || (mail.from?.address ? '' : written.replaceAll(/[<>"]/g, '').trim()),
  address: mail.from?.address ?? '',
});

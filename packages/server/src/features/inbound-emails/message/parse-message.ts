// Reads a raw message: people, subject, bodies, attachments, and what its headers tell about its journey.
import { createHash } from 'node:crypto';
import { limits } from '@parley/contract/limits';
import PostalMime, { type Address, type Attachment, type Email as Parsed } from 'postal-mime';
import { type Piece, restored, withoutLongBodies } from './long-bodies.ts';
import { tnefFiles } from './tnef.ts';

export type ParsedPart = { filename: string; content_type: string; pieces: Piece[] };

export type ParsedMessage = {
  from_address: string | null;
  from_name: string | null;
  to_addresses: string[];
  cc_addresses: string[];
  reply_to: string | null;
  subject: string;
  message_id: string | null;
  in_reply_to: string | null;
  references_ids: string[];
  body_text: string | null;
  body_html: string | null;
  attachments: ParsedPart[];
  is_auto_reply: boolean;
  /** A delivery status notification or a complaint (RFC 6522). */
  is_report: boolean;
  hops: number;
  /** Marks of our own forwarding that the message carries. */
  forward_marks: string[];
  /** The same for every delivery of one message. */
  dedupe_key: string;
};

/** A message that is taken for an attack or an accident: refused, so that its sender knows. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
}

export const forward_mark_header = 'x-parley-forwarded';

export async function parseMessage(raw: Buffer): Promise<ParsedMessage> {
  refuseManyParts(raw);
  const { skeleton, bodies } = withoutLongBodies(raw);
  let parsed = await parsedMail(skeleton);
  const found = new Set<(typeof bodies)[number]>();
  let pieces = parsed.attachments.map((part) => restored(bytesOf(part), bodies, found));
  if (found.size < bodies.length) {
    // A long body that is no file, such as a text in base64: then the whole is parsed as it stands.
    parsed = await parsedMail(raw);
    pieces = parsed.attachments.map((part) => [bytesOf(part)]);
  }
  const header = (name: string) => parsed.headers.find(({ key }) => key === name)?.value ?? '';
  const all = (name: string) => parsed.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const attachments = parsed.attachments.map((part, index) => ({
    filename: fileName(part, index),
    content_type: mediaType(part.mimeType),
    pieces: pieces[index]!,
  }));
  const from = mailboxes(parsed.from ? [parsed.from] : [])[0];
  return {
    from_address: from ? clean(from.address, limits.mailbox_chars) : null,
    from_name: from?.name ? clean(from.name, limits.email_name_chars) : null,
    to_addresses: addresses(parsed.to),
    cc_addresses: addresses(parsed.cc),
    reply_to: addresses(parsed.replyTo)[0] ?? null,
    subject: clean(parsed.subject ?? '', limits.email_subject_chars).replaceAll(/[\r\n]+/g, ' '),
    message_id: messageIds(parsed.messageId ?? '')[0] ?? null,
    in_reply_to: messageIds(parsed.inReplyTo ?? '')[0] ?? null,
    references_ids: messageIds(parsed.references ?? ''),
    ...bodiesOf(parsed, attachments),
    attachments: [...attachments, ...attachments.flatMap(insideTnef)].slice(0, limits.inbound_mime_parts),
    is_auto_reply: isAutoReply(header),
    is_report:
      /^multipart\/report\b.*report-type="?(delivery-status|feedback-report|global-delivery-status)/is.test(
        header('content-type'),
      ),
    hops: all('received').length,
    forward_marks: all(forward_mark_header).map((mark) => clean(mark.trim(), 200)),
    dedupe_key: dedupeKey(raw, header),
  };
}

async function parsedMail(bytes: Buffer): Promise<Parsed> {
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      maxNestingDepth: limits.inbound_mime_depth,
      maxHeadersSize: 512 * 1024,
    });
  } catch (error) {
    throw new UnreadableMessage((error as Error).message);
  }
}

/** Counted before parsing, which would already be the harm. */
function refuseManyParts(raw: Buffer): void {
  let dashes = 0;
  for (let at = raw.indexOf('\n--'); at !== -1; at = raw.indexOf('\n--', at + 3)) {
    // Quoted letters and tables have such lines as well; only those followed by a header begin a part.
    const next = raw.indexOf(0x0a, at + 3);
    if (next === -1) return;
    const line = raw.toString('latin1', next + 1, next + 10).toLowerCase();
    if (/^(content-|\r?\n|mime-)/.test(line)) dashes++;
    if (dashes > limits.inbound_mime_parts) throw new UnreadableMessage('Too many parts');
  }
}

/** PostgreSQL keeps no NUL, and JSON no half characters. */
export const clean = (text: string, max: number): string =>
  text.slice(0, max).replaceAll('\0', '').toWellFormed();

const mailboxes = (list: readonly Address[] = []) =>
  list.flatMap((each) => (each.group ? each.group : [each])).filter(({ address }) => address);

const addresses = (list: readonly Address[] | undefined): string[] =>
  mailboxes(list)
    .slice(0, 1000)
    .map(({ address }) => clean(address!, limits.mailbox_chars));

const messageIds = (text: string): string[] => {
  const found = text.slice(0, 50_000).match(/<[^\s<>]{1,490}>/g) ?? [];
  const ids = [...new Set(found.map((id) => clean(id, limits.message_id_chars)))];
  // The first one names the root of the thread; from a very long list the middle is dropped.
  return ids.length <= 50 ? ids : [ids[0]!, ...ids.slice(-49)];
};

const bytesOf = (part: Attachment): Uint8Array =>
  typeof part.content === 'string'
    ? Buffer.from(part.content)
    : part.content instanceof Uint8Array
      ? part.content
      : new Uint8Array(part.content);

/** What does not fit the record is kept whole beside it. */
function bodiesOf(parsed: Parsed, attachments: ParsedPart[]) {
  const body = (text: string | undefined, filename: string, content_type: string): string | null => {
    if (text === undefined) return null;
    if (text.length > limits.inbound_body_chars)
      attachments.push({ filename, content_type, pieces: [Buffer.from(text)] });
    return clean(text, limits.inbound_body_chars);
  };
  return {
    body_text: body(parsed.text, 'body.txt', 'text/plain'),
    body_html: body(parsed.html, 'body.html', 'text/html'),
  };
}

const endings: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'text/calendar': 'invite.ics',
  'text/rfc822-headers': 'headers.txt',
  'application/ms-tnef': 'winmail.dat',
};

function fileName(part: Attachment, index: number): string {
  const name = clean(part.filename ?? '', 1000)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[\\/]/, '')
    .trim();
  return [...name].slice(0, 200).join('') || endings[part.mimeType] || `attachment-${index + 1}`;
}

const mediaType = (given: string): string => {
  const type = given.toLowerCase().trim();
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/.test(type)
    ? type
    : 'application/octet-stream';
};

/** Outlook packs files into one part that nothing else can open: its files are offered as well. */
function insideTnef(part: ParsedPart): ParsedPart[] {
  const [bytes] = part.pieces;
  const is_tnef = part.content_type === 'application/ms-tnef' || /^winmail\.dat$/i.test(part.filename);
  if (!is_tnef || part.pieces.length !== 1 || !(bytes instanceof Uint8Array)) return [];
  return tnefFiles(bytes).map(({ filename, content }, index) => ({
    filename: clean(filename.replace(/^.*[\\/]/, ''), 200) || `winmail-${index + 1}`,
    content_type: 'application/octet-stream',
    pieces: [content],
  }));
}

/** RFC 3834 section 5, and what older programs wrote before it. */
function isAutoReply(header: (name: string) => string): boolean {
  return (
    /^\s*auto-replied/i.test(header('auto-submitted')) ||
    header('x-autoreply') !== '' ||
    header('x-autorespond') !== '' ||
    /^\s*auto_reply/i.test(header('precedence'))
  );
}

/** Without the headers that every server on the way adds or changes. */
function dedupeKey(raw: Buffer, header: (name: string) => string): string {
  const gap = raw.indexOf('\r\n\r\n');
  const hash = createHash('sha256');
  hash.update(JSON.stringify(['message-id', 'from', 'date', 'subject'].map(header)));
  return hash.update(raw.subarray(gap === -1 ? 0 : gap)).digest('base64url');
}

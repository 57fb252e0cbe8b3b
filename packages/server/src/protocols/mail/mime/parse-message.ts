// Parses a raw message: addresses, subject, bodies, attachments, and what the headers say about its delivery.
import { createHash } from 'node:crypto';
import { limits } from '@parley/contract/limits';
import { addressParser, decodeWords } from 'postal-mime';
import { domainOf } from '../alignment.ts';
import { isAutomaticMessage, isAutoReply } from './automatic-message.ts';
import { readBodies } from './bodies.ts';
import { long_bytes, type Piece } from './pieces.ts';
import { type Part, readMime } from './structure.ts';
import { tnefFiles } from './tnef.ts';
import { bodyBytes } from './transfer-encoding.ts';

export type ParsedPart = { filename: string; content_type: string; pieces: Piece[] };

export type ParsedMessage = {
  from_address: string | null;
  from_name: string | null;
  /** One From field, with addresses of one domain. Other messages have no author that could be proven (RFC 9989). */
  has_one_author: boolean;
  /** The domains that claim to have signed it (`d=`). */
  signing_domains: string[];
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
  /** A program sent it, as far as the header tells. */
  is_automatic: boolean;
  /** A delivery status notification or a complaint (RFC 6522). */
  is_report: boolean;
  hops: number;
  /** Values of the header field that our own forwarding adds, to detect loops. */
  forward_marks: string[];
  /** The position after the header. */
  body_start: number;
  /** Equal for repeated deliveries of the same message. */
  dedupe_key: string;
  /** It has neither Message-ID nor Date, so a later message with the same text has the same key. */
  is_anonymous: boolean;
};

const signatures_max = 100;
const signingDomain = (signature: string): string =>
  /(?:^|;)\s{0,9}d\s{0,9}=\s{0,9}([^\s;]{1,255})/.exec(signature.slice(0, 2000))?.[1] ?? '';

/** A body may be joined from several parts, each of which is limited to `inbound_body_chars`. */
const body_max_chars = 4 * limits.inbound_body_chars;

export const forward_mark_header = 'x-parley-forwarded';

export function parseMessage(raw: Buffer): ParsedMessage {
  const root = readMime(raw);
  const { text, html, files } = readBodies(raw, root);
  const header = (name: string) => root.headers.find(({ key }) => key === name)?.value ?? '';
  const all = (name: string) => root.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const attachments = files.map((part, index) => ({
    filename: fileName(part, index),
    content_type: mediaType(part.type),
    pieces: piecesOf(raw, part),
  }));
  const authors = mailboxes(header('from'));
  const [from] = authors;
  return {
    from_address: from ? clean(from.address, limits.mailbox_chars) : null,
    from_name: from?.name ? clean(from.name, limits.email_name_chars) : null,
    has_one_author:
      all('from').length === 1 && new Set(authors.map(({ address }) => domainOf(address))).size === 1,
    signing_domains: all('dkim-signature').slice(0, signatures_max).map(signingDomain),
    to_addresses: addresses(header('to')),
    cc_addresses: addresses(header('cc')),
    reply_to: addresses(header('reply-to'))[0] ?? null,
    subject: clean(decodeWords(header('subject').slice(0, 20_000)), limits.email_subject_chars).replaceAll(
      /[\r\n]+/g,
      ' ',
    ),
    message_id: messageIds(header('message-id'))[0] ?? null,
    in_reply_to: messageIds(header('in-reply-to'))[0] ?? null,
    references_ids: messageIds(header('references')),
    body_text: text === undefined ? null : clean(text, body_max_chars),
    body_html: html === undefined ? null : clean(html, body_max_chars),
    attachments: [...attachments, ...attachments.flatMap(insideTnef)].slice(0, limits.inbound_mime_parts),
    is_auto_reply: isAutoReply(header),
    is_automatic: isAutomaticMessage(header, from?.address ?? null),
    is_report:
      /^multipart\/report\b.*report-type="?(delivery-status|feedback-report|global-delivery-status)/is.test(
        header('content-type'),
      ),
    hops: all('received').length,
    forward_marks: all(forward_mark_header).map((mark) => clean(mark, 200)),
    body_start: root.start,
    dedupe_key: dedupeKey(raw, root, header),
    is_anonymous: header('message-id') === '' && header('date') === '',
  };
}

/** Removes what PostgreSQL (NUL) and JSON (unpaired surrogates) cannot store. */
export const clean = (text: string, max: number): string =>
  text.slice(0, max).replaceAll('\0', '').toWellFormed();

const list_max_chars = 50_000;
const addresses_max = 1000;
/** Each address may have a name with commas. */
const list_max_separators = 4 * addresses_max;

/**
 * Cuts a list of addresses before it is parsed. The parser takes several regular expressions for each separator, so a list
 * of nothing but separators would take it a hundred times longer than a list of addresses of the same length.
 */
export function boundedList(header: string): string {
  const end = Math.min(header.length, list_max_chars);
  let separators = 0;
  for (let at = 0; at < end; at++) {
    const code = header.charCodeAt(at);
    const is_separator = code === 0x2c || code === 0x3a || code === 0x3b;
    if (is_separator && ++separators > list_max_separators) return header.slice(0, at);
  }
  return header.slice(0, end);
}

export const mailboxes = (header: string): { name: string; address: string }[] =>
  header === ''
    ? []
    : addressParser(boundedList(header))
        .flatMap((each) => (each.group ? each.group : [each]))
        .flatMap(({ name, address }) => (address ? [{ name: decodeWords(name), address }] : []));

const addresses = (header: string): string[] =>
  mailboxes(header)
    .slice(0, addresses_max)
    .map(({ address }) => clean(address, limits.mailbox_chars));

export const messageIds = (text: string): string[] => {
  const found = text.slice(0, 50_000).match(/<[^\s<>]{1,490}>/g) ?? [];
  const ids = [...new Set(found.map((id) => clean(id, limits.message_id_chars)))];
  // The first id is the root of the thread, so a very long list loses its middle.
  return ids.length <= 50 ? ids : [ids[0]!, ...ids.slice(-49)];
};

/** A long attachment is returned as a range of the raw message and decoded only while it is stored. */
export function piecesOf(raw: Buffer, part: Part): Piece[] {
  const { start, end, encoding } = part;
  if (end - start < long_bytes || encoding === 'quoted-printable') return [Buffer.from(bodyBytes(raw, part))];
  return [{ start, end, encoding: encoding === 'base64' ? 'base64' : 'none' }];
}

const default_names: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'message/delivery-status': 'delivery-status.txt',
  'text/calendar': 'invite.ics',
  'text/rfc822-headers': 'headers.txt',
  'application/ms-tnef': 'winmail.dat',
};

export function fileName(part: Part, index: number): string {
  const name = clean(part.filename ?? '', 1000)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[\\/]/, '')
    .trim();
  return [...name].slice(0, 200).join('') || default_names[part.type] || `attachment-${index + 1}`;
}

export const mediaType = (declared: string): string => {
  const type = declared.toLowerCase().trim();
  return /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/.test(type)
    ? type
    : 'application/octet-stream';
};

/** Outlook may pack attachments into one TNEF part that other programs cannot open, so its files are listed as well. */
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

/** Uses only header fields that servers do not add or change in transit. */
function dedupeKey(raw: Buffer, root: Part, header: (name: string) => string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(['message-id', 'from', 'date', 'subject'].map(header)));
  return hash.update(raw.subarray(root.start)).digest('base64url');
}

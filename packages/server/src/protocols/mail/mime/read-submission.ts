// Reads a message that a mail program submits for sending: its visible fields, bodies, files and other header fields.
import { limits } from '@parley/contract/limits';
import { type Mailbox, readAddress } from '@parley/contract/schema/mailbox';
import { decodeWords } from 'postal-mime';
import { readBodies } from './bodies.ts';
import { clean, fileName, mailboxes, mediaType, messageIds, piecesOf } from './parse-message.ts';
import type { Piece } from './pieces.ts';
import { type Part, readMime, UnreadableMessage } from './structure.ts';

export type SubmittedFile = {
  filename: string;
  content_type: string;
  /** Of a file that the HTML body shows, without angle brackets. */
  content_id: string | null;
  pieces: Piece[];
};

export type SubmittedMessage = {
  from: Mailbox | null;
  to: Mailbox[];
  cc: Mailbox[];
  reply_to: Mailbox | null;
  subject: string;
  message_id: string | null;
  in_reply_to: string | null;
  body_text: string | null;
  body_html: string | null;
  files: SubmittedFile[];
  /** Header fields that are sent on, such as List-Unsubscribe. */
  headers: Record<string, string>;
  /** The header fields X-Parley-*, by the rest of their name in lower case. */
  settings: Record<string, string>;
};

/** Fields that the service sets itself, that describe the way or the structure of the message, or that the recipients must not see. */
const not_sent_on =
  /^(from|to|cc|bcc|subject|date|message-id|reply-to|sender|return-path|in-reply-to|references|mime-version|received|delivered-to|dkim-signature|domainkey-signature|authentication-results|x-parley-.*|(content|resent|arc)-.*)$/;
const header_chars = 2000;

export function readSubmission(raw: Buffer): SubmittedMessage {
  const root = readMime(raw);
  refuseLongBodies(root);
  const { text, html, files } = readBodies(raw, root);
  const header = (name: string) => root.headers.find(({ key }) => key === name)?.value ?? '';
  return {
    from: checked(mailboxes(header('from')))[0] ?? null,
    to: checked(mailboxes(header('to'))),
    cc: checked(mailboxes(header('cc'))),
    reply_to: checked(mailboxes(header('reply-to')))[0] ?? null,
    subject: lineOf(header('subject'), limits.email_subject_chars),
    message_id: messageIds(header('message-id'))[0] ?? null,
    in_reply_to: messageIds(header('in-reply-to'))[0] ?? null,
    body_text: text === undefined ? null : clean(text, text.length),
    body_html: html === undefined ? null : clean(html, html.length),
    files: files.map((part, index) => ({
      filename: fileName(part, index),
      content_type: mediaType(part.type),
      content_id: contentId(part),
      pieces: piecesOf(raw, part),
    })),
    ...otherHeaders(root),
  };
}

/** The body of an email is one text in the record. A longer one would be cut. */
function refuseLongBodies(part: Part): void {
  for (const child of part.children) refuseLongBodies(child);
  const is_body = /^text\/(plain|html)$/.test(part.type) && part.disposition !== 'attachment';
  if (is_body && part.children.length === 0 && part.end - part.start > limits.inbound_body_chars) {
    const text = `A text part may have at most ${limits.inbound_body_chars} bytes`;
    throw new UnreadableMessage(text, { is_too_large: true });
  }
}

const lineOf = (value: string, max: number): string =>
  clean(decodeWords(value.slice(0, 20_000)), max)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();

/** Without entries that are no addresses, such as groups without members. */
const checked = (list: { name: string; address: string }[]): Mailbox[] =>
  list.slice(0, limits.inbound_recipients * 10).flatMap(({ name, address }) => {
    const valid = readAddress(address);
    return valid ? [{ name: lineOf(name, limits.email_name_chars) || null, address: valid }] : [];
  });

/** A file with an id that is not shown in the body is attached by some programs, so the disposition decides. */
function contentId({ headers, disposition }: Part): string | null {
  const value = headers.find(({ key }) => key === 'content-id')?.value ?? '';
  const id = /^<([\x21-\x3b\x3d\x3f-\x7e]{1,128})>$/.exec(value.trim())?.[1];
  return id && disposition !== 'attachment' ? id : null;
}

function otherHeaders(root: Part): Pick<SubmittedMessage, 'headers' | 'settings'> {
  const headers: [string, string][] = [];
  const settings: [string, string][] = [];
  for (const { key, value } of root.headers) {
    if (key.startsWith('x-parley-'))
      settings.push([key.slice('x-parley-'.length), lineOf(value, value.length)]);
    if (not_sent_on.test(key) || !/^[a-z0-9][a-z0-9-]{0,75}$/.test(key)) continue;
    const line = lineOf(value, header_chars);
    if (line !== '' && headers.length < limits.email_headers) headers.push([headerName(key), line]);
  }
  return { headers: Object.fromEntries(headers), settings: Object.fromEntries(settings) };
}

/** The parser returns names in lower case. */
const headerName = (key: string): string => key.replaceAll(/(^|-)[a-z]/g, (found) => found.toUpperCase());

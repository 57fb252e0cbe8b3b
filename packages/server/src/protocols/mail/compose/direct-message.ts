// Composes a message without attachments as one ASCII string (RFC 5322, 2045, 2047). Faster than the library, which uses streams.
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import type { Composition } from './composition.ts';

export type DirectMessage = {
  /** The header block, without the blank line after it. */
  header: string;
  body: string;
};

const plain_address = /^[\w!#$%&'*+/=?^`{|}~.-]+@[A-Za-z0-9.-]+$/;
const message_id = /^<[\x21-\x3b\x3d\x3f-\x7e]+>$/;
const line_chars = 76;
/** Text without a space cannot be folded, and a line may have at most 998 characters (RFC 5322 section 2.1.1). */
const unbroken = /[^ ]{900}/;
const encoded_word_chars = 52;

/** Returns null for a message that needs the library: attachments, or non-ASCII addresses (RFC 6532). */
export function directMessage(email: Composition): DirectMessage | null {
  const mailboxes = [email.from, ...email.to, ...email.cc, ...(email.reply_to ? [email.reply_to] : [])];
  const ids = [email.message_id, ...(email.in_reply_to ? [email.in_reply_to] : []), ...email.references];
  if (email.attachments.length > 0 || !mailboxes.every(({ address }) => plain_address.test(address)))
    return null;
  if (!ids.every((id) => message_id.test(id))) return null;

  const fields = [
    ...Object.entries(email.headers).map(([name, value]) => field(name, textValue(value))),
    field('From', mailboxList([email.from])),
    field('To', mailboxList(email.to)),
    ...(email.cc.length > 0 ? [field('Cc', mailboxList(email.cc))] : []),
    ...(email.reply_to ? [field('Reply-To', mailboxList([email.reply_to]))] : []),
    field('Subject', textValue(email.subject)),
    field('Message-ID', email.message_id),
    ...(email.in_reply_to ? [field('In-Reply-To', email.in_reply_to)] : []),
    ...(email.references.length > 0 ? [field('References', email.references.join(' '))] : []),
    field('Date', email.date.toUTCString().replace('GMT', '+0000')),
    'MIME-Version: 1.0',
  ].filter((line) => line !== null);
  const text = email.text === null || email.text === '' ? null : part('plain', email.text);
  const html = email.html === null ? null : part('html', email.html);
  if (text && html) {
    // No encoded text contains "=_", so no part can contain the boundary.
    const boundary = `=_${email.email_id.replaceAll('-', '')}`;
    fields.push(`Content-Type: multipart/alternative;\r\n boundary="${boundary}"`);
    const parts = [text, html].map(({ header, body }) => `--${boundary}\r\n${header}\r\n\r\n${body}`);
    return { header: fields.join('\r\n'), body: `${parts.join('')}--${boundary}--\r\n` };
  }
  const { header, body } = text ?? html ?? part('plain', '');
  return { header: `${fields.join('\r\n')}\r\n${header}`, body };
}

/** Returns null for an empty value: some fields must not be empty. */
function field(name: string, value: string): string | null {
  if (value === '') return null;
  const line = `${name}: ${value}`;
  return line.length <= line_chars ? line : foldLines(line, line_chars);
}

function textValue(value: string): string {
  const text = value.replaceAll(/[\r\n]+/g, ' ');
  if (text.trim() === '') return '';
  // Without encoding, readers drop leading and trailing spaces and decode text that looks like an encoded word.
  const needs_no_encoding = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.includes('=?');
  return needs_no_encoding && !unbroken.test(text) ? text : encoded(text);
}

const mailboxList = (list: Composition['to']): string =>
  list
    .map(({ name, address }) => {
      if (name === '') return address;
      if (/^\w+(?: \w+)*$/.test(name)) return `${name} <${address}>`;
      if (!/^[\x20-\x7e]*$/.test(name) || name.includes('=?')) return `${encoded(name)} <${address}>`;
      return `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
    })
    .join(', ');

const encoded = (text: string) => encodeWord(text, isMostlyLatin(text) ? 'Q' : 'B', encoded_word_chars);

/** True if quoted-printable is more readable than base64, and usually shorter. */
function isMostlyLatin(text: string): boolean {
  const beyond_ascii = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return beyond_ascii === 0 || beyond_ascii < (text.match(/[a-z]/gi)?.length ?? 0);
}

export const withLineEnds = (text: string): string =>
  text.includes('\r') || text.includes('\n') ? text.replaceAll(/\r\n|\r|\n/g, '\r\n') : text;

function part(kind: 'plain' | 'html', text: string): { header: string; body: string } {
  const [encoding, body] = encodedBody(withLineEnds(text));
  return {
    header: `Content-Type: text/${kind}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}`,
    body: body.endsWith('\r\n') ? body : `${body}\r\n`,
  };
}

function encodedBody(text: string): [string, string] {
  const is_short = !/[^\r\n]{77}/.test(text);
  // Servers drop spaces at the end of a line, and mbox files put a ">" before "From " at the start of a line.
  if (is_short && /^[\t\r\n\x20-\x7e]*$/.test(text) && !/[ \t](?:\r|$)|^From |\nFrom |=_/.test(text))
    return ['7bit', text];
  if (isMostlyLatin(text)) return ['quoted-printable', quotedPrintable(text)];
  const base64 = Buffer.from(text).toString('base64');
  return ['base64', base64.replaceAll(/.{76}/g, '$&\r\n')];
}

const quoted_bytes = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);
const must_be_quoted = /[^\t\x20-\x3c\x3e-\x7e]/;
const every_must_be_quoted = new RegExp(must_be_quoted, 'g');

function quotedPrintable(text: string): string {
  return text.split('\r\n').map(quotedLine).join('\r\n');
}

function quotedLine(line: string): string {
  let remaining = must_be_quoted.test(line)
    ? Buffer.from(line)
        .toString('latin1')
        .replaceAll(every_must_be_quoted, (byte) => quoted_bytes[byte.charCodeAt(0)]!)
    : line;
  if (remaining.endsWith(' ') || remaining.endsWith('\t'))
    remaining = remaining.slice(0, -1) + quoted_bytes[remaining.charCodeAt(remaining.length - 1)];
  if (remaining.startsWith('From ')) remaining = `=46${remaining.slice(1)}`;
  let lines = '';
  while (remaining.length > line_chars) {
    let end = line_chars - 1;
    // Do not break inside an escape sequence or inside a multi-byte character.
    if (remaining[end - 1] === '=') end -= 1;
    else if (remaining[end - 2] === '=') end -= 2;
    while (/^=[89AB]/.test(remaining.slice(end, end + 2))) end -= 3;
    lines += `${remaining.slice(0, end)}=\r\n`;
    remaining = remaining.slice(end);
  }
  return lines + remaining;
}

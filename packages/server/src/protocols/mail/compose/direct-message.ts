// Writes a message without attachments straight to its text (RFC 5322, 2045, 2047): no streams, ASCII to the last byte.
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
/** A word that cannot be folded must stay below the 998 characters of a line. */
const unbroken = /[^ ]{900}/;
const encoded_word_chars = 52;

/** Null for a message that asks for more than this knows: files, or addresses beyond ASCII (RFC 6532). */
export function directMessage(of: Composition): DirectMessage | null {
  const mailboxes = [of.from, ...of.to, ...of.cc, ...(of.reply_to ? [of.reply_to] : [])];
  const ids = [of.message_id, ...(of.in_reply_to ? [of.in_reply_to] : []), ...of.references];
  if (of.attachments.length > 0 || !mailboxes.every(({ address }) => plain_address.test(address)))
    return null;
  if (!ids.every((id) => message_id.test(id))) return null;

  const fields = [
    ...Object.entries(of.headers).map(([name, value]) => field(name, textValue(value))),
    field('From', mailboxList([of.from])),
    field('To', mailboxList(of.to)),
    ...(of.cc.length > 0 ? [field('Cc', mailboxList(of.cc))] : []),
    ...(of.reply_to ? [field('Reply-To', mailboxList([of.reply_to]))] : []),
    field('Subject', textValue(of.subject)),
    field('Message-ID', of.message_id),
    ...(of.in_reply_to ? [field('In-Reply-To', of.in_reply_to)] : []),
    ...(of.references.length > 0 ? [field('References', of.references.join(' '))] : []),
    field('Date', of.date.toUTCString().replace('GMT', '+0000')),
    'MIME-Version: 1.0',
  ].filter((line) => line !== null);
  const text = of.text === null || of.text === '' ? null : part('plain', of.text);
  const html = of.html === null ? null : part('html', of.html);
  if (text && html) {
    // No encoded text holds "=_", so that no part can hold the line between them.
    const boundary = `=_${of.email_id.replaceAll('-', '')}`;
    fields.push(`Content-Type: multipart/alternative;\r\n boundary="${boundary}"`);
    const parts = [text, html].map(({ header, body }) => `--${boundary}\r\n${header}\r\n\r\n${body}`);
    return { header: fields.join('\r\n'), body: `${parts.join('')}--${boundary}--\r\n` };
  }
  const { header, body } = text ?? html ?? part('plain', '');
  return { header: `${fields.join('\r\n')}\r\n${header}`, body };
}

/** Nothing where there is nothing to say: a field without a value is not allowed everywhere. */
function field(name: string, value: string): string | null {
  if (value === '') return null;
  const line = `${name}: ${value}`;
  return line.length <= line_chars ? line : foldLines(line, line_chars);
}

function textValue(value: string): string {
  const text = value.replaceAll(/[\r\n]+/g, ' ');
  if (text.trim() === '') return '';
  // Blanks at the ends would be lost, and what looks like an encoded word would be decoded.
  const as_it_is = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.includes('=?');
  return as_it_is && !unbroken.test(text) ? text : encoded(text);
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

/** Whether quoted-printable is the more readable of the two encodings, and often the shorter. */
function isMostlyLatin(text: string): boolean {
  const beyond_ascii = text.match(/[^\p{ASCII}]/gu)?.length ?? 0;
  return beyond_ascii === 0 || beyond_ascii < (text.match(/[a-z]/gi)?.length ?? 0);
}

export const withLineEnds = (text: string): string =>
  text.includes('\r') || text.includes('\n') ? text.replaceAll(/\r\n|\r|\n/g, '\r\n') : text;

function part(kind: 'plain' | 'html', given: string): { header: string; body: string } {
  const [encoding, body] = encodedBody(withLineEnds(given));
  return {
    header: `Content-Type: text/${kind}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}`,
    body: body.endsWith('\r\n') ? body : `${body}\r\n`,
  };
}

function encodedBody(text: string): [string, string] {
  const is_short = !/[^\r\n]{77}/.test(text);
  // Blanks at the end of a line get lost on the way, and "From " at its start gets a ">" in some mailboxes.
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
const all_that_must_be_quoted = new RegExp(must_be_quoted, 'g');

function quotedPrintable(text: string): string {
  return text.split('\r\n').map(quotedLine).join('\r\n');
}

function quotedLine(line: string): string {
  let rest = must_be_quoted.test(line)
    ? Buffer.from(line)
        .toString('latin1')
        .replaceAll(all_that_must_be_quoted, (byte) => quoted_bytes[byte.charCodeAt(0)]!)
    : line;
  if (rest.endsWith(' ') || rest.endsWith('\t'))
    rest = rest.slice(0, -1) + quoted_bytes[rest.charCodeAt(rest.length - 1)];
  if (rest.startsWith('From ')) rest = `=46${rest.slice(1)}`;
  let lines = '';
  while (rest.length > line_chars) {
    let end = line_chars - 1;
    // Neither within an escape nor within a letter of several bytes.
    if (rest[end - 1] === '=') end -= 1;
    else if (rest[end - 2] === '=') end -= 2;
    while (/^=[89AB]/.test(rest.slice(end, end + 2))) end -= 3;
    lines += `${rest.slice(0, end)}=\r\n`;
    rest = rest.slice(end);
  }
  return lines + rest;
}

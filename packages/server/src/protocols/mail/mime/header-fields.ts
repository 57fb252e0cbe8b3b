// Parses header fields to text, also if they contain raw bytes in UTF-8 or another charset.
import { isAscii, isUtf8 } from 'node:buffer';
import { decodeText } from './charsets.ts';
import { repairWords } from './encoded-words.ts';
import { readParams } from './params.ts';

export type Header = { key: string; value: string };

/** Trims ASCII white space only: `String.trim` would also remove bytes such as 0xA0, which are part of a character here. */
const trimmed = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
};
const isBlank = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

export function readHeaders(bytes: Buffer): Header[] {
  const fields: Header[] = [];
  // Split as latin1 (one character per byte) and decode each field alone: fields may have different charsets.
  for (const line of bytes.toString('latin1').split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const value = trimmed(line.slice(colon + 1).replaceAll(/\r?\n(?=[ \t])/g, ''));
    fields.push({ key: trimmed(line.slice(0, colon)).toLowerCase(), value });
  }
  const is_ascii = isAscii(bytes);
  if (is_ascii && !bytes.includes('=?') && !bytes.includes(0x1b)) return fields;
  const content_type = fields.find(({ key }) => key === 'content-type')?.value ?? '';
  const charset = readParams(content_type).params.get('charset') ?? '';
  return fields.map(({ key, value }) => ({ key, value: textOf(value, charset) }));
}

/** A field may be UTF-8 (RFC 6532); older programs used the charset of the message. */
function textOf(field: string, charset: string): string {
  const value = repairWords(field);
  const bytes = Buffer.from(value, 'latin1');
  if (value.includes('\x1b$')) return decodeText(bytes, 'iso-2022-jp');
  if (isAscii(bytes)) return value;
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeText(bytes, charset);
}

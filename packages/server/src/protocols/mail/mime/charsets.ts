// Decodes text by its declared charset. If the charset is unknown or wrong, falls back to UTF-8 and then windows-1252.
import { isUtf8 } from 'node:buffer';

/** Charset names that mail programs use but the Encoding Standard does not define. */
const aliases: Record<string, string> = {
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'latin-1': 'iso-8859-1',
  ansi: 'windows-1252',
  utf7: 'utf-7',
  'unicode-1-1-utf-7': 'utf-7',
  'x-unicode-1-1-utf-7': 'utf-7',
};

type Decoder = { decode(bytes: Uint8Array): string };
const decoders = new Map<string, Decoder | null>();
/** More than there are real charsets. The limit keeps senders from filling the cache with invented names. */
const max_decoders = 200;

/** Null if the Encoding Standard does not define the charset. */
function decoderFor(label: string): Decoder | null {
  const known = decoders.get(label);
  if (known !== undefined) return known;
  let decoder: Decoder | null = null;
  try {
    decoder = new TextDecoder(label);
  } catch {
    // Not a charset: the caller falls back.
  }
  if (decoders.size < max_decoders) decoders.set(label, decoder);
  return decoder;
}

const labelOf = (charset: string): string => {
  const label = charset.trim().toLowerCase();
  return aliases[label] ?? label.replace(/^cp-?(125\d)$/, 'windows-$1');
};

/** Whether the Encoding Standard defines this charset name. */
export const isStandard = (charset: string): boolean => decoderFor(charset.toLowerCase()) !== null;

export function decodeText(bytes: Buffer, charset: string): string {
  const label = labelOf(charset);
  if (label === 'utf-7') return decodeUtf7(bytes.toString('latin1'));
  const is_plain =
    label === '' || label === 'utf-8' || label === 'utf8' || label === 'us-ascii' || label === 'ascii';
  if (is_plain && isUtf8(bytes)) return bytes.toString('utf8');
  const decoder = is_plain ? null : decoderFor(label);
  if (decoder) return decoder.decode(bytes);
  return isUtf8(bytes) ? bytes.toString('utf8') : decoderFor('windows-1252')!.decode(bytes);
}

/** UTF-7 (RFC 2152): "+" starts a run of UTF-16 in base64 that ends at the first other character; "+-" is a plus sign. */
const decodeUtf7 = (text: string): string =>
  text.replaceAll(/\+([A-Za-z0-9+/]*)(-?)/g, (whole, coded: string, end: string) => {
    if (coded === '') return end === '-' ? '+' : whole;
    const bytes = Buffer.from(coded, 'base64');
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  });

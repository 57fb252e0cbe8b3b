// Text in whatever charset it was written in: as it says, where that can be, else as the bytes suggest.
import { isUtf8 } from 'node:buffer';

/** Names that mail programs use and the Encoding Standard does not know. */
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
/** As many names as there are charsets, and not as many as strangers can think of. */
const max_decoders = 200;

/** Null where the Encoding Standard knows no such charset. */
function decoderFor(label: string): Decoder | null {
  const known = decoders.get(label);
  if (known !== undefined) return known;
  let decoder: Decoder | null = null;
  try {
    decoder = new TextDecoder(label);
  } catch {
    // Not a charset: the bytes decide.
  }
  if (decoders.size < max_decoders) decoders.set(label, decoder);
  return decoder;
}

const labelOf = (charset: string): string => {
  const label = charset.trim().toLowerCase();
  return aliases[label] ?? label.replace(/^cp-?(125\d)$/, 'windows-$1');
};

/** Whether every program knows the charset by this name. */
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

/** RFC 2152: runs of UTF-16 in base64 between a plus sign and whatever is no base64; "+-" is a plus sign. */
const decodeUtf7 = (text: string): string =>
  text.replaceAll(/\+([A-Za-z0-9+/]*)(-?)/g, (whole, coded: string, end: string) => {
    if (coded === '') return end === '-' ? '+' : whole;
    const bytes = Buffer.from(coded, 'base64');
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  });

// Decodes the transfer encodings of bodies (RFC 2045 section 6).

type Coded = { start: number; end: number; encoding: string };
const lf = 0x0a;
const cr = 0x0d;

/** The decoded body of a part. */
export function bodyBytes(raw: Buffer, { start, end, encoding }: Coded): Buffer {
  if (encoding === 'base64') return base64(raw.toString('latin1', start, end));
  if (encoding !== 'quoted-printable') return raw.subarray(start, end);
  return quotedPrintable(raw.subarray(start, end));
}

const equals = 0x3d;
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;

/** The value of a hexadecimal digit, -1 for any other byte. */
const hexValue = (byte: number | undefined): number => {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower_case = byte | 0x20;
  return lower_case >= 0x61 && lower_case <= 0x66 ? lower_case - 0x57 : -1;
};

/** RFC 2045 section 6.7. A byte loop, so that a body full of escapes is not slow. An invalid equals sign is kept as text. */
function quotedPrintable(coded: Buffer): Buffer {
  const out = Buffer.allocUnsafe(coded.length);
  let size = 0;
  for (let at = 0; at < coded.length; at++) {
    if (coded[at] !== equals) {
      out[size++] = coded[at]!;
      continue;
    }
    const [high, low] = [hexValue(coded[at + 1]), hexValue(coded[at + 2])];
    if (high >= 0 && low >= 0) {
      out[size++] = high * 16 + low;
      at += 2;
      continue;
    }
    let next = at + 1;
    while (isBlank(coded[next])) next++;
    if (coded[next] === cr && coded[next + 1] === lf) next++;
    if (next >= coded.length || coded[next] === lf) at = next;
    else out[size++] = equals;
  }
  return out.subarray(0, size);
}

/** Padding may occur in the middle, where separately encoded pieces were concatenated. */
function base64(text: string): Buffer {
  const padding = text.indexOf('=');
  if (padding === -1 || !/[A-Za-z0-9+/]/.test(text.slice(padding))) return Buffer.from(text, 'base64');
  return Buffer.concat(text.split('=').map((piece) => Buffer.from(piece, 'base64')));
}

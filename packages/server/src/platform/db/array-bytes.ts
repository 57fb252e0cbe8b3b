// Writes an array parameter in PostgreSQL's binary format, for the types that are expensive to parse from text.

type Kind = {
  oid: number;
  bytes: number;
  /** False for a value in an unusual format: the whole array is then sent as text, and the database validates it. */
  write(value: unknown, into: Buffer, at: number): boolean;
};

const no_digit = -1;
const digits = new Int8Array(0x1_0000).fill(no_digit);
for (let digit = 0; digit < 16; digit++) {
  const [small, large] = [digit.toString(16), digit.toString(16).toUpperCase()];
  digits[small.charCodeAt(0)] = digits[large.charCodeAt(0)] = digit;
}
/** Where the pairs of hexadecimal digits of a UUID begin. */
const pairs = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const hyphens = [8, 13, 18, 23] as const;
const hyphen = 0x2d;

function writeUuid(value: unknown, into: Buffer, at: number): boolean {
  if (typeof value !== 'string' || value.length !== 36) return false;
  for (const place of hyphens) if (value.charCodeAt(place) !== hyphen) return false;
  let all = 0;
  for (let index = 0; index < 16; index++) {
    const place = pairs[index]!;
    const byte = (digits[value.charCodeAt(place)]! << 4) | digits[value.charCodeAt(place + 1)]!;
    all |= byte;
    into[at + index] = byte;
  }
  // A character that is no digit has made it negative.
  return all >= 0;
}

function writeInt(value: unknown, into: Buffer, at: number): boolean {
  if (typeof value !== 'number' || (value | 0) !== value) return false;
  into.writeInt32BE(value, at);
  return true;
}

function writeFloat(value: unknown, into: Buffer, at: number): boolean {
  if (typeof value !== 'number') return false;
  into.writeDoubleBE(value, at);
  return true;
}

const iso_time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const epoch_ms = Date.UTC(2000, 0, 1);

/** Microseconds since 2000, in 64 bits. */
function writeTime(value: unknown, into: Buffer, at: number): boolean {
  const ms = value instanceof Date ? value.getTime() : isoTime_ms(value);
  if (Number.isNaN(ms)) return false;
  const us = (ms - epoch_ms) * 1000;
  const high = Math.floor(us / 2 ** 32);
  into.writeInt32BE(high, at);
  into.writeUInt32BE(us - high * 2 ** 32, at + 4);
  return true;
}
const isoTime_ms = (value: unknown) =>
  typeof value === 'string' && iso_time.test(value) ? Date.parse(value) : Number.NaN;

const kinds = {
  uuid: { oid: 2950, bytes: 16, write: writeUuid },
  int: { oid: 23, bytes: 4, write: writeInt },
  float8: { oid: 701, bytes: 8, write: writeFloat },
  timestamptz: { oid: 1184, bytes: 8, write: writeTime },
} satisfies Record<string, Kind>;
export type ArrayKind = keyof typeof kinds | 'text';

/** Which parameters of a statement are arrays of these types, by position: their cast says so. */
export function arrayKinds(text: string): readonly (ArrayKind | undefined)[] {
  const kinds = new Map<number, ArrayKind>();
  for (const [, place, kind] of text.matchAll(/\$(\d+)::(uuid|int|float8|timestamptz|text)\[\]/g)) {
    kinds.set(Number(place), kind as ArrayKind);
  }
  return Array.from({ length: Math.max(0, ...kinds.keys()) }, (_, index) => kinds.get(index + 1));
}

const head_bytes = 12;
const dimension_bytes = 8;
const null_length = -1;

/** The header: element type, length and lower bound. An empty array has no dimension. */
function writeHead(bytes: Buffer, oid: number, values: readonly unknown[]): number {
  const has_null = values.some((value) => value === null || value === undefined);
  bytes.writeInt32BE(values.length > 0 ? 1 : 0, 0);
  bytes.writeInt32BE(has_null ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  if (values.length === 0) return head_bytes;
  bytes.writeInt32BE(values.length, head_bytes);
  return bytes.writeInt32BE(1, head_bytes + 4);
}

function fixedBytes(values: readonly unknown[], { oid, bytes: size, write }: Kind): Buffer | null {
  const bytes = Buffer.allocUnsafe(head_bytes + dimension_bytes + values.length * (4 + size));
  let at = writeHead(bytes, oid, values);
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (value === null || value === undefined) {
      at = bytes.writeInt32BE(null_length, at);
    } else if (index > 0 && Object.is(value, values[index - 1])) {
      // Rows of a batch often share the organization and the time.
      bytes.copyWithin(at, at - 4 - size, at);
      at += 4 + size;
    } else {
      at = bytes.writeInt32BE(size, at);
      if (!write(value, bytes, at)) return null;
      at += size;
    }
  }
  return bytes.subarray(0, at);
}

const text_oid = 25;
/** A length as four Latin-1 characters, which are its bytes. */
const lengthOf = (length: number) =>
  String.fromCharCode(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);
const null_letters = lengthOf(null_length);
const short_lengths = Array.from({ length: 256 }, (_, length) => lengthOf(length));

const isText = (value: unknown): value is string | null | undefined =>
  value == null || typeof value === 'string';

/**
 * ASCII text has as many bytes as characters: lengths and texts are concatenated and written at once, which costs a third of
 * writing each. Null when there is another character: in UTF-8 that takes more bytes than expected.
 */
function asciiBytes(values: readonly (string | null | undefined)[]): Buffer | null {
  let letters = '';
  let large = 0;
  for (const value of values) {
    const length = value == null ? null_length : value.length;
    if (length === null_length) letters += null_letters;
    else letters += (short_lengths[length] ?? lengthOf(length)) + value;
    if (length < 0 || length > 127)
      for (let bits = 0; bits < 32; bits += 8) large += (length >>> (bits + 7)) & 1;
  }
  if (Buffer.byteLength(letters) !== letters.length + large) return null;
  const bytes = Buffer.allocUnsafe(head_bytes + dimension_bytes + letters.length);
  const at = writeHead(bytes, text_oid, values);
  return bytes.subarray(0, at + bytes.write(letters, at, 'latin1'));
}

function textBytes(values: readonly unknown[]): Buffer | null {
  if (!values.every(isText)) return null;
  const ascii = asciiBytes(values);
  if (ascii) return ascii;
  const lengths = values.map((value) => (value == null ? null_length : Buffer.byteLength(value)));
  const length = lengths.reduce((sum, each) => sum + 4 + Math.max(0, each), head_bytes + dimension_bytes);
  const bytes = Buffer.allocUnsafe(length);
  let at = writeHead(bytes, text_oid, values);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index]!, at);
    if (value) at += bytes.write(value, at);
  }
  return bytes.subarray(0, at);
}

export const arrayBytes = (values: readonly unknown[], kind: ArrayKind): Buffer | null =>
  kind === 'text' ? textBytes(values) : fixedBytes(values, kinds[kind]);

// Takes long base64 bodies out of a message before it is parsed: they are decoded later, piece by piece, from where they lie.
import { randomBytes } from 'node:crypto';

/** Bytes at hand, or a stretch of the raw message. */
export type Piece = Uint8Array | { start: number; end: number; encoding: 'base64' | 'none' };

type LongBody = { start: number; end: number; token: string; stand_in: string };

const long_bytes = 32 * 1024;
const header_reach = 16 * 1024;
const chunk_bytes = 1024 * 1024;

const field = /^content-transfer-encoding:\s*base64\s*$/i;
const alphabet = /^[A-Za-z0-9+/=\s]*$/;

/** The message with a short stand-in for each long body, and where the bodies are. */
export function withoutLongBodies(raw: Buffer): { skeleton: Buffer; bodies: LongBody[] } {
  const bodies: LongBody[] = [];
  if (raw.length < long_bytes) return { skeleton: raw, bodies };
  for (let next = placesOfWord(raw), at = next(0); at !== -1; ) {
    const body = bodyAfter(raw, at);
    if (body) bodies.push(body);
    at = next(body?.end ?? at + word_chars);
  }
  if (bodies.length === 0) return { skeleton: raw, bodies };
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, stand_in } of bodies) {
    pieces.push(raw.subarray(from, start), Buffer.from(`${stand_in}\r\n`));
    from = end;
  }
  pieces.push(raw.subarray(from));
  return { skeleton: Buffer.concat(pieces), bodies };
}

const word_chars = 'base64'.length;

/** Each spelling is looked for on its own, and only once over the whole message. */
function placesOfWord(raw: Buffer): (from: number) => number {
  const spellings = ['base64', 'BASE64', 'Base64'].map((word) => ({ word, place: -2 }));
  return (from) => {
    let nearest = -1;
    for (const spelling of spellings) {
      const { word, place } = spelling;
      if (place !== -1 && place < from) spelling.place = raw.indexOf(word, from, 'latin1');
      if (spelling.place !== -1 && (nearest === -1 || spelling.place < nearest)) nearest = spelling.place;
    }
    return nearest;
  };
}

function bodyAfter(raw: Buffer, at: number): LongBody | null {
  const line_start = raw.lastIndexOf(0x0a, at) + 1;
  const line_end = raw.indexOf(0x0a, at);
  if (line_end === -1 || at - line_start > 100) return null;
  if (!field.test(raw.toString('latin1', line_start, line_end).trimEnd())) return null;
  // The line break before an empty line may be that of the field itself.
  const head = raw.toString('latin1', line_end, Math.min(raw.length, line_end + header_reach));
  const gap = /\n\r?\n/.exec(head);
  if (!gap) return null;
  const start = line_end + gap.index + gap[0].length;
  const boundary = raw.indexOf('\n--', start, 'latin1');
  const end = boundary === -1 ? raw.length : boundary + 1;
  if (end - start < long_bytes) return null;
  // A body that only says so would lose what its parser makes of it.
  for (const place of [start, Math.floor((start + end) / 2), end - 1000]) {
    if (!alphabet.test(raw.toString('latin1', place, place + 1000))) return null;
  }
  const token = `part-${randomBytes(18).toString('hex')}`;
  return { start, end, token, stand_in: Buffer.from(token).toString('base64') };
}

/** What a parsed part really holds, given what the parser saw; `found` collects the bodies that were met. */
export function restored(content: Uint8Array, bodies: LongBody[], found: Set<LongBody>): Piece[] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const whole = bodies.find(
    ({ token }) => bytes.length === token.length && bytes.toString('latin1') === token,
  );
  if (whole) {
    found.add(whole);
    return [{ start: whole.start, end: whole.end, encoding: 'base64' }];
  }
  const pieces: Piece[] = [];
  let from = 0;
  // A message inside the message is kept as it stands, with its bodies still encoded.
  for (const body of bodies) {
    const at = bytes.indexOf(body.stand_in, from, 'latin1');
    if (at === -1) continue;
    found.add(body);
    pieces.push(bytes.subarray(from, at), { start: body.start, end: body.end, encoding: 'none' });
    from = at + body.stand_in.length;
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}

/** The content, one mebibyte at a time. */
export async function* contentOf(raw: Buffer, pieces: Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else if (piece.encoding === 'none') yield raw.subarray(piece.start, piece.end);
    else yield* decoded(raw, piece.start, piece.end);
  }
}

function* decoded(raw: Buffer, start: number, end: number): Generator<Uint8Array> {
  let left = '';
  for (let from = start; from < end; from += chunk_bytes) {
    const text =
      left +
      raw.toString('latin1', from, Math.min(end, from + chunk_bytes)).replaceAll(/[^A-Za-z0-9+/]/g, '');
    const whole = text.length - (text.length % 4);
    left = text.slice(whole);
    if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
  }
  if (left.length > 1) yield Buffer.from(left, 'base64');
}

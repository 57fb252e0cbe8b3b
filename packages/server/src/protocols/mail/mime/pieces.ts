// The content of an attachment: decoded bytes, or a range of the raw message that is decoded while it is stored.

/** Decoded bytes, or a range of the raw message. */
export type Piece = Uint8Array | { start: number; end: number; encoding: 'base64' | 'none' };

/** A body of at least this size is not copied. */
export const long_bytes = 32 * 1024;
const chunk_bytes = 128 * 1024;

/** Yields the decoded content in chunks. */
export async function* contentOf(raw: Buffer, pieces: Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else if (piece.encoding === 'none') yield raw.subarray(piece.start, piece.end);
    else yield* decoded(raw, piece.start, piece.end);
  }
}

function* decoded(raw: Buffer, start: number, end: number): Generator<Uint8Array> {
  let carry = '';
  for (let from = start; from < end; from += chunk_bytes) {
    const text = raw
      .toString('latin1', from, Math.min(end, from + chunk_bytes))
      .replaceAll(/[^A-Za-z0-9+/=]/g, '');
    // Padding may occur in the middle, where separately encoded pieces were concatenated.
    for (const [index, piece] of text.split(/=+/).entries()) {
      if (index > 0 && carry.length > 1) yield Buffer.from(carry, 'base64');
      const available = index > 0 ? piece : carry + piece;
      const decodable = available.length - (available.length % 4);
      carry = available.slice(decodable);
      if (decodable > 0) yield Buffer.from(available.slice(0, decodable), 'base64');
    }
  }
  if (carry.length > 1) yield Buffer.from(carry, 'base64');
}

// The content of an attachment, as bytes at hand or as a stretch of the raw message that is decoded while it is stored.

/** Bytes at hand, or a stretch of the raw message. */
export type Piece = Uint8Array | { start: number; end: number; encoding: 'base64' | 'none' };

/** From here on a body is not copied. */
export const long_bytes = 32 * 1024;
const chunk_bytes = 128 * 1024;

/** The content, a little at a time. */
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
    const text = raw
      .toString('latin1', from, Math.min(end, from + chunk_bytes))
      .replaceAll(/[^A-Za-z0-9+/=]/g, '');
    // Padding ends a piece; another one may follow where pieces were encoded apart and put together.
    for (const [index, piece] of text.split(/=+/).entries()) {
      if (index > 0 && left.length > 1) yield Buffer.from(left, 'base64');
      const whole = index > 0 ? piece : left + piece;
      const ready = whole.length - (whole.length % 4);
      left = whole.slice(ready);
      if (ready > 0) yield Buffer.from(whole.slice(0, ready), 'base64');
    }
  }
  if (left.length > 1) yield Buffer.from(left, 'base64');
}

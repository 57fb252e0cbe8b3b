// Gathers the pieces of a message into one buffer of its own, without holding a large one twice.

/** Below this a copy costs less than the care to avoid it. */
const small_bytes = 256 * 1024;

export function messageBuffer(max_bytes: number) {
  let pieces: Buffer[] = [];
  let size = 0;
  let large: ArrayBuffer | null = null;

  const copyTo = (target: ArrayBuffer, at: number, list: Buffer[]) => {
    const view = new Uint8Array(target);
    for (const piece of list) {
      view.set(piece, at);
      at += piece.length;
    }
  };

  return {
    /** The caller stops at `max_bytes`. */
    add(piece: Buffer): void {
      if (!large && size + piece.length <= small_bytes) {
        pieces.push(piece);
        size += piece.length;
        return;
      }
      if (!large) {
        // Only as much of it is real memory as has been written.
        large = new ArrayBuffer(0, { maxByteLength: Math.max(max_bytes, size + piece.length) });
        large.resize(size);
        copyTo(large, 0, pieces);
        pieces = [];
      }
      large.resize(size + piece.length);
      copyTo(large, size, [piece]);
      size += piece.length;
    },
    /** Once, at the end: a buffer that can be moved to a thread. */
    whole(): Buffer {
      if (large) return Buffer.from(large.transferToFixedLength());
      const whole = new ArrayBuffer(size);
      copyTo(whole, 0, pieces);
      return Buffer.from(whole);
    },
  };
}

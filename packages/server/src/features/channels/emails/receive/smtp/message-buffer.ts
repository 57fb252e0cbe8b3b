// Collects the chunks of a message into one buffer, without holding a large message in memory twice.

/** Below this size a copy is cheaper than a resizable buffer. */
const small_bytes = 256 * 1024;

export function messageBuffer(max_bytes: number) {
  let chunks: Buffer[] = [];
  let size = 0;
  let large: ArrayBuffer | null = null;

  const copyTo = (target: ArrayBuffer, at: number, list: Buffer[]) => {
    const view = new Uint8Array(target);
    for (const chunk of list) {
      view.set(chunk, at);
      at += chunk.length;
    }
  };

  return {
    /** The caller must stop at `max_bytes`. */
    add(chunk: Buffer): void {
      if (!large && size + chunk.length <= small_bytes) {
        chunks.push(chunk);
        size += chunk.length;
        return;
      }
      if (!large) {
        // Reserves address space only: memory is used as it is written.
        large = new ArrayBuffer(0, { maxByteLength: Math.max(max_bytes, size + chunk.length) });
        large.resize(size);
        copyTo(large, 0, chunks);
        chunks = [];
      }
      large.resize(size + chunk.length);
      copyTo(large, size, [chunk]);
      size += chunk.length;
    },
    /** Call it once, at the end. The buffer owns its memory, so it can be transferred to a thread. */
    toBuffer(): Buffer {
      if (large) return Buffer.from(large.transferToFixedLength());
      const whole = new ArrayBuffer(size);
      copyTo(whole, 0, chunks);
      return Buffer.from(whole);
    },
  };
}

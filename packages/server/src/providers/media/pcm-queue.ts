// A queue of PCM samples: buffers of any length in, buffers of a requested length out.

export function pcmQueue() {
  let chunks: Int16Array[] = [];
  /** Samples of the first chunk that were taken already. */
  let offset = 0;
  let length = 0;
  return {
    length: () => length,
    push(pcm: Int16Array): void {
      chunks.push(pcm);
      length += pcm.length;
    },
    /** Takes `count` samples, at most `length()`: a view of the first chunk, or a copy when they span several chunks. */
    take(count: number): Int16Array {
      const end = offset + count;
      length -= count;
      if (end < chunks[0]!.length) {
        const pcm = chunks[0]!.subarray(offset, end);
        offset = end;
        return pcm;
      }
      const pcm = new Int16Array(count);
      for (let filled = 0; filled < count; ) {
        const part = chunks[0]!.subarray(offset, offset + count - filled);
        pcm.set(part, filled);
        filled += part.length;
        offset += part.length;
        if (offset < chunks[0]!.length) continue;
        chunks.shift();
        offset = 0;
      }
      return pcm;
    },
    clear(): void {
      chunks = [];
      offset = 0;
      length = 0;
    },
  };
}

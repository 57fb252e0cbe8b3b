// What is still to be said: encoded audio in the order it was written, and the marks that stand between.

export type MarkOutcome = 'played' | 'cleared';

export function playoutQueue(silence: number) {
  let chunks: Uint8Array[] = [];
  let first_offset = 0;
  let queued = 0;
  let played = 0;
  let marks: { at: number; settle: (outcome: MarkOutcome) => void }[] = [];

  function settleMarks(): void {
    while (marks.length > 0 && marks[0]!.at <= played) marks.shift()!.settle('played');
  }

  return {
    push(bytes: Uint8Array): void {
      if (bytes.length === 0) return;
      chunks.push(bytes);
      queued += bytes.length;
    },

    /** Fills the place from `start` with what comes next, then silence. Says whether there was anything. */
    fill(target: Uint8Array, start: number): boolean {
      const had_some = queued > 0;
      let at = start;
      while (at < target.length && chunks.length > 0) {
        const chunk = chunks[0]!;
        const part = chunk.subarray(first_offset, first_offset + target.length - at);
        target.set(part, at);
        at += part.length;
        first_offset += part.length;
        queued -= part.length;
        played += part.length;
        if (first_offset === chunk.length) {
          chunks.shift();
          first_offset = 0;
        }
      }
      if (at < target.length) target.fill(silence, at);
      if (marks.length > 0) settleMarks();
      return had_some;
    },

    /** Settles when everything written so far was sent, or dropped. */
    mark: (): Promise<MarkOutcome> =>
      new Promise((settle) => {
        marks.push({ at: played + queued, settle });
        settleMarks();
      }),

    clear(): void {
      chunks = [];
      first_offset = 0;
      queued = 0;
      const dropped = marks;
      marks = [];
      for (const { settle } of dropped) settle('cleared');
    },

    queued_samples: () => queued,
    played_samples: () => played,
  };
}
export type PlayoutQueue = ReturnType<typeof playoutQueue>;

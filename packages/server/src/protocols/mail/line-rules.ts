// Watches the lines of a message as it arrives: a line break is CR LF and nothing else, and no line is endless.

export type LineFault = 'bare_line_break' | 'line_too_long';

const cr = 0x0d;
const lf = 0x0a;

/**
 * What one server takes for a line break and the next does not is how a second message is smuggled into the first:
 * such mail is refused, so that nothing of the kind is stored or passed on.
 */
export function lineRules(max_line_bytes: number) {
  let ended_in_cr = false;
  let line_bytes = 0;

  return {
    /** Null while all is well; the chunks follow each other. */
    check(chunk: Uint8Array): LineFault | null {
      if (chunk.length === 0) return null;
      let from = 0;
      if (ended_in_cr) {
        if (chunk[0] !== lf) return 'bare_line_break';
        from = 1;
        line_bytes = 0;
        ended_in_cr = false;
      }
      for (;;) {
        const feed = chunk.indexOf(lf, from);
        const carriage = chunk.indexOf(cr, from);
        if (feed === -1) {
          const tail = chunk.length - from;
          if (carriage !== -1 && carriage !== chunk.length - 1) return 'bare_line_break';
          ended_in_cr = carriage !== -1;
          line_bytes += tail;
          return line_bytes > max_line_bytes ? 'line_too_long' : null;
        }
        if (carriage === -1 || carriage !== feed - 1) return 'bare_line_break';
        if (line_bytes + feed - from > max_line_bytes) return 'line_too_long';
        line_bytes = 0;
        from = feed + 1;
      }
    },
  };
}

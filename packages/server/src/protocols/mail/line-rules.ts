// Checks the lines of a message while it arrives: only CR LF is a line break, and a line has a maximum length.

export type LineFault = 'bare_line_break' | 'line_too_long';

const cr = 0x0d;
const lf = 0x0a;

/**
 * Prevents SMTP smuggling: if two servers disagree about what a line break is, a sender can hide a second message in the first.
 * A message with a bare CR or LF is therefore refused, never stored or forwarded.
 */
export function lineRules(max_line_bytes: number) {
  let ended_in_cr = false;
  let line_bytes = 0;

  return {
    /** Call with each chunk in order. Returns null while no rule is broken. */
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

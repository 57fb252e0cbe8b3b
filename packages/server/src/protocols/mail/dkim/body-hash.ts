// The body hash of DKIM with relaxed canonicalization (RFC 6376 section 3.4.4), for signing and for verifying.
import { createHash, hash } from 'node:crypto';

/** Hashes a body chunk by chunk: runs of spaces become one space, empty lines at the end are dropped. */
export function bodyHasher() {
  const hash = createHash('sha256');
  let carry = '';
  let blank_lines = 0;
  const addLines = (lines: string[]) => {
    let text = '';
    for (const line of lines) {
      const folded = line.includes(' ') || line.includes('\t') ? line.replaceAll(/[ \t]+/g, ' ') : line;
      const trimmed = folded.endsWith(' ') ? folded.slice(0, -1) : folded;
      if (trimmed === '') {
        blank_lines++;
        continue;
      }
      if (blank_lines > 0) {
        text += '\r\n'.repeat(blank_lines);
        blank_lines = 0;
      }
      text += `${trimmed}\r\n`;
    }
    hash.update(text, 'latin1');
  };
  return {
    update(chunk: Buffer): void {
      const text = chunk.toString('latin1');
      // Append without splitting: splitting the carried text for every chunk takes quadratic time on a long line.
      if (!text.includes('\n')) {
        carry += text;
        return;
      }
      const lines = (carry + text).split('\r\n');
      carry = lines.pop()!;
      // The last element is carried over: it may end with the CR of a CR LF that is split between two chunks.
      addLines(lines);
    },
    digest(): string {
      if (carry !== '') addLines([carry]);
      return hash.digest('base64');
    },
  };
}

/** The same hash for a whole ASCII body. Fast path: most bodies need no change except at the end. */
export function bodyHash(body: string): string {
  if (!body.endsWith('\r\n') || /\t| {2}| \r\n/.test(body)) {
    const hasher = bodyHasher();
    hasher.update(Buffer.from(body, 'latin1'));
    return hasher.digest();
  }
  let end = body.length;
  while (body.endsWith('\r\n', end)) end -= 2;
  return hash('sha256', end === 0 ? '' : body.slice(0, end + 2), 'base64');
}

// Parses the Range header of a download (RFC 9110 section 14).

/** Both ends are included. */
export type ByteRange = { start: number; end: number };

/**
 * Null means: send the whole file. That is also the result for several ranges, for other units, and for If-Range, because
 * downloads have no validator.
 */
export function readRange(
  headers: { range?: string | undefined; 'if-range'?: string | undefined },
  size: number,
): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range?.trim() ?? '');
  if (!match || headers['if-range'] !== undefined) return null;
  const [first, last] = [match[1]!, match[2]!];
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

// Changes every line break to CR LF, for messages that did not arrive over SMTP.
import { setImmediate as nextTurn } from 'node:timers/promises';

const cr = 0x0d;
const lf = 0x0a;
/** Takes about one millisecond. */
const slice_bytes = 256 * 1024;

/** Works in slices and yields between them, so that a large message does not block the event loop. */
export async function withCrLf(raw: Buffer): Promise<Buffer> {
  const slices: Buffer[] = [];
  let changed = false;
  for (let from = 0; from < raw.length; from += slice_bytes) {
    if (from > 0) await nextTurn();
    const to = Math.min(raw.length, from + slice_bytes);
    const slice = withFixedBreaks(raw, from, to);
    changed ||= slice.length !== to - from;
    slices.push(slice);
  }
  return changed ? Buffer.concat(slices) : raw;
}

const isBare = (raw: Buffer, at: number): boolean =>
  raw[at] === lf ? raw[at - 1] !== cr : raw[at] === cr && raw[at + 1] !== lf;

function withFixedBreaks(raw: Buffer, from: number, to: number): Buffer {
  let bare = 0;
  for (let at = from; at < to; at++) if (isBare(raw, at)) bare++;
  if (bare === 0) return raw.subarray(from, to);
  const out = Buffer.allocUnsafe(to - from + bare);
  let position = 0;
  for (let at = from; at < to; at++) {
    if (isBare(raw, at)) {
      out[position++] = cr;
      out[position++] = lf;
    } else out[position++] = raw[at]!;
  }
  return out;
}

// Makes every line break CR LF, for messages that did not come over SMTP.
import { setImmediate as turn } from 'node:timers/promises';

const cr = 0x0d;
const lf = 0x0a;
/** About a millisecond of work. */
const slice_bytes = 256 * 1024;

/** A slice at a time, so that the event loop never waits for a message made of line breaks. */
export async function withCrLf(raw: Buffer): Promise<Buffer> {
  const slices: Buffer[] = [];
  let changed = false;
  for (let from = 0; from < raw.length; from += slice_bytes) {
    if (from > 0) await turn();
    const to = Math.min(raw.length, from + slice_bytes);
    const slice = fixed(raw, from, to);
    changed ||= slice.length !== to - from;
    slices.push(slice);
  }
  return changed ? Buffer.concat(slices) : raw;
}

const isBare = (raw: Buffer, at: number): boolean =>
  raw[at] === lf ? raw[at - 1] !== cr : raw[at] === cr && raw[at + 1] !== lf;

function fixed(raw: Buffer, from: number, to: number): Buffer {
  let bare = 0;
  for (let at = from; at < to; at++) if (isBare(raw, at)) bare++;
  if (bare === 0) return raw.subarray(from, to);
  const out = Buffer.allocUnsafe(to - from + bare);
  let place = 0;
  for (let at = from; at < to; at++) {
    if (isBare(raw, at)) {
      out[place++] = cr;
      out[place++] = lf;
    } else out[place++] = raw[at]!;
  }
  return out;
}

// Converts a byte stream of little-endian 16-bit samples to 8 kHz PCM.
import { resampler, toFloat, toPcm } from '../../protocols/audio/resample.ts';
import { line_rate_hz } from '../media/media-session.ts';

export async function* pcmFromBytes(body: AsyncIterable<Buffer>, rate_hz: number): AsyncIterable<Int16Array> {
  const { push, flush } = resampler(rate_hz, line_rate_hz);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    // A chunk may end in the middle of a sample.
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const whole = bytes.length & ~1;
    rest = bytes.subarray(whole);
    const samples = new Int16Array(whole / 2);
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i);
    const pcm = toPcm(push(toFloat(samples)));
    if (pcm.length > 0) yield pcm;
  }
  const end = toPcm(flush());
  if (end.length > 0) yield end;
}

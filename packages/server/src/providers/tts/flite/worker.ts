// The thread of flite: a text in, sound at the rate of the line out, without the silence around it.
import { handleTasks } from '../../../platform/thread-pool.ts';
import { resample, toFloat, toPcm } from '../../../protocols/audio/resample.ts';
import { line_rate_hz, samplesOf } from '../../media/media-session.ts';
import { openFlite, runFlite } from './flite-program.ts';

export type ToSpeak = { text: string; voice: string };

const flite = openFlite();
const header_bytes = 44;
const rate_at_byte = 24;

handleTasks<ToSpeak, Int16Array>(async ({ text, voice }) => {
  const wav = runFlite(await flite, ['flite', '-voice', voice, '-t', text, '/sound.wav']);
  if (wav.length < header_bytes) return { result: new Int16Array(0) };
  const rate_hz = new DataView(wav.buffer, wav.byteOffset).getUint32(rate_at_byte, true);
  // The sample data starts at an even offset; a stray last byte is no sample.
  const body = wav.slice(header_bytes, header_bytes + ((wav.length - header_bytes) & ~1));
  const pcm = toPcm(resample(toFloat(new Int16Array(body.buffer)), rate_hz, line_rate_hz));
  const spoken = withoutSilence(pcm);
  return { result: spoken, transfer: [spoken.buffer as ArrayBuffer] };
});

/** The program leaves a quarter of a second at either end, which a caller would hear as hesitation. */
function withoutSilence(pcm: Int16Array): Int16Array {
  const isSound = (sample: number) => Math.abs(sample) > 200;
  const start = Math.max(0, pcm.findIndex(isSound) - samplesOf(20));
  return pcm.slice(start, pcm.findLastIndex(isSound) + samplesOf(120));
}

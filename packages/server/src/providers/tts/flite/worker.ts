// Worker thread of flite: takes a text and returns 8 kHz PCM without silence at the start and the end.
import { handleTasks } from '../../../platform/thread-pool.ts';
import { resample, toFloat, toPcm } from '../../../protocols/audio/resample.ts';
import { line_rate_hz, samplesOf } from '../../media/media-session.ts';
import { openFlite, runFlite } from './flite-program.ts';

export type SpeechTask = { text: string; voice: string };

const flite = openFlite();
const header_bytes = 44;
const rate_at_byte = 24;

handleTasks<SpeechTask, Int16Array>(async ({ text, voice }) => {
  const wav = runFlite(await flite, ['flite', '-voice', voice, '-t', text, '/sound.wav']);
  if (wav.length < header_bytes) return { result: new Int16Array(0) };
  const rate_hz = new DataView(wav.buffer, wav.byteOffset).getUint32(rate_at_byte, true);
  // The samples start at an even offset; ignore an odd last byte.
  const body = wav.slice(header_bytes, header_bytes + ((wav.length - header_bytes) & ~1));
  const pcm = toPcm(resample(toFloat(new Int16Array(body.buffer)), rate_hz, line_rate_hz));
  const spoken = withoutSilence(pcm);
  return { result: spoken, transfer: [spoken.buffer as ArrayBuffer] };
});

/** flite adds a quarter of a second of silence on both sides, which sounds like hesitation. */
function withoutSilence(pcm: Int16Array): Int16Array {
  const isSound = (sample: number) => Math.abs(sample) > 200;
  const start = Math.max(0, pcm.findIndex(isSound) - samplesOf(20));
  return pcm.slice(start, pcm.findLastIndex(isSound) + samplesOf(120));
}

// The thread that converts the sounds of relays: a minute of music takes about a second of processor time.
import { handleTasks } from '../../../platform/thread-pool.ts';
import { readWav } from '../../../protocols/audio/read-wav.ts';
import { resample, toFloat, toPcm } from '../../../protocols/audio/resample.ts';
import { line_rate_hz } from '../../media/media-session.ts';

/** Null for a file that is not a sound which we read. */
export type ConvertedSound = Int16Array | null;

handleTasks<Uint8Array, ConvertedSound>(async (file) => {
  const wav = readWav(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  if (!wav) return { result: null };
  const result = toPcm(resample(toFloat(wav.pcm), wav.rate_hz, line_rate_hz));
  return { result, transfer: [result.buffer as ArrayBuffer] };
});

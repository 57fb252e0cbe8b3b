// Reads a WAV file with PCM of 16 bits or G.711. The input is not trusted.
import { g711 } from './g711.ts';

const formats = { 1: 'PCM', 6: 'PCMA', 7: 'PCMU' } as const;
const max_channels = 2;

/** The first channel; null when the file is another kind of sound. */
export function readWav(file: Buffer): { rate_hz: number; pcm: Int16Array } | null {
  if (
    file.length < 12 ||
    file.toString('latin1', 0, 4) !== 'RIFF' ||
    file.toString('latin1', 8, 12) !== 'WAVE'
  )
    return null;
  const format = chunk(file, 'fmt ');
  const data = chunk(file, 'data');
  if (!format || format.length < 16 || !data) return null;
  const kind = formats[format.readUInt16LE(0) as keyof typeof formats];
  const channels = format.readUInt16LE(2);
  const rate_hz = format.readUInt32LE(4);
  const bits = format.readUInt16LE(14);
  const is_known = kind === 'PCM' ? bits === 16 : kind !== undefined && bits === 8;
  if (!is_known || channels < 1 || channels > max_channels || rate_hz < 8_000 || rate_hz > 48_000)
    return null;
  return { rate_hz, pcm: kind === 'PCM' ? samplesOf(data, channels) : decoded(data, kind!, channels) };
}

function chunk(file: Buffer, name: string): Buffer | null {
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    // A file that was written while it was recorded has the largest length.
    if (file.toString('latin1', at, at + 4) === name)
      return file.subarray(at + 8, Math.min(file.length, at + 8 + length));
    at += 8 + length + (length % 2);
  }
  return null;
}

const samplesOf = (data: Buffer, channels: number): Int16Array =>
  Int16Array.from({ length: Math.floor(data.length / 2 / channels) }, (_, n) =>
    data.readInt16LE(n * 2 * channels),
  );

function decoded(data: Buffer, codec: 'PCMU' | 'PCMA', channels: number): Int16Array {
  const { decode_table } = g711(codec);
  return Int16Array.from(
    { length: Math.floor(data.length / channels) },
    (_, n) => decode_table[data[n * channels]!]!,
  );
}

// The head of a WAV file with 16-bit samples.

/** Stands for a length that is not known yet; players then read to the end. */
export const unknown_length = 0xffff_ffff - 36;

export const wav_header_bytes = 44;

export function wavHeader(options: { rate_hz: number; channels: number; data_bytes: number }): Buffer {
  const { rate_hz, channels, data_bytes } = options;
  const bytes_per_moment = channels * 2;
  const head = Buffer.alloc(wav_header_bytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data_bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate_hz, 24);
  head.writeUInt32LE(rate_hz * bytes_per_moment, 28);
  head.writeUInt16LE(bytes_per_moment, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(data_bytes, 40);
  return head;
}

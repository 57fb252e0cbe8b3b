// The header of a WAV file with 16-bit PCM samples.

/** Data length of a file that is still being written; players then read to the end of the file. */
export const unknown_length = 0xffff_ffff - 36;

export const wav_header_bytes = 44;

export function wavHeader(options: { rate_hz: number; channels: number; data_bytes: number }): Buffer {
  const { rate_hz, channels, data_bytes } = options;
  const bytes_per_frame = channels * 2;
  const header = Buffer.alloc(wav_header_bytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data_bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate_hz, 24);
  header.writeUInt32LE(rate_hz * bytes_per_frame, 28);
  header.writeUInt16LE(bytes_per_frame, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data_bytes, 40);
  return header;
}

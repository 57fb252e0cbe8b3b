// Extracts the files from winmail.dat (TNEF, MS-OXTNEF). Its message text is ignored, because mail with TNEF also has a text part.

const signature = 0x223e9f78;
const attachment_begins = 0x00069002;
const attachment_title = 0x00018010;
const attachment_data = 0x0006800f;
const max_files = 100;

/** Returns the files that could be read; none if the input is not TNEF. Truncated input is no error. */
export function tnefFiles(bytes: Uint8Array): { filename: string; content: Uint8Array }[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 6 || view.readUInt32LE(0) !== signature) return [];
  const files: { filename: string; content: Uint8Array | null }[] = [];
  // Each attribute: level (1 byte), tag (4), length (4), data, checksum (2).
  for (let at = 6; at + 9 <= view.length; ) {
    const tag = view.readUInt32LE(at + 1);
    const length = view.readUInt32LE(at + 5);
    const start = at + 9;
    if (start + length > view.length) break;
    const data = view.subarray(start, start + length);
    const file = files.at(-1);
    if (tag === attachment_begins && files.length < max_files) files.push({ filename: '', content: null });
    else if (tag === attachment_title && file) file.filename = data.toString('latin1').replace(/\0.*$/s, '');
    else if (tag === attachment_data && file) file.content = data;
    at = start + length + 2;
  }
  return files.flatMap(({ filename, content }) => (content ? [{ filename, content }] : []));
}

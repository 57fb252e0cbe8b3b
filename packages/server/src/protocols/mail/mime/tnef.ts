// Opens winmail.dat (TNEF, MS-OXTNEF): only the files inside it; the letter itself also comes as text.

const signature = 0x223e9f78;
const attachment_begins = 0x00069002;
const attachment_title = 0x00018010;
const attachment_data = 0x0006800f;
const max_files = 100;

/** Anything that is not TNEF, or is cut short, gives what could be read. */
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

// A temporary file that is deleted while it is open: a process that is killed leaves nothing of a person on the disk.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';

export type UnnamedFile = {
  /** Appends. Use one writer at a time. */
  writer(): Writable;
  /** Reads the whole file from its start; several may read at once. */
  reader(): Readable;
  replaceStart(bytes: Buffer): Promise<void>;
  /** Frees the space, and fails what still reads or writes. */
  close(): Promise<void>;
};

const chunk_bytes = 64 * 1024;

export async function openUnnamedFile(): Promise<UnnamedFile> {
  return streamsOf(await openDeleted());
}

export function streamsOf(file: FileHandle): UnnamedFile {
  return {
    // Streams of the file handle itself would close it when they are destroyed.
    writer: () =>
      new Writable({ write: (bytes, _, done) => void file.appendFile(bytes).then(() => done(), done) }),
    reader: () => Readable.from(chunksOf(file), { objectMode: false }),
    replaceStart: async (bytes) => void (await file.write(bytes, 0, bytes.length, 0)),
    close: () => file.close(),
  };
}

async function openDeleted(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-file-'));
  try {
    return await open(join(folder, 'content'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const buffer = Buffer.allocUnsafe(chunk_bytes);
    const { bytesRead } = await file.read({ buffer, position });
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

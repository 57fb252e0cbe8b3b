// The file of a recording until it is in the object storage: it survives the process, and another one stores it.
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openUnnamedFile, streamsOf, type UnnamedFile } from '../../../../../platform/unnamed-file.ts';

type CallId = { id: string; organization_id: string };

export type RecordingFile = UnnamedFile & {
  /** Whether it has a name, so that `keep` works. */
  has_name: boolean;
  /** Leaves it to `unfinishedRecordings`. */
  keep(): Promise<void>;
  /** Deletes it. */
  remove(): Promise<void>;
};

export type UnfinishedRecording = CallId & { path: string; file: FileHandle; size_bytes: number };

/** A recording is written many times in a second: without a write for so long, nobody writes it any more. */
const silent_ms = 2 * 60_000;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const names = new RegExp(`^(${uuid})\\.(${uuid})\\.(wav|complete)$`);
const pathOf = (folder: string, { id, organization_id }: CallId, kind: 'wav' | 'complete') =>
  join(folder, `${organization_id}.${id}.${kind}`);

/** Where the folder cannot be written, the file lives as long as the process. */
export async function openRecordingFile(folder: string, call: CallId): Promise<RecordingFile> {
  const path = pathOf(folder, call, 'wav');
  let file: FileHandle;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    file = await open(path, 'wx+', 0o600);
  } catch {
    const unnamed = await openUnnamedFile();
    return { ...unnamed, has_name: false, keep: unnamed.close, remove: unnamed.close };
  }
  const streams = streamsOf(file);
  return {
    ...streams,
    has_name: true,
    async keep() {
      await rename(path, pathOf(folder, call, 'complete'));
      await streams.close();
    },
    async remove() {
      await rm(path, { force: true });
      await streams.close();
    },
  };
}

/** Recordings whose process could not store them, or was killed. `now_ms` is the time of the file system. */
export async function* unfinishedRecordings(
  folder: string,
  now_ms: () => number,
): AsyncGenerator<UnfinishedRecording> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of files.toSorted()) {
    const [, organization_id, id, kind] = names.exec(name) ?? [];
    if (organization_id === undefined || id === undefined) continue;
    const path = join(folder, name);
    // Another process may have stored and deleted it.
    const facts = await stat(path).catch(() => null);
    if (!facts || (kind === 'wav' && now_ms() - facts.mtimeMs < silent_ms)) continue;
    const file = await open(path, 'r+').catch(() => null);
    if (!file) continue;
    try {
      yield { id, organization_id, path, file, size_bytes: facts.size };
    } finally {
      await file.close();
    }
  }
}

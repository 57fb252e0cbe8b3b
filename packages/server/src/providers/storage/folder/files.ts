// Writes and lists the files of the folder storage.
import type { Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isKey } from '../storage.ts';

/** For `catch`: returns the fallback if the file does not exist, and throws other errors. */
export const ifMissing =
  <T>(fallback: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };

/** Syncs every new folder and its parent, so that the folder survives a power failure. Few are ever created. */
export async function createFolder(path: string): Promise<void> {
  const first = await mkdir(resolve(path), { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = resolve(path); at.length >= first.length; at = dirname(at)) await syncFolder(at);
  await syncFolder(dirname(first));
}

async function syncFolder(folder: string): Promise<void> {
  const file = await open(folder, 'r');
  await file.sync().finally(() => file.close());
}

/**
 * Writes to `draft` first and renames it to `path`. When it returns, content and name are on the disk, because the record that
 * refers to the file is committed next.
 */
export async function writeFile(
  path: string,
  draft: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  // Opened before anything else can fail, so that the draft cannot be created after it was removed.
  const file = await open(draft, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await createFolder(dirname(path));
    return open(draft, 'wx', 0o600);
  });
  let name = draft;
  try {
    await write(file);
    await rename(draft, path);
    name = path;
    // One sync after the rename is enough: journaling file systems (ext4, XFS, btrfs, ZFS) keep the order, so the rename is on
    // the disk too. No process reads the file before its record is committed.
    await file.sync();
  } catch (error) {
    await rm(name, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Not the form of a key, so it is never listed as an object. */
const check_name = '.check';

/** A read-only folder can be listed, so only a write shows whether objects can be stored. */
export async function tryWrite(folder: string): Promise<void> {
  await createFolder(folder);
  const path = join(folder, check_name);
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('ready');
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path, { force: true });
}

/** The keys below a prefix in order, after `after`, at most `limit`. */
export async function listKeys(
  folder: string,
  prefix: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const keys: string[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(
      ifMissing<Dirent[]>([]),
    );
    const names = entries.map((each) => below + each.name + (each.isDirectory() ? '/' : '')).sort();
    for (const name of names) {
      if (keys.length === limit) return;
      if (!name.endsWith('/')) {
        if (name > after && isKey(name)) keys.push(name);
      } else if (name > after || after.startsWith(name)) await walk(name);
    }
  };
  await walk(prefix);
  return keys;
}

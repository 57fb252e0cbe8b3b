// Detects a full or broken disk: how much space is left, and which errors mean that it is full or cannot be used.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** File system full, file system quota reached, and PostgreSQL's disk_full. */
const full_codes = new Set(['ENOSPC', 'EDQUOT', '53100']);

const codeOf = (error: unknown) =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? '') : '';

export const isDiskFull = (error: unknown): boolean => full_codes.has(codeOf(error));

/** Only a file system that is read-only or has a fault gives these. */
const fault_codes = ['EROFS', 'EIO', 'ESTALE'];
/** From a folder of objects these mean the same; from elsewhere, such as a socket, they have other causes. */
const unusable_codes = new Set([
  ...fault_codes,
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOENT',
  'ELOOP',
  'ENXIO',
  'ENODEV',
  'ENOTCONN',
  'EBUSY',
  'EMFILE',
  'ENFILE',
]);

/** The storage of objects cannot be used now; a later request may succeed. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

export const isStorageFault = (error: unknown): boolean =>
  error instanceof StorageUnavailable || fault_codes.includes(codeOf(error));

/** For `catch` where objects are files: an error of the file system becomes StorageUnavailable. */
export function storageError(error: unknown): never {
  if (!unusable_codes.has(codeOf(error))) throw error;
  throw new StorageUnavailable(`The folder of the objects cannot be used: ${(error as Error).message}`, {
    cause: error,
  });
}

/** An error for which isDiskFull is true. */
export const diskFull = (message: string) => Object.assign(new Error(message), { code: 'ENOSPC' });

const mebibyte = 1024 * 1024;
const cache_ms = 1000;

export type DiskSpace = {
  /** Throws while less than the minimum is free. */
  check(): Promise<void>;
  /** The same with a result cached for a second: called for every object that is stored. */
  checkCached(): Promise<void>;
};

/** The last `min_bytes` are reserved for the database on the same disk. 0 disables the check. */
export function diskSpace(options: { folder: string; min_bytes: number }): DiskSpace {
  const { folder, min_bytes } = options;
  let checked_ms = Number.NEGATIVE_INFINITY;
  let result: Promise<void> | null = null;

  const check = async () => {
    if (min_bytes === 0) return;
    const { bavail, bsize } = (await statOfExisting(folder)) as { bavail: number; bsize: number };
    const free_bytes = bavail * bsize;
    if (free_bytes >= min_bytes) return;
    const [free, min] = [free_bytes, min_bytes].map((bytes) => Math.floor(bytes / mebibyte));
    throw diskFull(`${free} MB are free on the disk of ${folder}; at least ${min} MB must be`);
  };
  return {
    check,
    checkCached() {
      if (result && performance.now() - checked_ms < cache_ms) return result;
      checked_ms = performance.now();
      result = check();
      result.catch(() => {});
      return result;
    },
  };
}

/** A folder that does not exist yet will be on the disk of its parent. */
const statOfExisting = (folder: string): ReturnType<typeof statfs> =>
  statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return statOfExisting(dirname(folder));
  });

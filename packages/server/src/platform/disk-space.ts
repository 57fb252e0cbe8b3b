// Detects a full disk: how much space is left, and which errors mean that it is full.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** File system full, file system quota reached, and PostgreSQL's disk_full. */
const full_codes = new Set(['ENOSPC', 'EDQUOT', '53100']);

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && full_codes.has((error as { code?: string }).code ?? '');

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

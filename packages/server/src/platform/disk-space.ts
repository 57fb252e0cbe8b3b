// Notices a full disk before and after it is full: what is left on it, and which errors say so.
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of the file system, of a quota of the file system, and of PostgreSQL (disk_full). */
const full_codes = new Set(['ENOSPC', 'EDQUOT', '53100']);

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && full_codes.has((error as { code?: string }).code ?? '');

/** An error of our own that means the same. */
export const diskFull = (words: string) => Object.assign(new Error(words), { code: 'ENOSPC' });

const mebibyte = 1024 * 1024;
const remembered_ms = 1000;

export type DiskSpace = {
  /** Throws while less than the minimum is free. */
  check(): Promise<void>;
  /** The same from a look that is a second old at most: for every object that is stored. */
  checkSoon(): Promise<void>;
};

/** Less than `min_bytes` is as good as nothing: what is left belongs to the database on the same disk. 0 looks at nothing. */
export function diskSpace(options: { folder: string; min_bytes: number }): DiskSpace {
  const { folder, min_bytes } = options;
  let looked_ms = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  const check = async () => {
    if (min_bytes === 0) return;
    const { bavail, bsize } = (await existing(folder)) as { bavail: number; bsize: number };
    const free_bytes = bavail * bsize;
    if (free_bytes >= min_bytes) return;
    const [free, min] = [free_bytes, min_bytes].map((bytes) => Math.floor(bytes / mebibyte));
    throw diskFull(`${free} MB are free on the disk of ${folder}; at least ${min} MB must be`);
  };
  return {
    check,
    checkSoon() {
      if (looking && performance.now() - looked_ms < remembered_ms) return looking;
      looked_ms = performance.now();
      looking = check();
      looking.catch(() => {});
      return looking;
    },
  };
}

/** A folder that is not made yet will be on the disk of the one above it. */
const existing = (folder: string): ReturnType<typeof statfs> =>
  statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return existing(dirname(folder));
  });

// Tells, from the modes of a folder and of everything above it, whether an account may go there.

import { dirname } from 'node:path';

export type Account = { uid: number; gid: number };
export type Stat = (path: string) => { uid: number; gid: number; mode: number };

/** `path` is absolute and holds no symbolic link: those have rights of their own along the way. */
export function canReach(path: string, account: Account, stat: Stat): boolean {
  const { uid, gid, mode } = stat(path);
  // POSIX takes the first class that matches, even when a later one would allow more.
  const search_bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & search_bit) === 0) return false;
  const parent = dirname(path);
  return parent === path || canReach(parent, account, stat);
}

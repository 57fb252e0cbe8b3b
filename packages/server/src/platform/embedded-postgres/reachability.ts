// Decides from file modes whether an account can enter a directory.

import { dirname } from 'node:path';

export type Account = { uid: number; gid: number };
export type Stat = (path: string) => { uid: number; gid: number; mode: number };

/** `path` is absolute and contains no symbolic link, whose target would have other parents. */
export function canReach(path: string, account: Account, stat: Stat): boolean {
  const { uid, gid, mode } = stat(path);
  // POSIX applies the first class that matches (owner, group, others), even if a later one allows more.
  const search_bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & search_bit) === 0) return false;
  const parent = dirname(path);
  return parent === path || canReach(parent, account, stat);
}

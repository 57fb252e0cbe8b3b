// Chooses the account PostgreSQL runs under: it refuses to run as root.

import { readFile, stat } from 'node:fs/promises';
import type { Account } from './reachability.ts';

/** null: the account of this process will do. */
export async function chooseAccount(data: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  // Data made earlier by an ordinary user stays that user's: PostgreSQL only serves a folder its own account owns.
  const made = await stat(data).catch(() => null);
  if (made && made.uid !== 0) return { uid: made.uid, gid: made.gid };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(passwd);
  return { uid: Number(nobody?.[1] ?? 65534), gid: Number(nobody?.[2] ?? 65534) };
}

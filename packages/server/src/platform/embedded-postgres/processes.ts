// Checks on processes that may not be our children.

import { readFile } from 'node:fs/promises';

/** The environment of PostgreSQL programs. The rest of ours may contain secrets. */
export const minimal_environment = {
  PATH: process.env.PATH,
  SystemRoot: process.env.SystemRoot,
  LC_ALL: 'C',
};

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Whether `pid` is the server of the directory `data`, and not another process that got the same id after a reboot or in
 * a new container. A zombie has an empty command line and does not count. Without /proc only the id is checked.
 */
export async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return command === null ? isAlive(pid) : command.split('\0').includes(data);
}

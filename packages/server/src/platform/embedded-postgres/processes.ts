// Questions about processes that may not be our children.

import { readFile } from 'node:fs/promises';

/** All a PostgreSQL program gets of our environment: the rest may hold secrets. */
export const bare_environment = {
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
 * Whether `pid` is the server of the folder `data`, and not a stranger that got the same number after a
 * reboot or in a new container. A zombie has an empty command line and is no server either. Where there
 * is no /proc, the number has to do.
 */
export async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  return command === null ? isAlive(pid) : command.split('\0').includes(data);
}

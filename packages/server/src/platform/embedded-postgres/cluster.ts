// Makes the data folder of a new PostgreSQL, and the password that opens it.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Accounts, giveTo } from './account.ts';
import { makeWholeFolder } from './atomic-dir.ts';
import { EmbeddedPostgresError, reasonOf, way_out } from './error.ts';
import { bare_environment } from './processes.ts';

export const superuser = 'parley';

/** Written, and on disk, before the data that only it can open. */
export async function ensurePassword(file: string, data: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(nullWhen('ENOENT'));
  if (kept) return kept.trim();
  if (existsSync(data)) {
    throw new EmbeddedPostgresError(
      `The password for the database in ${data} is missing: bring back ${file}, or remove ${data} to begin with an empty database.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  // Of two first starts at once the earlier one decides; a file that a kill left empty may be written over.
  const flag = kept === null ? 'wx' : 'w';
  const written = await writeFile(file, `${password}\n`, { mode: 0o600, flush: true, flag }).catch(
    nullWhen('EEXIST'),
  );
  return written === null ? ensurePassword(file, data) : password;
}

function nullWhen(code: string) {
  return (error: NodeJS.ErrnoException): null => {
    if (error.code === code) return null;
    throw error;
  };
}

export async function ensureCluster(deps: {
  data: string;
  initdb: string;
  accounts: Accounts | null;
  password: string;
  durable: boolean;
}): Promise<void> {
  const { data, initdb, accounts, password, durable } = deps;
  const maker = accounts?.maker;
  await makeWholeFolder(data, async (draft, content) => {
    const password_file = join(draft, 'password');
    await mkdir(content, { mode: 0o700 });
    await writeFile(password_file, password, { mode: 0o600 });
    if (maker) {
      await chown(content, maker.uid, maker.gid);
      await chown(password_file, maker.uid, maker.gid);
    }
    const how = [
      ...['--pgdata', content, '--username', superuser, '--pwfile', password_file],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
      // Sorts as C does, but knows the case of letters beyond ASCII, as the databases of others do.
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ];
    await promisify(execFile)(initdb, how, { ...maker, cwd: draft, env: bare_environment }).catch((cause) => {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL could not make its data folder (${reasonOf(cause)}); put that right, or ${way_out}.`,
        { cause },
      );
    });
    if (accounts && accounts.server !== accounts.maker) await giveTo(content, accounts.server);
  });
}

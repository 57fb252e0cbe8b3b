// Creates the database cluster with initdb, and its password.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Accounts, chownAll } from './account.ts';
import { createDirAtomically } from './atomic-dir.ts';
import { EmbeddedPostgresError, own_database_hint, reasonOf } from './error.ts';
import { minimal_environment } from './processes.ts';

export const superuser = 'parley';

/** The password is on disk before the data exists that only it can open. */
export async function ensurePassword(file: string, data: string): Promise<string> {
  const stored = await readFile(file, 'utf8').catch(nullWhen('ENOENT'));
  if (stored) return stored.trim();
  if (existsSync(data)) {
    throw new EmbeddedPostgresError(
      `The password for the database in ${data} is missing: bring back ${file}, or remove ${data} to begin with an empty database.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  // If two processes start for the first time, the first file wins. A file that a kill left empty is overwritten.
  const flag = stored === null ? 'wx' : 'w';
  const is_new = await writeFile(file, `${password}\n`, { mode: 0o600, flush: true, flag }).catch(
    nullWhen('EEXIST'),
  );
  return is_new === null ? ensurePassword(file, data) : password;
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
  const initdb_account = accounts?.initdb;
  await createDirAtomically(data, async (draft, content) => {
    const password_file = join(draft, 'password');
    await mkdir(content, { mode: 0o700 });
    await writeFile(password_file, password, { mode: 0o600 });
    if (initdb_account) {
      await chown(content, initdb_account.uid, initdb_account.gid);
      await chown(password_file, initdb_account.uid, initdb_account.gid);
    }
    const how = [
      ...['--pgdata', content, '--username', superuser, '--pwfile', password_file],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
      // Sorts like C, but maps upper and lower case beyond ASCII.
      ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ];
    await promisify(execFile)(initdb, how, { ...initdb_account, cwd: draft, env: minimal_environment }).catch(
      (cause) => {
        throw new EmbeddedPostgresError(
          `The embedded PostgreSQL could not make its data folder (${reasonOf(cause)}); put that right, or ${own_database_hint}.`,
          { cause },
        );
      },
    );
    if (accounts && accounts.server !== accounts.initdb) await chownAll(content, accounts.server);
  });
}

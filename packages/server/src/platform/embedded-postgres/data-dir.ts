// Decides where PostgreSQL stores its data: in the data directory, or elsewhere if its account cannot enter that.

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, lstat, mkdir, realpath, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Accounts } from './account.ts';
import { EmbeddedPostgresError, own_database_hint } from './error.ts';
import { canReach } from './reachability.ts';

/** `location` contains the data, the log and, if they had to be copied, the programs. */
export type DataLocation = { location: string; data: string };

export async function chooseDataDir(deps: {
  data_dir: string;
  accounts: Accounts | null;
  relocation_root: string;
  say(line: string): void;
}): Promise<DataLocation> {
  const { data_dir, accounts, relocation_root, say } = deps;
  const all = accounts ? [accounts.server, accounts.initdb] : [];
  const reaches = (path: string) => all.every((account) => canReach(path, account, statSync));

  if (!reaches(data_dir) && reaches(dirname(data_dir))) {
    // The directory is ours: let the account pass through. Secret files in it have their own modes.
    await chmod(data_dir, statSync(data_dir).mode | 0o011);
  }

  let data = join(data_dir, 'postgres');
  if (await lstat(data).catch(() => null)) {
    data = await realpath(data).catch((cause) => {
      throw new EmbeddedPostgresError(
        `${data} points to a folder that is gone: bring the folder back, or remove the link to begin with an empty database.`,
        { cause },
      );
    });
  } else if (!reaches(data_dir)) {
    data = join(await createRelocatedDir(relocation_root, data_dir, reaches), 'postgres');
  }

  const location = dirname(data);
  if (!reaches(location)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and the account it runs under instead cannot enter ${location}: let others pass through the folders on that path (chmod o+x), or ${own_database_hint}.`,
    );
  }
  if (!reaches(data_dir)) {
    say(`PostgreSQL does not run as root and only root may enter ${data_dir}: its data is in ${location}.`);
  }
  return { location, data };
}

/** The name is derived from the data directory, so that an interrupted start continues in the same place. */
async function createRelocatedDir(
  relocation_root: string,
  data_dir: string,
  reaches: (path: string) => boolean,
): Promise<string> {
  const name = createHash('sha256').update(data_dir).digest('hex').slice(0, 12);
  await mkdir(join(relocation_root, name), { recursive: true });
  const root = await realpath(relocation_root);
  const home = join(root, name);
  for (const folder of [root, home]) {
    if (!reaches(folder)) await chmod(folder, 0o711);
  }
  return home;
}

/** Created only after the data exists: a dangling link means that data was lost. */
export async function linkDataDir(data_dir: string, place: DataLocation): Promise<void> {
  const link = join(data_dir, 'postgres');
  if (!existsSync(link)) await symlink(place.data, link);
}

// The command rotate-master-key: seals every stored secret with a new master key.
import { randomBytes } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { type Config, masterKeyFile } from '../config/config.ts';
import { type MasterKey, sealer } from '../platform/crypto.ts';
import { rewrapSealed } from '../platform/db/rewrap.ts';
import { recordMasterKey } from '../platform/master-keys.ts';
import { StartError } from '../platform/start-error.ts';
import { fileMasterKeys, masterKeys } from './key-files.ts';
import { openMigrated } from './open-database.ts';
import { sealed_columns } from './sealed-columns.ts';
import type { StartOptions } from './start-options.ts';

/**
 * Seals every secret again with the first key of PARLEY_MASTER_KEY or, where the key is in the data folder, with a new
 * one. The folder holds both keys until all secrets are done, so the command may be interrupted and run again.
 */
export async function rotateMasterKey(options: StartOptions): Promise<number> {
  const { config, say } = options;
  const in_folder = config.DATABASE_URL === null && config.PARLEY_MASTER_KEY === null;
  if (!in_folder && config.PARLEY_MASTER_KEY === null) {
    throw new StartError(
      'Set PARLEY_MASTER_KEY to the new key, a comma and the old one, on every process first.',
    );
  }
  const db = await openMigrated(options);
  if (in_folder) {
    const old = (await fileMasterKeys(config)).map(({ key }) => key.toString('base64'));
    await replaceMasterKeyFile(config, [randomBytes(32).toString('base64'), ...old].join(','));
  }
  const keys = await masterKeys(config, db, say);
  const [newest] = keys as [MasterKey];
  const value_count = await rewrapSealed(db, {
    sealer: sealer(keys),
    current_key_id: newest.id,
    columns: sealed_columns,
  });
  await recordMasterKey(db, newest);
  if (in_folder) await replaceMasterKeyFile(config, newest.key.toString('base64'));
  return value_count;
}

/** Replaces the file atomically: without the old key the secrets would be lost. */
async function replaceMasterKeyFile(config: Config, text: string): Promise<void> {
  const file = masterKeyFile(config);
  const next = await open(`${file}.new`, 'w', 0o600);
  try {
    await next.writeFile(`${text}\n`);
    await next.sync();
  } finally {
    await next.close();
  }
  await rename(`${file}.new`, file);
}

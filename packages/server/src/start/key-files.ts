// The keys of the service in the data folder: shared key, master key and the secret of sessions.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { authSecretFile, type Config, masterKeyFile, sharedKeyFile } from '../config/config.ts';
import type { MasterKey } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import { agreedMasterKeys, masterKeysOfFile } from '../platform/master-keys.ts';
import { StartError } from '../platform/start-error.ts';

/** The key that an earlier start generated; null if there is none. */
export async function readSharedKey(config: Config): Promise<string | null> {
  const stored = await readFile(sharedKeyFile(config), 'utf8').catch(() => '');
  return stored.trim() || null;
}

/** Generated at the first start in managed mode and stored: a new one would sign all people out. */
export async function authSecret(config: Config): Promise<string | null> {
  if (config.PARLEY_MANAGED === 'off' || config.PARLEY_AUTH_SECRET !== null) return config.PARLEY_AUTH_SECRET;
  const file = authSecretFile(config);
  const stored = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (stored) return stored;
  const secret = randomBytes(32).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

export async function masterKeys(
  config: Config,
  db: Database,
  say: (line: string) => void,
): Promise<MasterKey[]> {
  const embedded = config.DATABASE_URL === null;
  if (!embedded && config.PARLEY_MASTER_KEY === null) {
    say(
      'The key that seals stored secrets is in the same database; set PARLEY_MASTER_KEY to keep it elsewhere.',
    );
  }
  const configured = config.PARLEY_MASTER_KEY ?? (embedded ? await fileMasterKeys(config) : null);
  const keys = await agreedMasterKeys(db, configured);
  if (keys) return keys;
  throw new StartError(
    'The secrets in this database are sealed with another master key. Set PARLEY_MASTER_KEY to the one they were sealed with.',
  );
}

export const fileMasterKeys = (config: Config): Promise<MasterKey[]> =>
  masterKeysOfFile(masterKeyFile(config)).catch((error: Error) => {
    throw new StartError(`The master key in ${masterKeyFile(config)} cannot be used: ${error.message}.`);
  });

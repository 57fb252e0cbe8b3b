// The command backup: writes the database and the objects of a service to a folder, without the master key.
import { setTimeout as wait } from 'node:timers/promises';
import { objectStorage } from '../app/vendors.ts';
import { masterKeyFile } from '../config/config.ts';
import { systemClock } from '../platform/clock.ts';
import { dumpableTables, dumpRows } from '../platform/db/table-dump.ts';
import { uuidv7Ids } from '../platform/ids.ts';
import { StartError } from '../platform/start-error.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import {
  type BackupManifest,
  counted,
  createBackupFolder,
  object_prefixes,
  requireNewFile,
  writeManifest,
  writeMasterKey,
  writeObject,
  writeTable,
} from './backup-folder.ts';
import { appliedMigrations, inSnapshot, storedMasterKey } from './backup-store.ts';
import { openUnmigrated } from './open-database.ts';
import type { StartOptions } from './start-options.ts';

const page_keys = 1000;

/** The storage as the service uses it; links, which need a key, are not made here. */
export const storageOf = ({ config }: StartOptions): ObjectStorage => {
  const clock = systemClock();
  const deps = { clock, wall_clock: clock, ids: uuidv7Ids(clock), key: Buffer.alloc(32), disk: null };
  return objectStorage(config, { ...deps, baseUrl: () => 'http://127.0.0.1' });
};

/** `master_key_file`: where to write the master key, if the database holds it. */
export async function backup(
  options: StartOptions,
  folder: string,
  master_key_file: string | null,
): Promise<BackupManifest> {
  const { config, say, signal } = options;
  const { draft, finish } = await createBackupFolder(folder);
  const db = await openUnmigrated(options);
  const kept = await storedMasterKey(db);
  if (kept?.kept_key && master_key_file === null)
    throw new StartError(
      'The master key of this service is in its database, and a backup never contains it. Name a file outside the backup with --master-key-file, and store it in another place.',
    );
  if (kept?.kept_key) await requireNewFile(master_key_file!);
  // Objects are stored before their record, and never change: those of all records in the snapshot exist afterwards.
  const manifest = await inSnapshot(db, async (tx): Promise<BackupManifest> => {
    const tables: BackupManifest['tables'] = [];
    const created_at = new Date().toISOString();
    for (const table of await dumpableTables(tx)) {
      signal.throwIfAborted();
      const file = await writeTable(draft, table, dumpRows(tx, table));
      if (file.rows > 0) say(`  ${table.name}: ${counted(file.rows, 'row')}`);
      tables.push({ ...table, ...file });
    }
    const migrations = await appliedMigrations(tx);
    return { format: 1, created_at, master_key_id: kept?.key_id ?? null, migrations, tables, objects: 0 };
  });
  manifest.objects = await copyObjects(options, storageOf(options), draft);
  await writeManifest(draft, manifest);
  if (kept?.kept_key) await writeMasterKey(master_key_file!, kept.kept_key);
  await finish();
  if (!kept?.kept_key && config.PARLEY_MASTER_KEY === null)
    say(`  The master key is not in the backup. Store a copy of ${masterKeyFile(config)} in another place.`);
  return manifest;
}

async function copyObjects(
  { say, signal }: StartOptions,
  storage: ObjectStorage,
  folder: string,
): Promise<number> {
  let count = 0;
  for (const prefix of object_prefixes) {
    for (let after: string | null = prefix; after !== null; ) {
      const page: Awaited<ReturnType<ObjectStorage['list']>> = await storage.list(prefix, {
        after,
        limit: page_keys,
      });
      for (const key of page.keys) {
        signal.throwIfAborted();
        // Deleted meanwhile: then its record is gone too, or will be.
        const content = await storage.open(key);
        if (!content) continue;
        await writeObject(folder, key, content);
        count++;
      }
      if (page.keys.length > 0) say(`  objects: ${count}`);
      after = page.next;
      // Lets a signal be handled between pages of a fast storage.
      await wait(0);
    }
  }
  return count;
}

// The command restore: loads a backup into an empty database and an object storage.
import { existsSync } from 'node:fs';
import { migrations_folder } from '../app/migrations-folder.ts';
import { masterKeyFile } from '../config/config.ts';
import { replaceQueueByFills } from '../features/inbox/projector/index.ts';
import type { Database, Transaction } from '../platform/db/database.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { sql } from '../platform/db/sql.ts';
import { clearTable, dumpableTables, loadRows } from '../platform/db/table-dump.ts';
import { StartError } from '../platform/start-error.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import { storageOf } from './backup.ts';
import {
  type BackupManifest,
  counted,
  objectKeys,
  openObject,
  readManifest,
  readTable,
  verifyTables,
} from './backup-folder.ts';
import { loadWithoutCounting, storedMasterKey } from './backup-store.ts';
import { fileMasterKeys } from './key-files.ts';
import { openUnmigrated } from './open-database.ts';
import { holdUnfinished } from './restored-work.ts';
import type { StartOptions } from './start-options.ts';

/** Objects have their limit when they are first stored. */
const max_object_bytes = Number.MAX_SAFE_INTEGER;

/**
 * Safe to interrupt and to run again: objects are overwritten, and all rows are loaded in one transaction. `resume`: the old
 * service was stopped before the backup, so what is queued was not sent.
 */
export async function restore(
  options: StartOptions,
  folder: string,
  { resume }: { resume: boolean },
): Promise<BackupManifest> {
  const { say } = options;
  const manifest = await readManifest(folder);
  await verifyTables(folder, manifest);
  await requireMasterKey(options, manifest);
  const db = await openUnmigrated(options);
  await migrateTo(db, manifest);
  await requireUnused(db, manifest);
  await restoreObjects(options, storageOf(options), folder);
  await db.transaction(
    async (tx) => {
      await loadWithoutCounting(tx);
      await loadTables(tx, options, folder, manifest);
      if (await hasProjections(tx)) await replaceQueueByFills(tx);
      if (resume) return;
      const unfinished = await holdUnfinished(tx, new Date(manifest.created_at));
      if (unfinished.texts + unfinished.calls > 0)
        say(
          `  ${counted(unfinished.texts, 'text')} and ${counted(unfinished.calls, 'call')} were not finished at the time of the backup. The service looks them up at the carrier and does not send them again.`,
        );
    },
    { is_long: true },
  );
  await migrate(db, await readMigrations(migrations_folder));
  return manifest;
}

/** A backup of an older version has none yet; the migration that adds them requests the fills. */
const hasProjections = async (tx: Transaction) =>
  (await tx.rows(sql`select where to_regclass('public.projection_fills') is not null`)).length > 0;

/** Sealed values of the backup open only with its master key. */
async function requireMasterKey({ config }: StartOptions, { master_key_id }: BackupManifest): Promise<void> {
  if (master_key_id === null) return;
  const in_folder = config.DATABASE_URL === null && existsSync(masterKeyFile(config));
  const keys = config.PARLEY_MASTER_KEY ?? (in_folder ? await fileMasterKeys(config) : []);
  if (keys.some(({ id }) => id === master_key_id)) return;
  throw new StartError(
    `The secrets in this backup are sealed with the master key ${master_key_id}. Set PARLEY_MASTER_KEY to it${config.DATABASE_URL === null ? `, or copy it to ${masterKeyFile(config)}` : ''}.`,
  );
}

/** The schema that the backup has. Newer migrations are applied after the rows are loaded. */
async function migrateTo(db: Database, { migrations }: BackupManifest): Promise<void> {
  const known_migrations = new Map(
    (await readMigrations(migrations_folder)).map((each) => [each.name, each]),
  );
  const wanted = migrations.map(({ name, hash }) => {
    const migration = known_migrations.get(name);
    if (migration?.hash === hash) return migration;
    throw new StartError(
      `The backup was made by another version: migration ${name} is not part of this one. Restore it with the version that made it, then upgrade.`,
    );
  });
  await migrate(db, wanted).catch((error: Error) => {
    throw new StartError(`The database cannot be used for this backup: ${error.message}. Name an empty one.`);
  });
}

async function requireUnused(db: Database, manifest: BackupManifest): Promise<void> {
  // The first start of a service stores the id of its master key.
  if (await storedMasterKey(db))
    throw new StartError(
      'A service has used this database, and a backup is restored into an empty one. Name another one with DATABASE_URL or PARLEY_DATA_DIR.',
    );
  const present = new Set((await dumpableTables(db)).map(({ schema, name }) => `${schema}.${name}`));
  const unknown = manifest.tables.find(({ schema, name }) => !present.has(`${schema}.${name}`));
  if (unknown)
    throw new StartError(
      `The table ${unknown.name} of the backup does not exist in this version. Restore it with the version that made it, then upgrade.`,
    );
}

async function restoreObjects(
  { say, signal }: StartOptions,
  storage: ObjectStorage,
  folder: string,
): Promise<void> {
  const keys = await objectKeys(folder);
  for (const [index, key] of keys.entries()) {
    signal.throwIfAborted();
    // The content type is given with every link, so the stored one is not used.
    const options = { content_type: 'application/octet-stream', max_bytes: max_object_bytes };
    await storage.put(key, openObject(folder, key), options);
    if ((index + 1) % 1000 === 0 || index + 1 === keys.length)
      say(`  objects: ${index + 1} of ${keys.length}`);
  }
}

async function loadTables(
  tx: Transaction,
  { say, signal }: StartOptions,
  folder: string,
  { tables }: BackupManifest,
): Promise<void> {
  for (const table of tables.toReversed()) await clearTable(tx, table);
  for (const table of tables) {
    signal.throwIfAborted();
    if (table.rows === 0) continue;
    const rows = await loadRows(tx, table, readTable(folder, table));
    if (rows !== table.rows)
      throw new StartError(`${table.name} has ${rows} rows instead of ${table.rows}. Use another backup.`);
    say(`  ${table.name}: ${counted(rows, 'row')}`);
  }
}

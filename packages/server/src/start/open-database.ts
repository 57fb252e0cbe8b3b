// Opens the database at the start: starts the embedded one, waits until it responds, and applies migrations.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { migrations_folder } from '../app/migrations-folder.ts';
import { type Database, DatabaseUnavailable, openDatabase } from '../platform/db/database.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { sql } from '../platform/db/sql.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/index.ts';
import { StartError } from '../platform/start-error.ts';
import type { StartOptions } from './start-options.ts';

/** The embedded server first tries a fast stop, then an immediate one, each with its own time limit. */
const postgres_stop_limit_ms = 20_000;

/** Opens the database, starting the embedded one where it is used, and applies pending migrations. */
export async function openMigrated(options: StartOptions): Promise<Database> {
  const db = await openUnmigrated(options);
  const applied = await migrate(db, await readMigrations(migrations_folder));
  // A new database needs all of them: their names would fill the screen.
  const names = applied.length > 20 ? { first: applied[0], last: applied.at(-1) } : { applied };
  if (applied.length > 0) options.log.info({ count: applied.length, ...names }, 'database migrated');
  return db;
}

/** The same without migrations. */
export async function openUnmigrated(options: StartOptions): Promise<Database> {
  const { config, log, say, signal, stops } = options;
  const embedded = config.DATABASE_URL === null;
  if (embedded) await prepareDataFolder(config.data_dir);
  const postgres = embedded ? await startEmbeddedPostgres({ data_dir: config.data_dir, say }) : null;
  if (postgres) stops.push('embedded postgres', postgres.stop, { limit_ms: postgres_stop_limit_ms });
  signal.throwIfAborted();
  const db = openDatabase({
    url: postgres?.url ?? config.DATABASE_URL!,
    max_connections: config.PARLEY_DATABASE_CONNECTIONS,
    connect_timeout_ms: config.PARLEY_DATABASE_CONNECT_SECONDS * 1000,
    query_timeout_ms: config.PARLEY_DATABASE_TIMEOUT_SECONDS * 1000,
    plain: config.PARLEY_DATABASE_PLAIN === 'on',
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  stops.push('database', db.close);
  await waitForDatabase(db, { patience_seconds: config.PARLEY_DATABASE_PATIENCE_SECONDS, say, signal });
  return db;
}

async function prepareDataFolder(folder: string): Promise<void> {
  try {
    // The user of the embedded database may enter its own folder, but not list this one.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const probe = join(folder, '.writable');
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used (${(error as Error).message}). Set PARLEY_DATA_DIR to a folder this user may write.`,
    );
  }
}

async function waitForDatabase(
  db: Database,
  options: { patience_seconds: number; say(line: string): void; signal: AbortSignal },
): Promise<void> {
  const { patience_seconds, say, signal } = options;
  const deadline = Date.now() + patience_seconds * 1000;
  for (let tries = 1; ; tries++) {
    try {
      await db.rows(sql`select 1`);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) {
        throw new StartError(
          `The database refuses the connection: ${(error as Error).message}. Check DATABASE_URL.`,
        );
      }
      if (Date.now() > deadline) {
        throw new StartError(
          `The database did not respond within ${patience_seconds} s (${error.message}). Check DATABASE_URL and that the server runs.`,
        );
      }
      if (tries % 5 === 1) say(`Waiting for the database (${error.message}) ...`);
      await wait(1000, undefined, { signal });
    }
  }
}

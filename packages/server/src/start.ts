// Starts the service in the order things need each other, and stops it in the reverse order.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type App, buildApp, migrations_folder } from './app.ts';
import { type Config, sharedKeyFile } from './config.ts';
import { type Database, DatabaseUnavailable, openDatabase } from './platform/db/database.ts';
import { migrate, readMigrations } from './platform/db/migrate.ts';
import { sql } from './platform/db/sql.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/index.ts';
import type { Log } from './platform/log.ts';

/** A reason not to start, in a sentence for the person at the terminal. */
export class StartError extends Error {
  override name = 'StartError';
}

export type Running = {
  app: App;
  new_shared_key: string | null;
  shared_key: string | null;
  stop(): Promise<void>;
};

const database_patience_ms = 30_000;

export async function start(options: {
  config: Config;
  log: Log;
  say(line: string): void;
}): Promise<Running> {
  const { config, log, say } = options;
  const embedded = config.DATABASE_URL === null;
  if (!embedded && config.PARLEY_SHARED_KEY === null) {
    throw new StartError(
      'With DATABASE_URL a credential must be set too: give PARLEY_SHARED_KEY a long random value.',
    );
  }
  // Undone in reverse: whatever was started before a failure is stopped again.
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    if (embedded) await prepareDataFolder(config.data_dir);
    const postgres = embedded ? await startEmbeddedPostgres({ data_dir: config.data_dir, say }) : null;
    if (postgres) undo.push(() => postgres.stop());
    const db = openDatabase({
      url: postgres?.url ?? config.DATABASE_URL!,
      max_connections: config.PARLEY_DATABASE_CONNECTIONS,
      onError: (error) => log.warn({ err: error }, 'a database connection broke'),
    });
    undo.push(() => db.close());
    await waitForDatabase(db, say);
    const applied = await migrate(db, await readMigrations(migrations_folder));
    if (applied.length > 0) log.info({ applied }, 'database migrated');

    const made = config.PARLEY_SHARED_KEY === null ? await sharedKey(sharedKeyFile(config)) : null;
    const shared_key = config.PARLEY_SHARED_KEY ?? made!.key;
    const app = buildApp({ config, db, log, shared_key });
    await app.prepare();
    if (config.PARLEY_ROLES.includes('worker')) {
      undo.push(() => app.jobs.stop());
      await app.jobs.start();
    }
    if (config.PARLEY_ROLES.includes('api')) {
      undo.push(() => app.http.close());
      await listen(app, config);
    }
    return { app, shared_key, new_shared_key: made?.is_new ? made.key : null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareDataFolder(folder: string): Promise<void> {
  try {
    // Others may pass through to the database's own folder, but not look around.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const probe = `${folder}/.writable`;
    await writeFile(probe, '');
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used (${(error as Error).message}). Set PARLEY_DATA_DIR to a folder this user may write.`,
    );
  }
}

async function waitForDatabase(db: Database, say: (line: string) => void): Promise<void> {
  const deadline = Date.now() + database_patience_ms;
  for (let tries = 1; ; tries++) {
    try {
      await db.rows(sql`select 1`);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) {
        throw new StartError(`The database refuses us: ${(error as Error).message}. Check DATABASE_URL.`);
      }
      if (Date.now() > deadline) {
        throw new StartError(
          `The database did not answer within ${database_patience_ms / 1000} s (${error.message}). Check DATABASE_URL and that the server runs.`,
        );
      }
      if (tries % 5 === 1) say(`Waiting for the database (${error.message}) ...`);
      await wait(1000);
    }
  }
}

/** Made once, kept for later starts. */
async function sharedKey(file: string): Promise<{ key: string; is_new: boolean }> {
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept?.trim()) return { key: kept.trim(), is_new: false };
  const key = `parley_sk_${randomBytes(32).toString('base64url')}`;
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return { key, is_new: true };
}

async function listen(app: App, config: Config): Promise<void> {
  try {
    await app.http.listen({ port: config.PORT, host: config.HOST });
    app.listening((app.http.server.address() as AddressInfo).port);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${config.PORT} on ${config.HOST} is taken by another program. Stop it, or set PORT to a free one.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new StartError(
        `Cannot listen on ${config.HOST} port ${config.PORT} (${code}). Set HOST and PORT to an address of this machine.`,
      );
    }
    throw error;
  }
}

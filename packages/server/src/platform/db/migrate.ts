// Applies the missing migrations (numbered SQL files, forward only) to a database, one process at a time.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from '../start-error.ts';
import type { Database, Queryable } from './database.ts';
import { isLockTimeout } from './database-error.ts';
import { sql } from './sql.ts';

export type Migration = {
  name: string;
  text: string;
  hash: string;
  /** Processes that know migrations up to this one work with the new schema too; null for older files, which do not say. */
  compatible_from?: string | null;
};

const lock_key = 7_235_001;
const oldest_server = 150_000;
/** Statements of running processes wait behind a migration that waits for a lock, so it gives up soon and tries again. */
const lock_timeout_ms = 2000;
const lock_tries = 60;
const lock_pause_ms = 500;

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const hash = createHash('sha256').update(text).digest('hex');
      return { name, text, hash, compatible_from: compatibleFrom(text) };
    }),
  );
}

/** The number in the line `-- compatible-from: 0049` of a migration. */
export const compatibleFrom = (text: string): string | null =>
  /^-- compatible-from: (\d{4})$/m.exec(text)?.[1] ?? null;

/** Returns the names of the applied migrations. Processes that start at the same time wait for the first one. */
export async function migrate(db: Database, migrations: Migration[]): Promise<string[]> {
  return db.session(async (session) => {
    await session.run(sql`select set_config('statement_timeout', '0', false)`);
    await session.run(sql`select pg_advisory_lock(${lock_key})`);
    try {
      return await applyMissing(session, migrations);
    } finally {
      await session.run(sql`select pg_advisory_unlock(${lock_key})`).catch(() => {});
      await session.run(sql`reset statement_timeout`).catch(() => {});
    }
  });
}

async function applyMissing(session: Queryable, migrations: Migration[]): Promise<string[]> {
  const server = await session.maybe<{ version: number }>(
    sql`select current_setting('server_version_num')::int as version`,
  );
  if (server!.version < oldest_server) {
    throw new StartError(
      `PostgreSQL 15 or newer is needed, and this server has version ${Math.floor(server!.version / 10_000)}: set DATABASE_URL to a newer server`,
    );
  }
  const known = await appliedMigrations(session);
  refuseUnknown(known, migrations.at(-1)?.name ?? '');
  const done: string[] = [];
  for (const migration of migrations) {
    const hash = known.get(migration.name)?.hash;
    if (hash === migration.hash) continue;
    if (hash)
      throw new Error(`Migration ${migration.name} was changed after it was applied; add a new file instead`);
    await applyWithRetries(session, migration);
    done.push(migration.name);
  }
  return done;
}

type Applied = { name: string; hash: string; compatible_from: string | null };

async function appliedMigrations(session: Queryable): Promise<Map<string, Applied>> {
  const columns = await session.rows<{ name: string }>(sql`
    select attname::text as name from pg_attribute where attrelid = to_regclass('public.migrations') and attnum > 0`);
  if (columns.length === 0)
    await session.run(sql`
      create table migrations (
        name text primary key, hash text not null, applied_at timestamptz not null default now(), compatible_from text)`);
  else if (!columns.some(({ name }) => name === 'compatible_from'))
    await session.run(sql`alter table migrations add column compatible_from text`);
  const applied = await session.rows<Applied>(sql`select name, hash, compatible_from from migrations`);
  return new Map(applied.map((row) => [row.name, row]));
}

/** A newer version may have migrated the database already. Older code works with it where the migration says so. */
function refuseUnknown(known: ReadonlyMap<string, Applied>, newest: string): void {
  for (const { name, compatible_from } of known.values()) {
    if (name <= newest || (compatible_from !== null && compatible_from <= newest.slice(0, 4))) continue;
    throw new StartError(
      `The database has migration ${name}, which this version does not know: run a newer one`,
    );
  }
}

async function applyWithRetries(session: Queryable, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await apply(session, migration);
      return;
    } catch (error) {
      if (isLockTimeout(error) && tries < lock_tries) await wait(lock_pause_ms);
      else
        throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
  }
}

async function apply(
  session: Queryable,
  { name, text, hash, compatible_from = null }: Migration,
): Promise<void> {
  await session.run(sql`begin`);
  try {
    await session.run(sql`select set_config('lock_timeout', ${`${lock_timeout_ms}ms`}, true)`);
    await session.run({ strings: [text], values: [] });
    await session.run(
      sql`insert into migrations (name, hash, compatible_from) values (${name}, ${hash}, ${compatible_from})`,
    );
    await session.run(sql`commit`);
  } catch (error) {
    await session.run(sql`rollback`).catch(() => {});
    throw error;
  }
}

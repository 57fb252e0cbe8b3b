// Applies the missing migrations (numbered SQL files, forward only) to a database, one process at a time.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from './database.ts';
import { sql } from './sql.ts';

export type Migration = { name: string; text: string; hash: string };

const lock_key = 7_235_001;
const oldest_server = 150_000;

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

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
    throw new Error(`PostgreSQL 15 or newer is needed; this server has version ${server!.version / 10_000}`);
  }
  await session.run(sql`
    create table if not exists migrations (
      name text primary key, hash text not null, applied_at timestamptz not null default now())`);
  const applied = await session.rows<{ name: string; hash: string }>(sql`select name, hash from migrations`);
  const known = new Map(applied.map((row) => [row.name, row.hash]));
  const newest = migrations.at(-1)?.name ?? '';
  const ahead = [...known.keys()].find((name) => name > newest);
  if (ahead)
    throw new Error(`The database has migration ${ahead}, which this version does not know: run a newer one`);
  const done: string[] = [];
  for (const migration of migrations) {
    const hash = known.get(migration.name);
    if (hash === migration.hash) continue;
    if (hash)
      throw new Error(`Migration ${migration.name} was changed after it was applied; add a new file instead`);
    await session.run(sql`begin`);
    try {
      await session.run({ strings: [migration.text], values: [] });
      await session.run(
        sql`insert into migrations (name, hash) values (${migration.name}, ${migration.hash})`,
      );
      await session.run(sql`commit`);
    } catch (error) {
      await session.run(sql`rollback`).catch(() => {});
      throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
    done.push(migration.name);
  }
  return done;
}

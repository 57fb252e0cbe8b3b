// A database cluster that is already initialized and migrated. Copying it takes a fraction of the time of initdb and migrations.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations_folder } from '../src/app/migrations-folder.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { migrate, readMigrations } from '../src/platform/db/migrate.ts';
import { sql } from '../src/platform/db/sql.ts';
import { findBinaries } from '../src/platform/embedded-postgres/binaries.ts';
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/index.ts';
import { createPartitions } from './database.ts';

/** The files of a data directory that belong to the cluster. */
const parts = ['postgres', 'postgres-password'];

const initdb_source = fileURLToPath(new URL('../src/platform/embedded-postgres/cluster.ts', import.meta.url));

/** Another PostgreSQL, other options of initdb or other migrations need another cluster. */
async function fingerprint(): Promise<string> {
  const { version } = await findBinaries();
  const hash = createHash('sha256').update(`${version} ${process.arch} ${process.getuid?.() ?? ''}\0`);
  for (const source of [initdb_source, fileURLToPath(import.meta.url)]) hash.update(readFileSync(source));
  for (const migration of await readMigrations(migrations_folder))
    hash.update(`${migration.name} ${migration.hash}\0`);
  return hash.digest('hex').slice(0, 16);
}

/** Each connection derives a key from the password: with the default of 4096 iterations, in milliseconds on both sides. */
const makePasswordCheap = (db: Database, url: string): Promise<void> =>
  db.transaction(async (tx) => {
    const { username, password } = new URL(url);
    await tx.run(sql`set local scram_iterations = 1`);
    await tx.run(sql`alter role ${sql.raw(username)} password ${sql.raw(`'${password}'`)}`);
  });

/**
 * Returns a data directory to copy from. It is built once and stored in `cache`, until PostgreSQL or the migrations change.
 * Returns null where the cluster cannot be in the temporary directory: then every test runs initdb itself.
 */
export async function prepareCluster(cache: string): Promise<string | null> {
  const prepared = join(cache, `cluster-${await fingerprint()}`);
  if (existsSync(prepared)) return prepared;
  const built = mkdtempSync(join(tmpdir(), 'parley-cluster-'));
  try {
    const postgres = await startEmbeddedPostgres({
      data_dir: built,
      say: () => {},
      settings: { fsync: 'off', full_page_writes: 'off' },
    });
    const db = openDatabase({ url: postgres.url, max_connections: 2 });
    await makePasswordCheap(db, postgres.url);
    await migrate(db, await readMigrations(migrations_folder));
    await createPartitions(db);
    await db.close();
    await postgres.stop();
    if (lstatSync(join(built, 'postgres')).isSymbolicLink()) return null;
    const draft = `${prepared}.draft-${process.pid}`;
    copyCluster(built, draft);
    for (const name of readdirSync(cache))
      if (name.startsWith('cluster-') && !name.startsWith(basename(prepared)))
        await rm(join(cache, name), { recursive: true, force: true });
    await rename(draft, prepared).catch((error) => {
      // Another run built the same cluster first.
      if (!existsSync(prepared)) throw error;
      rmSync(draft, { recursive: true, force: true });
    });
    return prepared;
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/** Keeps owners and modes: PostgreSQL refuses a data directory of another user. */
export function copyCluster(from: string, data_dir: string): void {
  mkdirSync(data_dir, { recursive: true, mode: 0o711 });
  for (const part of parts) {
    if (process.platform === 'win32') cpSync(join(from, part), join(data_dir, part), { recursive: true });
    else execFileSync('cp', ['-a', join(from, part), join(data_dir, part)]);
  }
}

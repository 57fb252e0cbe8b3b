// Databases for tests: one migrated template, cloned for each test file.
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { migrations_folder } from '../src/app/migrations-folder.ts';
import { settings } from '../src/config/config.ts';
import { type Database, openDatabase } from '../src/platform/db/database.ts';
import { migrate, readMigrations } from '../src/platform/db/migrate.ts';
import { createPartitionsAhead, partitionDays, partitioned_tables } from '../src/platform/db/partitions.ts';

const template = 'parley_template';
/** Longer than in production: the processors are busy with other test files. */
export const connect_timeout_ms = 30_000;

const serverUrl = (): string => {
  const url = process.env.PARLEY_TEST_DATABASE_URL;
  if (!url) throw new Error('Run tests with: npm test -- <file>');
  return url;
};

const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;

/** The same database by a socket of the file system, where the test runner opened one. */
const bySocket = (url: string): string => {
  const folder = process.env.PARLEY_TEST_DATABASE_SOCKETS;
  return folder ? `${url}?host=${encodeURIComponent(folder)}` : url;
};

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

type Server = { client: pg.Client; socket: Socket };
let server: Promise<Server> | undefined;
let statements = 0;
/** One connection of the process for the databases of all its files: a new one takes as long as a tenth of a small file. */
async function administerServer(statement: string): Promise<void> {
  server ??= connectToServer();
  const { client, socket } = await server;
  statements++;
  socket.ref();
  try {
    await client.query(statement);
  } finally {
    // It must not keep the process alive.
    if (--statements === 0) socket.unref();
  }
}

async function connectToServer(): Promise<Server> {
  const socket = new Socket();
  const client = new pg.Client({ connectionString: bySocket(serverUrl()), stream: () => socket });
  const forget = () => {
    server = undefined;
  };
  client.on('error', forget).on('end', forget);
  try {
    await client.connect();
  } catch (error) {
    forget();
    throw error;
  }
  return { client, socket };
}

/** `migrated`: the database of the URL has all migrations, so that a copy of it is enough. */
export async function prepareTemplate(url: string, { migrated }: { migrated: boolean }): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  if (migrated) await administer(named(url, 'postgres'), `create database ${template} template ${name}`);
  else await administer(url, `create database ${template}`);
  const db = openDatabase({ url: named(url, template), max_connections: 2 });
  if (!migrated) await migrate(db, await readMigrations(migrations_folder));
  await createPartitions(db);
  await db.close();
}

/** As the service does when it starts: once here, so that not every test does it again. */
export async function createPartitions(db: Database): Promise<void> {
  const days = partitionDays(settings.PARLEY_EVENTS_KEPT_DAYS.default);
  for (const table of partitioned_tables)
    await createPartitionsAhead(db, table, { now_ms: Date.now(), days });
}

/** Creates a database. `empty` has no tables yet. */
export async function createDatabase(
  from: 'migrated' | 'empty' = 'migrated',
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administerServer(
    // Copying files takes a third of the processor time of the default, which writes every page to the write-ahead log.
    `create database ${name} template ${from === 'migrated' ? template : 'template0'} strategy file_copy`,
  );
  return {
    url: named(serverUrl(), name),
    drop: () => administerServer(`drop database ${name} with (force)`),
  };
}

/** Creates and opens a database. `close` closes and drops it. */
export async function openTestDatabase(
  from: 'migrated' | 'empty' = 'migrated',
): Promise<{ db: Database; url: string; close(): Promise<void> }> {
  const { url, drop } = await createDatabase(from);
  // Few: each connection is a process of PostgreSQL that loads the catalog and plans every statement itself.
  const plain = process.env.PARLEY_DATABASE_PLAIN === 'on';
  const db = openDatabase({ url: bySocket(url), max_connections: 4, connect_timeout_ms, plain });
  return {
    db,
    url,
    async close() {
      await db.close();
      await drop();
    },
  };
}

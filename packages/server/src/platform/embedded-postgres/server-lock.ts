// The connection that marks a running server as ours. PostgreSQL releases its advisory lock when our process ends.

import { Socket } from 'node:net';
import pg from 'pg';
import { superuser } from './cluster.ts';

const database = 'parley';
const owner_lock = '88241483826521'; // "PARLEY", read as a number

export type Owner = { unref(): void; closed: Promise<void>; close(): Promise<void> };

/** Returns null when another process holds the lock. */
export async function lockServer(port: number, password: string): Promise<Owner | null> {
  const socket = new Socket();
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: superuser,
    password,
    // The lock is taken in this database: PostgreSQL cannot copy a database that has an open session.
    database: 'postgres',
    application_name: 'parley owner',
    ssl: false,
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  });
  // The server may crash at any time. `closed` reports that; an 'error' event without a listener would end the process.
  client.on('error', () => {});
  const closed = new Promise<void>((resolve) => client.once('end', resolve));
  const close = () => client.end().catch(() => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ is_ours: boolean }>(
      `select pg_try_advisory_lock(${owner_lock}) as is_ours`,
    );
    if (rows[0]?.is_ours) {
      const databases = await client.query('select 1 from pg_database where datname = $1', [database]);
      if (databases.rowCount === 0) await client.query(`create database ${database}`);
      return { unref: () => socket.unref(), closed, close };
    }
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return null;
}

export function urlOf(port: number, password: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${database}`;
}

// The SQL of backup and restore that concerns the database as a whole.
import type { Database, Queryable, Transaction } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { BackupManifest } from './backup-folder.ts';

/** All statements see the same moment, however long they take. */
export const inSnapshot = <T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> =>
  db.session(async (session) => {
    await session.run(sql`begin isolation level repeatable read read only`);
    try {
      await session.run(sql`set local statement_timeout = 0`);
      return await work(session);
    } finally {
      await session.run(sql`rollback`).catch(() => {});
    }
  });

export const appliedMigrations = (on: Queryable) =>
  on.rows<BackupManifest['migrations'][number]>(sql`select name, hash from migrations order by name`);

export const storedMasterKey = (on: Queryable) =>
  on.maybe<{ key_id: string; kept_key: string | null }>(sql`select key_id, kept_key from master_key`);

/** The numbers that triggers count are part of the backup. */
export const loadWithoutCounting = (tx: Transaction) =>
  tx.run(sql`select set_config('parley.restoring', 'on', true)`);

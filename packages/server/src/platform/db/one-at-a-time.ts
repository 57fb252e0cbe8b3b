// Runs work in one process at a time, among all processes of a database.
import type { Database } from './database.ts';
import { sql } from './sql.ts';

/** A transaction is open meanwhile, so only for work that is short and safe to repeat. `name` is that of the work. */
export const oneAtATime = <T>(db: Database, name: string, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
    return work();
  });

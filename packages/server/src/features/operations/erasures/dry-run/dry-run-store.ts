// The SQL of transactions inside the transaction of a dry run.
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { ErasureDatabase } from '../../../../platform/personal-data.ts';

/** Transactions inside a transaction are savepoints. What they do after a commit is never done. */
export const within = (tx: Transaction): ErasureDatabase => ({
  ...tx,
  async transaction(work) {
    await tx.run(sql`savepoint erasure_step`);
    try {
      const result = await work({ ...tx, afterCommit: () => {} });
      await tx.run(sql`release savepoint erasure_step`);
      return result;
    } catch (error) {
      await tx.run(sql`rollback to savepoint erasure_step`);
      throw error;
    }
  },
});

// Encrypts every sealed value in the database with the newest master key, in batches, while other processes read and write.
import type { Sealer } from '../crypto.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

export type SealedColumn = { table: string; column: string };

const batch_rows = 500;

/**
 * Returns how many values were changed. It can be killed and run again: a value is replaced only if it is still the one
 * that was read, and values that were not reached can still be opened with their older key.
 */
export async function rewrapSealed(
  db: Database,
  deps: { sealer: Sealer; current_key_id: string; columns: readonly SealedColumn[] },
): Promise<number> {
  let value_count = 0;
  for (const { table, column } of deps.columns) {
    const [from, field] = [sql.raw(table), sql.raw(column)];
    for (;;) {
      const rows = await db.rows<{ sealed: string }>(sql`
        select distinct ${field} as sealed from ${from}
         where ${field} not like ${`v1.${deps.current_key_id.replaceAll('_', '\\_')}.%`} limit ${batch_rows}`);
      if (rows.length === 0) break;
      for (const { sealed } of rows) {
        value_count += await db.run(
          sql`update ${from} set ${field} = ${deps.sealer.rewrap(sealed)} where ${field} = ${sealed}`,
        );
      }
    }
  }
  return value_count;
}

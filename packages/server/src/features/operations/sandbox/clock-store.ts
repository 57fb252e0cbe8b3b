// The SQL of the sandbox clock: one row that all processes share. It belongs to no organization.
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export const clockStore = (db: Queryable) => ({
  async offset_ms(): Promise<number> {
    return (await db.maybe<{ offset_ms: number }>(sql`select offset_ms from sandbox_clock`))!.offset_ms;
  },
  async advance(by_ms: number): Promise<number> {
    const row = await db.maybe<{ offset_ms: number }>(
      sql`update sandbox_clock set offset_ms = offset_ms + ${by_ms}::bigint returning offset_ms`,
    );
    return row!.offset_ms;
  },
});

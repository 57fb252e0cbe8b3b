// The SQL of the projection queue. Triggers on the records fill it; see migration 0102.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { RecordRef } from './projection.ts';

/** `starts`: batches with the row that began and were lost with their process. */
export type QueuedRecord = RecordRef & { position: number; attempts: number; starts: number };

/** Queues records whose projections changed for a reason that no trigger sees. */
export const queueProjections = (on: Queryable, records: readonly RecordRef[]) =>
  on.run(sql`
    insert into projection_queue (organization_id, noun, id)
    select * from unnest(${records.map((each) => each.organization_id)}::uuid[],
                         ${records.map((each) => each.noun)}::text[], ${records.map((each) => each.id)}::uuid[])`);

const columns = sql`position, organization_id, noun, id, attempts, starts`;
const isDue = (now: Date) => sql`(not_before is null or not_before <= ${now})`;

export const queueStore = (db: Database) => ({
  /** Other processes skip the rows until the transaction ends. Without rows that a process did not survive. */
  take: (tx: Transaction, limit: number, now: Date) =>
    tx.rows<QueuedRecord>(
      // A plan that was made for an empty table would read and sort a full one.
      sql.replanned(sql`
        select ${columns} from projection_queue where ${isDue(now)} and starts = 0
         order by position limit ${limit} for update skip locked`),
    ),

  takeOne: (tx: Transaction, position: number, now: Date) =>
    tx.rows<QueuedRecord>(sql`
      select ${columns} from projection_queue where position = ${position} and ${isDue(now)} for update skip locked`),

  /** The next row that a process did not survive. */
  takeLost: (tx: Transaction, now: Date) =>
    tx.rows<QueuedRecord>(sql`
      select ${columns} from projection_queue where starts > 0 and ${isDue(now)}
       order by position limit 1 for update skip locked`),

  async hasDue(now: Date): Promise<boolean> {
    return (await db.maybe(sql`select from projection_queue where ${isDue(now)} limit 1`)) !== null;
  },

  delete: (tx: Queryable, taken: readonly QueuedRecord[]) =>
    tx.run(sql`delete from projection_queue where position = any(${taken.map(({ position }) => position)})`),

  delay: (position: number, until: Date) =>
    db.run(sql`
      update projection_queue set attempts = attempts + 1, not_before = ${until} where position = ${position}`),

  async nextDue(): Promise<Date | null> {
    const row = await db.maybe<{ at: Date | null }>(
      sql`select min(not_before) as at from projection_queue where not_before is not null`,
    );
    return row?.at ?? null;
  },
});
export type QueueStore = ReturnType<typeof queueStore>;

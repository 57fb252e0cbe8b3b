// The SQL of starts: which rows a process gave to the projections, until they are done. What stays was lost with its process.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { ProjectedNoun } from './projection.ts';
import type { QueuedRecord } from './queue-store.ts';

export type LostRow = QueuedRecord & { queued_at: Date };

export type Begun = {
  /** Earlier starts with some of these rows. Their processes ended, because this one has the locks of the rows. */
  lost_start_ids: string[];
  /** Records that are set aside: they are not projected, also when they change. */
  set_aside_ids: string[];
};

export const startStore = (db: Database) => ({
  /**
   * Call it while a transaction has the rows locked. It commits by itself, so that it stays when the process ends. With lost starts
   * nothing is stored.
   */
  begin: async (id: string, rows: readonly QueuedRecord[], now: Date): Promise<Begun> => {
    const positions = rows.map(({ position }) => position);
    const begun = await db.maybe<Begun>(sql`
      with lost as (
        select s.id from projection_starts s where s.id <> ${id} and s.positions && ${positions}::bigint[]),
      stored as (
        insert into projection_starts (id, positions, started_at)
        select ${id}, ${positions}::bigint[], ${now} where not exists (select from lost)
        on conflict (id) do update set positions = excluded.positions)
      select array(select id::text from lost) as lost_start_ids,
             array(select object_id::text from set_aside_work
                    where queue = 'projections' and reason = 'process_ended'
                      and object_id = any(${rows.map((row) => row.id)}::uuid[])) as set_aside_ids`);
    return begun!;
  },

  end: (on: Queryable, ids: readonly string[]) =>
    on.run(sql`delete from projection_starts where id = any(${ids}::uuid[])`),

  /** Counts lost starts at their rows. Returns the rows that were lost too often. */
  async countLost(tx: Transaction, start_ids: readonly string[], max_lost: number): Promise<LostRow[]> {
    // Deleted first: of two processes only one counts a start.
    const lost = await tx.rows<{ positions: number[] }>(sql`
      delete from projection_starts where id = any(${start_ids}::uuid[]) returning positions`);
    const positions = lost.flatMap((start) => start.positions.map(Number));
    const rows = await tx.rows<LostRow>(sql`
      update projection_queue set starts = starts + 1 where position = any(${positions})
      returning position, organization_id, noun, id, attempts, starts, queued_at`);
    return rows.filter(({ starts }) => starts >= max_lost);
  },

  /** Also what else is queued of the same records. */
  leaveQueue: (tx: Transaction, records: readonly { noun: ProjectedNoun; id: string }[]) =>
    tx.run(sql`
      delete from projection_queue q
       using unnest(${records.map(({ noun }) => noun)}::text[], ${records.map(({ id }) => id)}::uuid[]) as r (noun, id)
       where q.noun = r.noun and q.id = r.id`),
});
export type StartStore = ReturnType<typeof startStore>;

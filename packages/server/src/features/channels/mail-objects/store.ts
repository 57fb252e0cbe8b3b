// The SQL of the sweeper of unreferenced objects.
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** One row, shared by all processes: the owner mark of the storage, and the key up to which the current sweep came. */
export type Sweep = { owner: string; reached: string | null; began_at: Date };

export function mailObjectStore(db: Database) {
  return {
    /** The current sweep; inserts `first` if there is none yet. */
    async sweep(first: Sweep): Promise<Sweep> {
      await db.run(sql`
        insert into object_sweep (owner, reached, began_at)
        values (${first.owner}, ${first.reached}, ${first.began_at}) on conflict do nothing`);
      return (await db.maybe<Sweep>(sql`select owner, reached, began_at from object_sweep`))!;
    },

    saveProgress: (reached: string | null, began_at: Date) =>
      db.run(sql`update object_sweep set reached = ${reached}, began_at = ${began_at}`),

    /** The objects that no email and no attachment of any organization refers to. */
    async unreferenced(objects: { key: string; id: string }[]): Promise<string[]> {
      const rows = await db.rows<{ key: string }>(sql`
        select o.key from unnest(${objects.map(({ key }) => key)}::text[], ${objects.map(({ id }) => id)}::uuid[]) as o(key, id)
         where not exists (select from emails e where e.id = o.id and e.raw_key = o.key)
           and not exists (select from email_attachments a where a.id = o.id and a.storage_key = o.key)`);
      return rows.map(({ key }) => key);
    },
  };
}

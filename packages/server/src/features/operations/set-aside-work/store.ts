// The SQL of set-aside work. Entries belong to the installation, so no function takes an organization except as a filter.
import type { SetAsideQueue, SetAsideReason, SetAsideWork } from '@parley/contract/operations/set-aside-work';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

export type SetAsideFilter = PageRequest & {
  queue?: SetAsideQueue | undefined;
  kind?: string | undefined;
  reason?: SetAsideReason | undefined;
  organization_id?: string | undefined;
};

export type StoredWork = Pick<
  SetAsideWork,
  'queue' | 'kind' | 'organization_id' | 'object_id' | 'lost_runs' | 'failed_runs'
> & { payload: Record<string, unknown> | null; unique_key: string | null };

/** The payload is not shown: it may be about a person. */
const columns = sql`id, queue, kind, organization_id, object_id, reason, lost_runs, failed_runs, last_error,
  (queue in ('jobs', 'webhook_deliveries') and payload is not null or queue = 'projections') as can_run_again,
  iso(queued_at) as queued_at, iso(set_aside_at) as set_aside_at`;

const entry_cursors = cursors('set-aside-work');

const equal = (column: Sql, value: string | undefined) =>
  value === undefined ? sql.empty : sql`and ${column} = ${value}`;

export const setAsideStore = (db: Database) => ({
  list: ({ queue, kind, reason, organization_id, ...page }: SetAsideFilter) =>
    readPage<SetAsideWork>(db, entry_cursors, page, {
      columns,
      from: sql`set_aside_work`,
      where: sql`true ${equal(sql`queue`, queue)} ${equal(sql`kind`, kind)} ${equal(sql`reason`, reason)}
        ${equal(sql`organization_id`, organization_id)}`,
    }),

  find: (id: string) => db.maybe<SetAsideWork>(sql`select ${columns} from set_aside_work where id = ${id}`),

  /** Deletes the entry: of two requests at once only one gets it. */
  take: (tx: Transaction, id: string) =>
    tx.maybe<StoredWork>(sql`
      delete from set_aside_work where id = ${id}
      returning queue, kind, organization_id, object_id, lost_runs, failed_runs, payload, unique_key`),

  async deleteOld(before: Date, max_entries: number): Promise<void> {
    await db.run(sql`delete from set_aside_work where set_aside_at < ${before}`);
    await db.run(sql`
      delete from set_aside_work where id in (
        select id from set_aside_work order by set_aside_at desc, id desc offset ${max_entries})`);
  },
});
export type SetAsideStore = ReturnType<typeof setAsideStore>;

// The SQL of retention settings, and of how far the deletion is.
import { type Retention, type RetentionCount, retentionKinds } from '@parley/contract/operations/retention';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Periods } from './periods.ts';

export type Counts = Partial<Record<RetentionCount, number>>;
export type RetentionRow = Periods & {
  step: string | null;
  reached: string | null;
  positions: Record<string, string>;
  last_run: Retention['last_run'];
};

const columns = sql`${sql.join(
  retentionKinds.map((kind) => sql`${sql.raw(`${kind}_days`)} as ${sql.raw(kind)}`),
  ', ',
)}, step, reached, positions,
  case when started_at is not null then json_build_object(
    'status', case when done_at is not null then 'done' when failed_at is not null then 'failed' else 'running' end,
    'step', step, 'counts', counts, 'started_at', iso(started_at), 'done_at', iso(done_at)) end as last_run`;

/** The start tells runs of an organization apart. */
export type Run = { organization_id: string; started_at: string };

export const retentionStore = (db: Database) => ({
  find: (organization_id: string) =>
    db.maybe<RetentionRow>(sql`select ${columns} from retention where organization_id = ${organization_id}`),

  /** Creates the row when there is none. */
  async lock(tx: Transaction, organization_id: string): Promise<RetentionRow> {
    await tx.run(
      sql`insert into retention (organization_id) values (${organization_id}) on conflict do nothing`,
    );
    return (await tx.maybe<RetentionRow>(
      sql`select ${columns} from retention where organization_id = ${organization_id} for update`,
    ))!;
  },

  savePeriods: (tx: Transaction, organization_id: string, periods: Periods) =>
    tx.run(sql`
      update retention set messages_days = ${periods.messages}, recordings_days = ${periods.recordings},
             records_days = ${periods.records}, events_days = ${periods.events},
             quarantine_days = ${periods.quarantine}, requests_days = ${periods.requests}
       where organization_id = ${organization_id}`),

  /** Organizations with a retention of their own; all when the service has a limit for all. */
  async organizations(
    { all, after }: { all: boolean; after: string | null },
    limit: number,
  ): Promise<string[]> {
    const rows = await db.rows<{ id: string }>(sql`
      select id from (select organization_id as id from retention
                      ${all ? sql`union select id from organizations` : sql.empty}) o
       ${after === null ? sql.empty : sql`where id > ${after}`} order by id limit ${limit}`);
    return rows.map(({ id }) => id);
  },

  /** A run that is under way ends: it finds that another one has begun. */
  begin: (organization_id: string, step: string, now: Date, on: Queryable = db) =>
    on.run(sql`
      insert into retention (organization_id, step, started_at) values (${organization_id}, ${step}, ${now})
      on conflict (organization_id) do update
         set step = ${step}, reached = null, counts = '{}', started_at = ${now}, done_at = null, failed_at = null`),

  /** Counts are added to those of the run so far. False when another run has begun. */
  async advance(
    { organization_id, started_at }: Run,
    {
      step,
      reached,
      positions,
      counts,
    }: { step: string; reached: string | null; positions: Record<string, string>; counts: Counts },
  ): Promise<boolean> {
    const changed = await db.run(sql`
      update retention set step = ${step}, reached = ${reached}, positions = ${JSON.stringify(positions)}::json,
             counts = (counts::jsonb || coalesce((
               select jsonb_object_agg(added.key, added.value::int + coalesce((counts ->> added.key)::int, 0))
                 from json_each_text(${JSON.stringify(counts)}::json) added), '{}'))::json
       where organization_id = ${organization_id} and iso(started_at) = ${started_at}`);
    return changed > 0;
  },

  finish: ({ organization_id, started_at }: Run, now: Date) =>
    db.run(sql`
      update retention set step = null, reached = null, done_at = ${now}, failed_at = null
       where organization_id = ${organization_id} and iso(started_at) = ${started_at}`),

  /** The next run continues at the same step. */
  fail: (organization_id: string, now: Date) =>
    db.run(sql`update retention set failed_at = ${now} where organization_id = ${organization_id}`),
});
export type RetentionStore = ReturnType<typeof retentionStore>;

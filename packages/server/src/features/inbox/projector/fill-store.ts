// The SQL of fills: queues existing records for projection in steps, newest first. A fill goes on where it was interrupted.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type ProjectedNoun, projected_nouns } from './projection.ts';

type Fill = { scope: string; organization_id: string | null; noun: ProjectedNoun; below: string | null };
export type FillProgress = { noun: ProjectedNoun; queued: number; is_done: boolean };

const tables: Record<ProjectedNoun, string> = {
  email: 'emails',
  sms: 'sms_messages',
  call: 'calls',
  contact: 'contacts',
  conversation: 'conversations',
};

/** A fill that is not finished continues; a finished one starts again. */
export async function requestFills(on: Queryable, organization_id: string | null): Promise<void> {
  await on.run(sql`
    insert into projection_fills (scope, organization_id, noun)
    select ${organization_id ?? 'all'} || ':' || noun, ${organization_id}, noun
      from unnest(${projected_nouns}::text[]) as noun
    on conflict (scope) do update set below = null, queued = 0, requested_at = now(), done_at = null
     where projection_fills.done_at is not null`);
}

/** Instead of what the triggers queued while a backup was loaded: a fill begins with the newest records. */
export async function replaceQueueByFills(tx: Transaction): Promise<void> {
  await tx.run(sql`delete from projection_queue`);
  await tx.run(sql`delete from projection_fills`);
  await requestFills(tx, null);
}

export const fillProgress = (on: Queryable, organization_id: string | null) =>
  on.rows<FillProgress>(sql`
    select noun, queued, done_at is not null as is_done from projection_fills
     where scope like ${`${organization_id ?? 'all'}:%`} order by scope`);

/** Queues the next records of a fill. False when no fill is left. */
export const fillStep = (db: Database, limit: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    const fill = await tx.maybe<Fill>(sql`
      select scope, organization_id, noun, below from projection_fills where done_at is null
       order by requested_at, scope limit 1 for update skip locked`);
    if (!fill) return false;
    const { organization_id, noun, below } = fill;
    const step = await tx.maybe<{ count: number; last: string | null }>(
      sql.replanned(sql`
        with next as (
          select organization_id, id from ${sql.raw(tables[noun])}
           where true ${organization_id === null ? sql.empty : sql`and organization_id = ${organization_id}`}
             ${below === null ? sql.empty : sql`and id < ${below}`}
           order by id desc limit ${limit}),
        queued as (
          insert into projection_queue (organization_id, noun, id) select organization_id, ${noun}, id from next)
        select count(*) as count, (array_agg(id order by id))[1] as last from next`),
    );
    const { count, last } = step!;
    await tx.run(sql`
      update projection_fills set queued = queued + ${count}, below = coalesce(${last}::uuid, below),
             done_at = case when ${count} < ${limit} then now() end
       where scope = ${fill.scope}`);
    return true;
  });

/** How many records are queued, counted up to a limit. */
export async function queueDepth(on: Queryable, limit: number): Promise<number> {
  const row = await on.maybe<{ count: number }>(
    sql`select count(*) as count from (select from projection_queue limit ${limit}) queued`,
  );
  return row!.count;
}

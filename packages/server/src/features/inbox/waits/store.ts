// The SQL of waits.

import { type Wait, waitLifecycle } from '@parley/contract/inbox/waits';
import { limits } from '@parley/contract/limits';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import { alsoInsert, type Change, insert } from '../../../platform/unit-of-work/unit-of-work.ts';
import { type Match, presentWait, type WaitRef, type WaitRow } from './wait-row.ts';

const columns = sql`organization_id, id, status, any_of, iso(since) as since, iso(expires_at) as expires_at,
  iso(created_at) as created_at, iso(ended_at) as ended_at, matched, metadata, only_thread_id, iso(look_at) as look_at,
  iso(unseen_from) as unseen_from`;

const waits = table<'waits', WaitRow, typeof waitLifecycle>(
  'waits',
  {
    organization_id: 'uuid',
    id: 'uuid',
    status: 'text',
    any_of: 'json',
    since: 'timestamptz',
    expires_at: 'timestamptz',
    created_at: 'timestamptz',
    metadata: 'json',
    only_thread_id: 'uuid',
    look_at: 'timestamptz',
    unseen_from: 'timestamptz',
  },
  { lifecycle: waitLifecycle },
);

type KeyRow = { organization_id: string; wait_id: string; key: string };
const wait_keys = table<'wait_keys', KeyRow>('wait_keys', {
  organization_id: 'uuid',
  wait_id: 'uuid',
  key: 'text',
});

const list = cursors('waits');
const delete_batch = 5000;
/** Differences between clocks and the time between the creation of an event's id and its commit are shorter than this. */
const max_id_delay_ms = 86_400_000;

/** The smallest id that an event can have which is written from now on. */
export const firstEventId = (now: Date) => firstIdAt(new Date(now.getTime() - max_id_delay_ms));

type WaitEnd = { trigger: keyof typeof waitLifecycle.moves; ended_at: Date; matched?: Match };
export type WaitFilter = PageRequest & { status?: string | undefined };

export const waitStore = (db: Database, move: Mover) => ({
  find: (organization_id: string, id: string) =>
    db.maybe<WaitRow>(
      sql`select ${columns} from waits where organization_id = ${organization_id} and id = ${id}`,
    ),

  list: (organization_id: string, { status, ...page }: WaitFilter, only_thread_id: string | null) =>
    readPage<WaitRow>(db, list, page, {
      columns,
      from: sql`waits`,
      where: sql`organization_id = ${organization_id} ${status ? sql`and status = ${status}` : sql.empty}
        ${only_thread_id === null ? sql.empty : sql`and only_thread_id = ${only_thread_id}`}`,
    }),

  countPending,
  lockFollower,

  end: (wait: WaitRef, end: WaitEnd) => db.transaction((tx) => endWait(move, tx, wait, end)),

  /** Takes waits of all organizations that are due, until the lease ends. */
  claimDue: (now: Date, lease: Date, limit: number) =>
    db.rows<WaitRow>(sql`
      update waits set look_at = ${lease} from (
        select organization_id as o, id as i from waits where status = 'pending' and look_at <= ${now}
         order by look_at limit ${limit} for update skip locked) due
       where organization_id = o and id = i
      returning ${columns}`),

  /** Plans the next look. A no-op when something happened since `look_at` was set: then the wait is due already. */
  async planLook(
    wait: WaitRow,
    next: { look_at: Date; unseen_from: Date; keys: readonly string[] },
  ): Promise<void> {
    const { organization_id, id } = wait;
    if (next.keys.length > 0)
      await db.run(sql`
        insert into wait_keys (organization_id, wait_id, key)
        select ${organization_id}, ${id}, key from unnest(${next.keys}::text[]) as key
         where exists (select from waits where organization_id = ${organization_id} and id = ${id} and status = 'pending')
        on conflict do nothing`);
    await db.run(sql`
      update waits set look_at = ${next.look_at}, unseen_from = ${next.unseen_from}
       where organization_id = ${organization_id} and id = ${id} and status = 'pending' and look_at = ${wait.look_at}`);
  },

  async nextExpiry(): Promise<Date | null> {
    const row = await db.maybe<{ at: Date | null }>(
      sql`select min(expires_at) as at from waits where status = 'pending'`,
    );
    return row?.at ?? null;
  },

  /** Of all organizations. False when there may be more. */
  async deleteEndedBefore(time: Date): Promise<boolean> {
    const deleted = await db.run(sql`
      delete from waits where (organization_id, id) in (
        select organization_id, id from waits where ended_at < ${time} limit ${delete_batch})`);
    return deleted < delete_batch;
  },
});
export type WaitStore = ReturnType<typeof waitStore>;

export const newWait = (row: WaitRow, keys: readonly string[]): Change<never> => ({
  record: insert(waits, row),
  also: keys.map((key) =>
    alsoInsert(wait_keys, { organization_id: row.organization_id, wait_id: row.id, key }),
  ),
});

/** The pending waits, of the organization or of the tokens of one conversation; counted up to the limit. */
async function countPending(
  on: Queryable,
  organization_id: string,
  only_thread_id: string | null,
): Promise<number> {
  const row = await on.maybe<{ count: number }>(sql`
    select count(*)::int as count from (
      select from waits where organization_id = ${organization_id} and status = 'pending'
         ${only_thread_id === null ? sql.empty : sql`and only_thread_id = ${only_thread_id}`}
       limit ${limits.waits_pending + 1}) pending`);
  return row!.count;
}

/**
 * Lets the events of the organization be read from now on, if they are not. The lock makes concurrent requests count one after
 * the other, and the reader of events cannot stop in between.
 */
async function lockFollower(tx: Transaction, organization_id: string, now: Date): Promise<void> {
  await tx.run(sql`
    insert into wait_followers (organization_id, position, event_id, first_id, moved_at)
    values (${organization_id}, pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000',
            ${firstEventId(now)}, ${now})
    on conflict (organization_id) do update set organization_id = excluded.organization_id`);
}

/** The wait after the move; null when it is over already. The event is written in the same transaction. */
async function endWait(
  move: Mover,
  tx: Transaction,
  { organization_id, id }: WaitRef,
  { trigger, ended_at, matched }: WaitEnd,
): Promise<WaitRow | null> {
  const ended = await move<typeof waitLifecycle, WaitRow>(tx, {
    lifecycle: waitLifecycle,
    table: 'waits',
    organization_id,
    id,
    trigger,
    set: { ended_at, ...(matched ? { matched: JSON.stringify(matched) } : {}) },
    returning: columns,
    event: (row) => ({ data: presentWait(row) satisfies Wait }),
  });
  if (ended)
    await tx.run(sql`delete from wait_keys where organization_id = ${organization_id} and wait_id = ${id}`);
  return ended;
}

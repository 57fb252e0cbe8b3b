// The SQL that reads the event log for waits, and marks waits that something happened to.
import { nil_uuid } from '@parley/contract/limits';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { ReceivedMessage } from '../keys.ts';
import { firstEventId } from '../store.ts';

export type FollowedEvent = { id: string; type: string; resource_id: string; position: string };
type Follower = { position: string; event_id: string; first_id: string };

/** What there is to do: one query that an idle process repeats. */
export type Work = {
  /** All organizations with pending waits. */
  organization_ids: string[];
  /** Those with events that were not read. */
  behind_ids: string[];
  has_due: boolean;
};

export const followStore = (db: Database) => ({
  /** A follower that did not move since `stale` is behind too: old positions are slow to start from. */
  async work(now: Date, stale: Date): Promise<Work> {
    const row = await db.maybe<Work>(sql`
      select array(select organization_id::text from wait_followers) as organization_ids,
             array(select f.organization_id::text from wait_followers f
                    where f.moved_at < ${stale} or exists (
                      select from events e where e.organization_id = f.organization_id and e.id >= f.first_id
                         and (e.position, e.id) > (f.position, f.event_id))) as behind_ids,
             exists (select from waits where status = 'pending' and look_at <= ${now}) as has_due`);
    return row!;
  },

  /** Null when another process reads the events of the organization. */
  lock: (tx: Transaction, organization_id: string) =>
    tx.maybe<Follower>(sql`
      select position::text, event_id, first_id from wait_followers
       where organization_id = ${organization_id} for update skip locked`),

  /**
   * The next events in the order of their transactions, and the position before everything that is not committed. Only events
   * older than every running transaction: none that commits later can come before them.
   */
  async after(tx: Transaction, organization_id: string, follower: Follower, limit: number) {
    const { position, event_id, first_id } = follower;
    const row = await tx.maybe<{ until: string; events: FollowedEvent[] }>(sql`
      select pg_snapshot_xmin(pg_current_snapshot())::text as until, coalesce((
        select json_agg(e) from (
          select id, type, resource_id, position::text from events
           where organization_id = ${organization_id} and id >= ${first_id}
             and (position, id) > ((select ${position}::xid8), (select ${event_id}::uuid))
             and position < pg_snapshot_xmin(pg_current_snapshot())
           order by events.position, id limit ${limit}) e), '[]') as events`);
    return row!;
  },

  async advance(
    tx: Transaction,
    organization_id: string,
    to: { position: string; event_id: string | null; now: Date },
  ): Promise<void> {
    await tx.run(sql`
      update wait_followers set position = ${to.position}::xid8, event_id = ${to.event_id ?? nil_uuid},
             first_id = case when ${to.event_id === null} then ${firstEventId(to.now)} else first_id end, moved_at = ${to.now}
       where organization_id = ${organization_id}`);
  },

  /** Nobody waits any more. The lock on the follower keeps new waits out until the end of the transaction. */
  async stopIfIdle(tx: Transaction, organization_id: string): Promise<void> {
    await tx.run(sql`
      delete from wait_followers where organization_id = ${organization_id} and not exists (
        select from waits where organization_id = ${organization_id} and status = 'pending')`);
  },

  /** The received messages among these records. */
  async messages(tx: Transaction, organization_id: string, ids: readonly string[]) {
    if (ids.length === 0) return [];
    return tx.rows<ReceivedMessage>(sql`
      select 'email' as noun, conversation_id as thread_id, from_address as "from",
             to_addresses || cc_addresses || bcc_addresses as "to"
        from emails where organization_id = ${organization_id} and id = any(${ids}::uuid[]) and direction = 'inbound'
      union all
      select 'sms', conversation_id, "from", array["to"]
        from sms_messages where organization_id = ${organization_id} and id = any(${ids}::uuid[]) and direction = 'inbound'`);
  },

  markDue,
  followedAmong,
  conversationIds,
});
export type FollowStore = ReturnType<typeof followStore>;

/** Makes pending waits with one of these keys due. In the order of their ids, so that two transactions cannot deadlock. */
async function markDue(
  tx: Transaction,
  organization_id: string,
  keys: readonly string[],
  now: Date,
): Promise<number> {
  if (keys.length === 0) return 0;
  return tx.run(sql`
    update waits w set look_at = ${now} from (
      select id from waits
       where organization_id = ${organization_id} and status = 'pending' and look_at > ${now} and id in (
         select wait_id from wait_keys where organization_id = ${organization_id} and key = any(${keys}::text[]))
       order by id for update) marked
     where w.organization_id = ${organization_id} and w.id = marked.id and w.status = 'pending'`);
}

/** Which of these organizations have pending waits. */
async function followedAmong(on: Queryable, organization_ids: readonly string[]): Promise<Set<string>> {
  const rows = await on.rows<{ organization_id: string }>(sql`
    select organization_id from wait_followers where organization_id = any(${organization_ids}::uuid[])`);
  return new Set(rows.map(({ organization_id }) => organization_id));
}

/** The conversations of these records, under all their ids. */
async function conversationIds(
  on: Queryable,
  organization_id: string,
  record_ids: readonly string[],
): Promise<string[]> {
  const rows = await on.rows<{ id: string }>(sql`
    with found as (
      select distinct conversation_id as id from conversation_items
       where organization_id = ${organization_id} and id = any(${record_ids}::uuid[]))
    select id from found
    union
    select a.alias_id from conversation_aliases a join found f on f.id = a.conversation_id
     where a.organization_id = ${organization_id}`);
  return rows.map(({ id }) => id);
}

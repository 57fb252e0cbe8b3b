// The SQL of leading a call: leases, which process leads, where its audio is expected, and which processes run calls.
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { type CallRef, ledBy, open_states } from './queue-store.ts';

/** A process that did not report for this long does not count. */
const process_seconds = 10;

const inSeconds = (seconds: number) => sql`now() + ${seconds} * interval '1 second'`;

export function leaderStore(db: Database) {
  return {
    /** From here on the process leads the call. It must renew the lease, or the sweeper closes the call. */
    lease: (tx: Transaction, call: CallRef, leader_id: string, lease_seconds: number) =>
      tx.run(sql`
        update calls set leader_id = ${leader_id}, lease_until = ${inSeconds(lease_seconds)} where id = ${call.id}`),

    /**
     * Renews the leases of the calls that this process still leads. Returns for all of them what other processes changed or
     * requested. Rows are locked in the order of their ids to avoid deadlocks.
     */
    renew: (leader_id: string, ids: string[], lease_seconds: number) =>
      db.rows<{ id: string; status: string; is_leader: boolean; is_hang_up_requested: boolean }>(sql`
        with renewed as (
          update calls c set lease_until = ${inSeconds(lease_seconds)}
            from (select id from calls where id = any(${ids}) and leader_id = ${leader_id} order by id for no key update) own
           where c.id = own.id
          returning c.id, c.status, c.hang_up_requested_at is not null as is_hang_up_requested)
        select id, status, true as is_leader, is_hang_up_requested from renewed
        union all
        select id, status, false, hang_up_requested_at is not null from calls
         where id = any(${ids}) and leader_id is distinct from ${leader_id}`),

    /** Makes another process the leader of a call whose lease ran out; null when its leader renewed it meanwhile. */
    takeOver: (call: CallRef, leader_id: string) =>
      db.maybe<{ id: string }>(sql`
        update calls set leader_id = ${leader_id}
         where organization_id = ${call.organization_id} and id = ${call.id} and status in ${open_states}
           and lease_until < now()
        returning id`),

    /** Stores where the carrier's audio is expected. False when another process leads the call. */
    async expectMedia(call: { id: string; leader_id: string }, at: { url: string; token_hash: Buffer }) {
      const touched = await db.run(sql`
        update calls set leader_url = ${at.url}, media_token_hash = ${at.token_hash}
         where id = ${call.id} and leader_id = ${call.leader_id} and status in ${open_states}`);
      return touched > 0;
    },

    /** The address of the process, other than this one, that expects the audio with this token. */
    async leaderOfToken(token_hash: Buffer, own_id: string): Promise<string | null> {
      const row = await db.maybe<{ leader_url: string }>(sql`
        select leader_url from calls
         where media_token_hash = ${token_hash} and status in ${open_states} and leader_url is not null
           and leader_id <> ${own_id}`);
      return row?.leader_url ?? null;
    },

    /** Whether the call is open and another process leads it. */
    async isLedElsewhere(call: CallRef): Promise<boolean> {
      const found = await db.maybe(sql`
        select 1 from calls
         where organization_id = ${call.organization_id} and id = ${call.id} and status in ${open_states}
           and leader_id is distinct from ${call.leader_id ?? null}`);
      return found !== null;
    },

    /** The process that runs an inbound call, which the carrier may offer again; null when it is over or was never accepted. */
    async leaderOfOffered(offer: { provider: string; provider_call_id: string }): Promise<string | null> {
      const row = await db.maybe<{ leader_id: string | null }>(sql`
        select leader_id from calls
         where provider = ${offer.provider} and provider_call_id = ${offer.provider_call_id} and status in ${open_states}`);
      return row?.leader_id ?? null;
    },

    /** Locked until the transaction ends; false when another process leads the call. */
    async lockLed(tx: Transaction, call: CallRef): Promise<boolean> {
      const found = await tx.maybe(sql`
        select 1 from calls where organization_id = ${call.organization_id} and id = ${call.id} ${ledBy(call)} for update`);
      return found !== null;
    },
  };
}

/** The processes that run calls and that others can reach. */
export function processStore(db: Database) {
  return {
    report: (own: { id: string; url: string; free_calls: number }) =>
      db.run(sql`
        insert into call_processes (id, url, free_calls) values (${own.id}, ${own.url}, ${own.free_calls})
        on conflict (id) do update set url = excluded.url, free_calls = excluded.free_calls, seen_at = now()`),

    remove: (id: string) => db.run(sql`delete from call_processes where id = ${id}`),

    removeOld: () =>
      db.run(
        sql`delete from call_processes where seen_at < now() - ${6 * process_seconds} * interval '1 second'`,
      ),

    /** Where a call may be offered: first the process that leads it already, then those with the most capacity. */
    async withCapacity(
      own_id: string,
      offer: { provider: string; provider_call_id: string },
      limit: number,
    ): Promise<string[]> {
      const rows = await db.rows<{ url: string }>(sql`
        select url from (
          select leader_url as url, null as free_calls from calls
           where provider = ${offer.provider} and provider_call_id = ${offer.provider_call_id}
             and status in ${open_states} and leader_url is not null and leader_id <> ${own_id}
          union all
          select url, free_calls from call_processes
           where id <> ${own_id} and free_calls > 0 and seen_at > now() - ${process_seconds} * interval '1 second') found
         order by free_calls desc nulls first limit ${limit}`);
      return rows.map(({ url }) => url);
    },
  };
}
export type ProcessStore = ReturnType<typeof processStore>;

// The SQL of a call in progress: claimed from the queue, leased by a process, moved from status to status.
import { type Call, type CallTrigger, callLifecycle, isFinalCall } from '@parley/contract/call-records';
import type { Database, Queryable, Row, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { SpeechPlan } from '../conversation/speech-plan.ts';
import { callColumns } from '../store.ts';

export type QueuedCall = {
  id: string;
  organization_id: string;
  from: string | null;
  to: string;
  provider: string | null;
  ring_timeout_seconds: number;
  is_recorded: boolean;
  plan: SpeechPlan;
  brain_key_sealed: string | null;
};

/** A call that a process runs: it has its number, and an inbound call has the carrier's id. */
export type RunningCall = Omit<QueuedCall, 'from' | 'provider'> & { from: string; provider: string } & (
    | { direction: 'outbound' }
    | { direction: 'inbound'; provider_call_id: string }
  );

export type CallRef = { id: string; organization_id: string };

/** A call whose lease ran out: the process that ran it is gone. */
export type LostCall = CallRef & {
  from: string;
  to: string;
  provider: string | null;
  provider_call_id: string | null;
  started_at: Date;
  lost_seconds: number;
};

const open_states = sql`('dialing', 'ringing', 'in_progress')`;
const queued = sql`id, organization_id, "from", "to", provider, ring_timeout_seconds, is_recorded, plan,
  brain_key_sealed`;

export function progressStore(db: Database, move: Mover, baseUrl: () => string) {
  const inSeconds = (seconds: number) => sql`now() + ${seconds} * interval '1 second'`;

  return {
    /** The oldest of all organizations; without the pool only calls that already have a number. */
    next: (tx: Transaction, options: { with_pool: boolean; providers: string[] }) =>
      tx.maybe<QueuedCall>(sql`
        select ${queued} from calls
         where status = 'queued' and (provider = any(${options.providers}) or (${options.with_pool} and "from" is null))
         order by id limit 1 for update skip locked`),

    /** The record after the move, or null where the trigger does not apply. */
    move: (tx: Transaction, call: CallRef, trigger: CallTrigger, set: Row) =>
      move<typeof callLifecycle, Call>(tx, {
        lifecycle: callLifecycle,
        table: 'calls',
        organization_id: call.organization_id,
        id: call.id,
        trigger,
        set,
        returning: callColumns(baseUrl()),
        event: (record) => ({ data: eventData(record) }),
      }),

    /** Inserts an inbound call; false when the carrier offered it before. */
    async insertOffered(tx: Transaction, _organization_id: string, call: Row): Promise<boolean> {
      const inserted = await tx.rows(sql`
        insert into calls select * from json_populate_record(null::calls, ${JSON.stringify(call)})
        on conflict (provider, provider_call_id) where provider_call_id is not null do nothing returning id`);
      return inserted.length > 0;
    },

    /** Whether a call of any organization has this id of the carrier. */
    async isKnown(provider: string, provider_call_id: string): Promise<boolean> {
      const row = await db.maybe(sql`
        select id from calls where provider = ${provider} and provider_call_id = ${provider_call_id}`);
      return row !== null;
    },

    idOf: (organization_id: string, provider: string, provider_call_id: string) =>
      db.maybe<{ id: string }>(sql`
        select id from calls where organization_id = ${organization_id} and provider = ${provider}
           and provider_call_id = ${provider_call_id}`),

    /** From here on the process must renew the lease, or the sweeper closes the call. */
    lease: (tx: Transaction, call: CallRef, lease_seconds: number) =>
      tx.run(sql`update calls set lease_until = ${inSeconds(lease_seconds)} where id = ${call.id}`),

    /** Returns what other processes changed or requested. Rows are locked in the order of their ids to avoid deadlocks. */
    renew: (ids: string[], lease_seconds: number) =>
      db.rows<{ id: string; status: string; is_unwanted: boolean }>(sql`
        update calls c set lease_until = ${inSeconds(lease_seconds)}
          from (select id from calls where id = any(${ids}) order by id for no key update) own
         where c.id = own.id
        returning c.id, c.status, c.hang_up_requested_at is not null as is_unwanted`),

    /** `admission` is the decision that allowed the call; null leaves it unchanged. */
    placed: (
      call: CallRef,
      provider_call_id: string,
      { on = db, admission = null }: { on?: Queryable; admission?: string | null } = {},
    ) =>
      on.run(sql`
        update calls set provider_call_id = ${provider_call_id}, admission = coalesce(${admission}, admission)
         where organization_id = ${call.organization_id} and id = ${call.id}`),

    answeredBy: (call: CallRef, by: string) =>
      db.run(sql`
        update calls set answered_by = ${by}
         where organization_id = ${call.organization_id} and id = ${call.id} and status = 'in_progress'`),

    /** False when the call is not in progress. */
    async requestHangUp(call: CallRef, now: Date): Promise<boolean> {
      const touched = await db.run(sql`
        update calls set hang_up_requested_at = coalesce(hang_up_requested_at, ${now})
         where organization_id = ${call.organization_id} and id = ${call.id} and status = 'in_progress'`);
      return touched > 0;
    },

    status: (call: CallRef) =>
      db.maybe<{
        status: string;
        provider_call_id: string | null;
        answered_at: Date | null;
        is_unwanted: boolean;
      }>(sql`
        select status, provider_call_id, answered_at, hang_up_requested_at is not null as is_unwanted from calls
         where organization_id = ${call.organization_id} and id = ${call.id}`),

    /** The call that a carrier's event is about, locked until the transaction ends. */
    lockNamed: (
      tx: Transaction,
      named: { provider: string; provider_call_id: string; call_id: string | null },
    ) =>
      tx.maybe<
        CallRef & {
          status: string;
          provider_call_id: string | null;
          is_leased: boolean;
          answered_at: Date | null;
        }
      >(sql`
        select id, organization_id, status, provider_call_id, answered_at, coalesce(lease_until > now(), false) as is_leased from calls
         where provider = ${named.provider}
           and (provider_call_id = ${named.provider_call_id}
                or (id = ${named.call_id}::uuid and provider_call_id is null))
           for update`),

    /** Calls whose lease ran out. */
    lost: (limit: number) =>
      db.rows<LostCall>(sql`
        select id, organization_id, "from", "to", provider, provider_call_id, coalesce(started_at, requested_at) as started_at,
               extract(epoch from now() - lease_until)::float as lost_seconds
          from calls where status in ${open_states} and lease_until < now() order by lease_until limit ${limit}`),

    /** Locked until the transaction ends; null when the lease was renewed or the call is over. */
    async lockLost(tx: Transaction, call: CallRef): Promise<{ answered_at: Date | null } | null> {
      return tx.maybe<{ answered_at: Date | null }>(sql`
        select answered_at from calls
         where organization_id = ${call.organization_id} and id = ${call.id} and status in ${open_states}
           and lease_until < now() for update`);
    },

    /** Locked until the transaction ends; false when the call is over. */
    async lockOpen(tx: Transaction, call: CallRef): Promise<boolean> {
      const found = await tx.maybe(sql`
        select 1 from calls
         where organization_id = ${call.organization_id} and id = ${call.id} and status in ${open_states} for update`);
      return found !== null;
    },

    /** Calls that were queued at or before this moment. */
    waitingSince: (moment: Date, limit: number) =>
      db.rows<CallRef & { from: string | null }>(sql`
        select id, organization_id, "from" from calls
         where status = 'queued' and requested_at <= ${moment} order by id limit ${limit}`),

    async oldestQueued(): Promise<Date | null> {
      const row = await db.maybe<{ at: Date | null }>(
        sql`select min(requested_at) as at from calls where status = 'queued'`,
      );
      return row?.at ?? null;
    },
  };
}
export type ProgressStore = ReturnType<typeof progressStore>;

const eventData = (call: Call) => ({
  id: call.id,
  direction: call.direction,
  status: call.status,
  end_reason: call.end_reason,
  from: call.from,
  to: call.to,
  agent_id: call.agent_id,
  answered_by: call.answered_by,
  requested_at: call.requested_at,
  answered_at: call.answered_at,
  ended_at: call.ended_at,
  duration_seconds: call.duration_seconds,
  metadata: call.metadata,
});

export const isOver = (found: { status: string } | null): boolean => !found || isFinalCall(found.status);

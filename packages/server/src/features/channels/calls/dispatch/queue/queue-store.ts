// The SQL of the queue and of leases: which calls wait, which process runs a call, and which calls lost their process.
import type { TemplateValues } from '@parley/contract/schema/templates';
import type { Database, Transaction } from '../../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../../platform/db/sql.ts';
import type { SendingTerms } from '../../../../rules/admission/index.ts';
import { readPlan, type SpeechPlan, type StoredPlan } from '../../conversation/speak/speech-plan.ts';

export type QueuedCall = {
  id: string;
  organization_id: string;
  conversation_id: string;
  agent_id: string | null;
  from: string | null;
  to: string;
  provider: string | null;
  ring_timeout_seconds: number;
  is_recorded: boolean;
  plan: SpeechPlan;
  llm_key_sealed: string | null;
  scheduled_at: string | null;
  terms: SendingTerms | null;
};

/** A call that a process runs: it has its number, and an inbound call has the carrier's id. */
export type RunningCall = Omit<QueuedCall, 'from' | 'provider'> & {
  from: string;
  provider: string;
  /** The process that leads the call. Its writes apply only while it does. */
  leader_id: string;
  /** Of the reserved variables, from when the call starts. */
  values?: TemplateValues;
  /** Set for the call to a colleague: who asked for the transfer. */
  leg_origin?: 'agent' | 'api';
} & (
    | { direction: 'outbound'; has_pool_number: boolean }
    | { direction: 'inbound'; provider_call_id: string }
  );

/** With `leader_id` the write of a leader: it applies only while this process leads the call. */
export type CallRef = { id: string; organization_id: string; leader_id?: string };

export const ledBy = ({ leader_id }: CallRef): Sql =>
  leader_id === undefined ? sql.empty : sql`and leader_id = ${leader_id}`;

/** A call whose lease ran out: the process that ran it is gone. */
export type LostCall = CallRef & {
  from: string;
  to: string;
  provider: string | null;
  provider_call_id: string | null;
  started_at: Date;
  lost_seconds: number;
};

export const open_states = sql`('dialing', 'ringing', 'in_progress')`;
const queued_columns = sql`id, organization_id, conversation_id, agent_id, "from", "to", provider, ring_timeout_seconds, is_recorded, plan,
  coalesce(llm_key_sealed, brain_key_sealed) as llm_key_sealed, iso(scheduled_at) as scheduled_at, terms`;

/** The time limit of the queue starts here. */
const queued_at = sql`coalesce(released_at, requested_at)`;

export function queueStore(db: Database) {
  return {
    /** The oldest of all organizations; without the pool only calls that already have a number. */
    async next(
      tx: Transaction,
      options: { with_pool: boolean; providers: string[] },
    ): Promise<(QueuedCall & { has_number: boolean }) | null> {
      const row = await tx.maybe<Omit<QueuedCall, 'plan'> & { plan: StoredPlan; has_number: boolean }>(sql`
        select ${queued_columns},
               -- A call that waited may have lost its number meanwhile, also to another organization.
               case when released_at is null or "from" is null then true else exists (
                 select from numbers n where n.organization_id = c.organization_id and n.e164 = c."from"
                    and n.provisioning_state = 'active') end as has_number
          from calls c
         where status = 'queued' and hold is null and (provider = any(${options.providers}) or (${options.with_pool} and "from" is null))
         order by id limit 1 for update skip locked`);
      return row && { ...row, plan: readPlan(row.plan) };
    },

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
           and lease_until < now() ${ledBy(call)} for update`);
    },

    /** Calls that may be dialed since this moment or longer. */
    waitingSince: (moment: Date, limit: number) =>
      db.rows<CallRef & { from: string | null }>(sql`
        select id, organization_id, "from" from calls
         where status = 'queued' and hold is null and ${queued_at} <= ${moment} order by id limit ${limit}`),

    /** Calls that the kill switch holds back, and that should have been dialed long ago. */
    stoppedSince: (moment: Date, scheduled_moment: Date, limit: number) =>
      db.rows<CallRef>(sql`
        select id, organization_id from calls
         where status = 'queued' and hold ->> 'kind' = 'kill_switch'
           and ${queued_at} <= case when scheduled_at is null then ${moment}::timestamptz else ${scheduled_moment} end
         order by id limit ${limit}`),

    /** Without calls that wait for their time or for an approval. */
    async oldestQueued(): Promise<Date | null> {
      const row = await db.maybe<{ at: Date | null }>(sql`
        select least((select min(${queued_at}) from calls where status = 'queued' and hold is null),
                     (select min(${queued_at}) from calls
                       where status = 'queued' and hold ->> 'kind' = 'kill_switch' and scheduled_at is null)) as at`);
      return row?.at ?? null;
    },
  };
}

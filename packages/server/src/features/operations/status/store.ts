// The SQL of health and queue metrics: a database probe, and how much work of all organizations is due.
import { setAsideQueues } from '@parley/contract/operations/set-aside-work';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Numbers of the pool that calls may use: `free`, or `bound` to a call. */
export type PoolNumbers = { state: 'free' | 'bound'; numbers: number };
export type SetAsideCount = { queue: string; entries: number };
export type QueueState = { queue: string; items: number; oldest_age_seconds: number };

/** Counting stops here: larger numbers cost time and say no more. */
const counted_at_most = 10_000;
const statement_timeout_ms = 1000;

export const queueStore = (db: Database) => ({
  /**
   * Each part uses the index that its workers claim by, and stops at the limit. Claimed work is due when its lease ends,
   * so it is not counted.
   */
  read: (now: Date): Promise<QueueState[]> =>
    db.transaction(async (tx) => {
      await tx.rows(sql`select set_config('statement_timeout', ${String(statement_timeout_ms)}, true)`);
      return tx.rows<QueueState>(
        sql.replanned(sql`
        with recursive subscription as (
          (select subscription_id as id from webhook_deliveries where status = 'pending' and not is_manual
            order by subscription_id, claimable_at limit 1)
          union all
          select next.id from subscription, lateral (
            select subscription_id as id from webhook_deliveries
             where status = 'pending' and not is_manual and subscription_id > subscription.id
             order by subscription_id, claimable_at limit 1) next
        ), due as (
          (select 'jobs' as queue, run_at as due_at from jobs where run_at <= ${now}
            order by run_at limit ${counted_at_most})
          union all
          (select 'texts', next_attempt_at from sms_messages where next_attempt_at <= ${now}
            order by next_attempt_at limit ${counted_at_most})
          union all
          (select 'calls', requested_at from calls where status = 'queued' order by id limit ${counted_at_most})
          union all
          (select 'webhook_deliveries', delivery.claimable_at
             from subscription join webhook_subscriptions s on s.id = subscription.id and s.status = 'active',
                  lateral (select claimable_at from webhook_deliveries d
                            where d.status = 'pending' and not d.is_manual and d.subscription_id = s.id
                              and d.claimable_at <= ${now}
                            order by d.claimable_at limit ${counted_at_most}) delivery
            limit ${counted_at_most})
          union all
          (select 'webhook_deliveries', claimable_at from webhook_deliveries
            where is_manual and claimable_at <= ${now} order by claimable_at limit ${counted_at_most})
          union all
          -- The database wrote these times, so their age is measured by its clock.
          (select 'projections', ${now}::timestamptz - (clock_timestamp() - queued_at) from projection_queue
            where not_before is null order by position limit ${counted_at_most})
        )
        select name as queue, count(due_at)::int as items,
               coalesce(greatest(0, extract(epoch from ${now} - min(due_at))), 0)::float8 as oldest_age_seconds
          from unnest(array['jobs', 'texts', 'calls', 'webhook_deliveries', 'projections']) name left join due on due.queue = name
         group by name`),
      );
    }),

  /** How much work is set aside: at most a few thousand entries. */
  setAside: (): Promise<SetAsideCount[]> =>
    db.rows<SetAsideCount>(sql`
      select queue, count(work.id)::int as entries
        from unnest(${[...setAsideQueues]}::text[]) queue left join set_aside_work work using (queue) group by queue`),

  poolNumbers: (): Promise<PoolNumbers[]> =>
    db.rows<PoolNumbers>(sql`
      select state, count(number.id)::int as numbers
        from unnest(array['free', 'bound']) state
        left join pool_numbers number on provisioning_state = 'active'
              and (bound_call_id is not null) = (state = 'bound')
       group by state`),
});

export const probeStore = (db: Database) => ({
  /** A server that accepts no writes counts as unavailable: its error code makes the pool look for another server. */
  answers: async (): Promise<void> =>
    void (await db.run(sql`
      do $$ begin
        if current_setting('transaction_read_only')::boolean then
          raise exception 'the database server accepts no writes' using errcode = 'read_only_sql_transaction';
        end if;
      end $$`)),
});

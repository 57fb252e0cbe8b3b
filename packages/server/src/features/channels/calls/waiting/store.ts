// The SQL of calls that wait: for their time, for an approval, or because a rule holds them back.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import {
  credentialsOf,
  type Principal,
  type SendingTerms,
  type WaitingRef,
  type WaitingState,
} from '../../../rules/admission/index.ts';
import type { PayloadFields } from './payload.ts';

export type WaitingCall = WaitingRef &
  PayloadFields & { provider: string | null; hold: Hold; terms: SendingTerms | null };

const columns = sql`id, organization_id, "from", "to", provider, plan, ring_timeout_seconds, is_recorded, hold, terms,
  iso(scheduled_at) as scheduled_at`;

export function waitingCallStore(db: Database) {
  const select = (on: Queryable, { organization_id, id }: WaitingRef, lock = sql.empty) =>
    on.maybe<WaitingCall>(sql`
      select ${columns} from calls
       where organization_id = ${organization_id} and id = ${id} and status = 'queued' and hold is not null ${lock}`);
  return {
    /** Null when the call does not wait. */
    find: (ref: WaitingRef) => select(db, ref),

    /** Locked until the transaction ends; null when the call does not wait any more. */
    lock: (tx: Transaction, ref: WaitingRef) => select(tx, ref, sql`for update`),

    /** Also of a call that does not wait. */
    payloadFields: ({ organization_id, id }: WaitingRef) =>
      db.maybe<PayloadFields>(
        sql`select ${columns} from calls where organization_id = ${organization_id} and id = ${id}`,
      ),

    /** The credentials that asked for the call; none for an inbound call. */
    async startedBy(organization_id: string, id: string): Promise<readonly string[]> {
      const row = await db.maybe<{ principal: Principal | null }>(sql`
        select terms -> 'principal' as principal from calls where organization_id = ${organization_id} and id = ${id}`);
      return row?.principal ? credentialsOf(row.principal) : [];
    },

    /** Changes what a locked call waits for. */
    wait: (
      tx: Transaction,
      { organization_id, id }: WaitingRef,
      { hold, scheduled_at, terms }: WaitingState,
      now: Date,
    ) =>
      tx.run(sql`
        update calls set hold = ${hold && JSON.stringify(hold)}, scheduled_at = ${scheduled_at},
               terms = ${terms && JSON.stringify(terms)}, released_at = ${hold ? null : now}
         where organization_id = ${organization_id} and id = ${id} and status = 'queued'`),

    /** Queued calls of all organizations get this hold. */
    holdQueued: (tx: Transaction, hold: Hold, limit: number) =>
      tx.rows<WaitingRef>(sql`
        update calls set hold = ${JSON.stringify(hold)}
         where id in (select id from calls where status = 'queued' and hold is null
                       order by id limit ${limit} for update skip locked)
        returning id, organization_id`),

    /** Calls of all organizations that the kill switch held back may be dialed again. */
    releaseStopped: (tx: Transaction, now: Date, limit: number) =>
      tx.rows<WaitingRef>(sql`
        update calls set hold = null, released_at = ${now}
         where id in (select id from calls where status = 'queued' and hold ->> 'kind' = 'kill_switch'
                       order by id limit ${limit} for update skip locked)
        returning id, organization_id`),
  };
}
export type WaitingCallStore = ReturnType<typeof waitingCallStore>;

// The SQL of a call in progress: moved from status to status. Includes the SQL of the queue, of leaders and of lookups.
import {
  type Call,
  type CallTrigger,
  callLifecycle,
  isFinalCall,
} from '@parley/contract/channels/calls/call-records';
import type { Database, Queryable, Row, Transaction } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import type { Mover } from '../../../../../platform/lifecycle.ts';
import type { SendingTerms } from '../../../../rules/admission/index.ts';
import { callColumns } from '../../store.ts';
import { leaderStore } from '../queue/leader-store.ts';
import { lookupStore } from '../queue/lookup-store.ts';
import { type CallRef, ledBy, type QueuedCall, queueStore } from '../queue/queue-store.ts';

export type { CallRef, LostCall, QueuedCall, RunningCall } from '../queue/queue-store.ts';

export function progressStore(db: Database, move: Mover, baseUrl: () => string) {
  return {
    ...queueStore(db),
    ...lookupStore(db),
    ...leaderStore(db),

    /** The record after the move, or null where the trigger does not apply or another process leads the call. */
    move: (tx: Transaction, call: CallRef, trigger: CallTrigger, set: Row) =>
      move<typeof callLifecycle, Call>(tx, {
        lifecycle: callLifecycle,
        table: 'calls',
        organization_id: call.organization_id,
        id: call.id,
        key: call.leader_id === undefined ? {} : { leader_id: call.leader_id },
        trigger,
        set,
        returning: callColumns(baseUrl()),
        // A call to a colleague is a part of another call, whose events tell of it.
        event: (record) => (record.parent_call_id === null ? { data: eventData(record) } : null),
      }),

    /** Inserts an inbound call; false when the carrier offered it before. */
    async insertOffered(tx: Transaction, _organization_id: string, call: Row): Promise<boolean> {
      const inserted = await tx.rows(sql`
        insert into calls select * from json_populate_record(null::calls, ${JSON.stringify(call)})
        on conflict (provider, provider_call_id) where provider_call_id is not null do nothing returning id`);
      return inserted.length > 0;
    },

    /** The decision that allows the carrier to dial. False when the call is over: it must not be dialed. */
    async admitted(call: CallRef, admission: string, on: Queryable = db): Promise<boolean> {
      const touched = await on.run(sql`
        update calls
           set admission = ${admission}, terms = (terms::jsonb || '{"is_counted_at_hand_over": false}'::jsonb)::json
         where organization_id = ${call.organization_id} and id = ${call.id} and status = 'dialing' ${ledBy(call)}`);
      return touched > 0;
    },

    /** What budgets counted when the call was created. */
    async counted(call: CallRef, on: Queryable): Promise<NonNullable<SendingTerms['counted']>> {
      const row = await on.maybe<Pick<QueuedCall, 'terms'>>(sql`
        select terms from calls where organization_id = ${call.organization_id} and id = ${call.id}`);
      return row?.terms?.counted ?? [];
    },

    placed: (call: CallRef, provider_call_id: string, on: Queryable = db) =>
      on.run(sql`
        update calls set provider_call_id = ${provider_call_id}
         where organization_id = ${call.organization_id} and id = ${call.id} ${ledBy(call)}`),

    answeredBy: (call: CallRef, by: string) =>
      db.run(sql`
        update calls set answered_by = ${by}
         where organization_id = ${call.organization_id} and id = ${call.id} and status = 'in_progress' ${ledBy(call)}`),

    /** Also when the person hung up meanwhile. */
    handedOff: (call: CallRef, handoff_data: string | null) =>
      db.run(sql`
        update calls set handoff_data = ${handoff_data}
         where organization_id = ${call.organization_id} and id = ${call.id} ${ledBy(call)}`),

    /** False when the call is not in progress. */
    async requestHangUp(call: CallRef, now: Date): Promise<boolean> {
      const touched = await db.run(sql`
        update calls set hang_up_requested_at = coalesce(hang_up_requested_at, ${now})
         where organization_id = ${call.organization_id} and id = ${call.id} and status = 'in_progress'`);
      return touched > 0;
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
  result_status: call.result_status,
  handoff_data: call.handoff_data,
  metadata: call.metadata,
});

export const isOver = (found: { status: string } | null): boolean => !found || isFinalCall(found.status);

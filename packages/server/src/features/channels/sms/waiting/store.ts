// The SQL of texts that wait: for their time, for an approval, or because a rule holds them back.

import { type Sms, smsLifecycle } from '@parley/contract/channels/sms/sms';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import type { CountOutcome } from '../../../../platform/metrics.ts';
import {
  dueAt,
  type WaitingEndReason,
  type WaitingRef,
  type WaitingState,
} from '../../../rules/admission/index.ts';
import { columns, type SmsRow } from '../sending/sms-record-store.ts';

export type WaitingSms = Sms & Pick<SmsRow, 'origin' | 'terms'> & { hold: Hold };

export function waitingSmsStore(deps: { db: Database; move: Mover; countOutcome: CountOutcome }) {
  const { db, move, countOutcome } = deps;
  const select = (on: Queryable, { organization_id, id }: WaitingRef, lock = sql.empty) =>
    on.maybe<WaitingSms>(sql`
      select ${columns}, origin, terms from sms_messages
       where organization_id = ${organization_id} and id = ${id} and status = 'queued' and hold is not null ${lock}`);
  return {
    /** Null when the text does not wait. */
    find: (ref: WaitingRef) => select(db, ref),

    /** Locked until the transaction ends; null when the text does not wait any more. */
    lock: (tx: Transaction, ref: WaitingRef) => select(tx, ref, sql`for update`),

    /** Changes what a locked text waits for. */
    wait: (
      tx: Transaction,
      { organization_id, id }: WaitingRef,
      { hold, scheduled_at, terms }: WaitingState,
      now: Date,
    ) =>
      tx.maybe<Sms>(sql`
        update sms_messages
           set hold = ${hold && JSON.stringify(hold)}, scheduled_at = ${scheduled_at},
               terms = ${terms && JSON.stringify(terms)}, next_attempt_at = ${hold ? dueAt(hold) : now},
               released_at = ${hold ? null : now}
         where organization_id = ${organization_id} and id = ${id} and status = 'queued'
        returning ${columns}`),

    /** Ends a locked text. */
    async cancel(
      tx: Transaction,
      ref: WaitingRef,
      error_code: WaitingEndReason,
      now: Date,
    ): Promise<Sms | null> {
      const canceled = await move<typeof smsLifecycle, Sms>(tx, {
        lifecycle: smsLifecycle,
        table: 'sms_messages',
        organization_id: ref.organization_id,
        id: ref.id,
        trigger: 'canceled',
        set: { error_code, hold: null, next_attempt_at: null },
        returning: columns,
        event: ({ id, from, to, status }) => ({
          data: { id, from, to, status, error_code, occurred_at: now.toISOString() },
        }),
      });
      if (canceled) tx.afterCommit(() => countOutcome('sms', 'outbound', 'canceled', error_code));
      return canceled;
    },
  };
}
export type WaitingSmsStore = ReturnType<typeof waitingSmsStore>;

// The SQL that prepares a restored database for work: what was not finished at the time of the backup may have been finished
// afterwards by the old service, so it must be looked up instead of done again.
import { callLifecycle } from '@parley/contract/channels/calls/call-records';
import type { Transaction } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { mover } from '../platform/lifecycle.ts';

const move = mover({ outbox: null });

export type HeldWork = { texts: number; calls: number };

/** Works for all organizations. Emails that were being sent need nothing: the sweeper closes them as unconfirmed. */
export async function holdUnfinished(tx: Transaction, since: Date): Promise<HeldWork> {
  // A text with handed_at is looked up at the carrier before it is sent.
  const texts = await tx.run(sql`
    update sms_messages set handed_at = ${since} where status = 'queued' and handed_at is null`);
  // An email that was due since the backup may have been sent: with a deadline in the past the sweeper closes it too.
  await tx.run(sql`
    update emails set send_deadline = ${since}, hold = null
     where status = 'queued' and direction = 'outbound' and send_deadline is null
       and (hold is null or (hold->>'kind' <> 'approval' and (hold->>'until')::timestamptz <= now()))`);
  // A call that is dialing with an expired lease is looked up at the carrier and closed.
  const calls = await tx.rows<{ organization_id: string; id: string }>(
    sql`select organization_id, id from calls
         where status = 'queued' and (hold is null or hold->>'kind' = 'kill_switch'
               or (hold->>'kind' <> 'approval' and (hold->>'until')::timestamptz <= now()))`,
  );
  for (const { organization_id, id } of calls) {
    await move(tx, {
      lifecycle: callLifecycle,
      table: 'calls',
      organization_id,
      id,
      trigger: 'dialed',
      set: { lease_until: since.toISOString(), hold: null },
      returning: sql`id`,
    });
  }
  return { texts, calls: calls.length };
}

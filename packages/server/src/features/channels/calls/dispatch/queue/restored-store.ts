// The SQL that prepares restored calls for work: the old service may have dialed them after the backup.
import { callLifecycle } from '@parley/contract/channels/calls/call-records';
import type { Transaction } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { mover } from '../../../../../platform/lifecycle.ts';

const move = mover({ outbox: null });

/** Of all organizations. */
export async function lookUpRestoredCalls(tx: Transaction, since: Date): Promise<number> {
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
  return calls.length;
}

// The SQL that prepares restored emails for work: what was due since the backup may have been sent by the old service.
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

/**
 * Of all organizations. With a deadline in the past the sweeper closes an email as unconfirmed, as it does with those that
 * were being sent.
 */
export const closeRestoredEmails = (tx: Transaction, since: Date): Promise<number> =>
  tx.run(sql`
    update emails set send_deadline = ${since}, hold = null
     where status = 'queued' and direction = 'outbound' and send_deadline is null
       and (hold is null or (hold->>'kind' <> 'approval' and (hold->>'until')::timestamptz <= now()))`);

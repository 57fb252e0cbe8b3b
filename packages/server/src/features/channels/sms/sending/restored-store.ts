// The SQL that prepares restored texts for work: the old service may have handed them to the carrier after the backup.
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

/** Of all organizations. A text with handed_at is looked up at the carrier before it is sent. */
export const lookUpRestoredTexts = (tx: Transaction, since: Date): Promise<number> =>
  tx.run(sql`update sms_messages set handed_at = ${since} where status = 'queued' and handed_at is null`);

// Prepares a restored database for work: what was not finished at the time of the backup may have been finished afterwards
// by the old service, so it must be looked up instead of done again.
import { lookUpRestoredCalls } from '../features/channels/calls/index.ts';
import { closeRestoredEmails } from '../features/channels/emails/index.ts';
import { lookUpRestoredTexts } from '../features/channels/sms/index.ts';
import type { Transaction } from '../platform/db/database.ts';

export type HeldWork = { texts: number; calls: number };

/** Works for all organizations. */
export async function holdUnfinished(tx: Transaction, since: Date): Promise<HeldWork> {
  const texts = await lookUpRestoredTexts(tx, since);
  await closeRestoredEmails(tx, since);
  return { texts, calls: await lookUpRestoredCalls(tx, since) };
}

// The SQL of batches of emails.
import type { EmailBatch, EmailBatchItem } from '@parley/contract/channels/emails/email-batches';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { table } from '../../../../platform/db/table.ts';

export type StoredItem = Pick<EmailBatchItem, 'email_id' | 'error'>;
export type BatchRow = Pick<EmailBatch, 'id' | 'organization_id' | 'on_error' | 'created_at'> & {
  items: StoredItem[];
};

export const email_batches = table<'email_batches', BatchRow>('email_batches', {
  organization_id: 'uuid',
  id: 'uuid',
  on_error: 'text',
  created_at: 'timestamptz',
  items: 'json',
});

export const batchStore = (db: Database) => ({
  find: (organization_id: string, id: string) =>
    db.maybe<BatchRow>(sql`
      select organization_id, id, on_error, iso(created_at) as created_at, items from email_batches
       where organization_id = ${organization_id} and id = ${id}`),

  states: (organization_id: string, email_ids: string[]) =>
    db.rows<{ id: string; status: NonNullable<EmailBatchItem['status']>; hold: EmailBatchItem['hold'] }>(sql`
      select id, status, hold from emails where organization_id = ${organization_id} and id = any(${email_ids})`),
});
export type BatchStore = ReturnType<typeof batchStore>;

/** Runs work that may be undone alone, without the rest of the transaction. */
export async function withSavepoint(tx: Transaction, work: () => Promise<void>): Promise<void> {
  await tx.run(sql`savepoint email_of_batch`);
  try {
    await work();
    await tx.run(sql`release savepoint email_of_batch`);
  } catch (error) {
    await tx.run(sql`rollback to savepoint email_of_batch`);
    throw error;
  }
}

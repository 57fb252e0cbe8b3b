// The SQL of the labels of messages. A trigger queues a message whose labels changed for the search index.
import type { Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type LabeledTable = 'emails' | 'sms_messages';

export const labelStore = (table: LabeledTable) => ({
  async lock(tx: Transaction, organization_id: string, id: string): Promise<string[] | null> {
    const row = await tx.maybe<{ labels: string[] | null }>(sql`
      select labels from ${sql.raw(table)} where organization_id = ${organization_id} and id = ${id} for update`);
    return row && (row.labels ?? []);
  },

  set: (tx: Transaction, organization_id: string, id: string, labels: readonly string[]) =>
    tx.run(sql`
      update ${sql.raw(table)} set labels = ${labels}::text[]
       where organization_id = ${organization_id} and id = ${id}`),
});

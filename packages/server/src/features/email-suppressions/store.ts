// The SQL of email suppressions.
import type { EmailSuppression } from '@parley/contract/email-suppressions';
import { addressKey } from '@parley/contract/mailbox';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { groupCommit } from '../../platform/db/group-commit.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, recipient, 'email' as channel, reason, source, iso(created_at) as created_at`;
const list = cursors('email_suppressions');

export function emailSuppressionStore(db: Database) {
  // Every send asks; questions that come together are one query.
  const among = groupCommit<{ organization_id: string; keys: string[] }, string[]>(
    async (group) => {
      const asked = group.flatMap(({ organization_id, keys }, at) =>
        keys.map((recipient_key) => ({ at, organization_id, recipient_key })),
      );
      const rows = await db.rows<{ at: number; recipient: string }>(sql`
      select a.at, s.recipient
        from json_to_recordset(${JSON.stringify(asked)}) a(at int, organization_id uuid, recipient_key text)
        join email_suppressions s using (organization_id, recipient_key)`);
      const found: string[][] = group.map(() => []);
      for (const row of rows) found[row.at]!.push(row.recipient);
      return found;
    },
    { max_flushes: 1 },
  );

  return {
    /** Those of the addresses that are suppressed. */
    among: (organization_id: string, addresses: string[]) =>
      among({ organization_id, keys: [...new Set(addresses.map(addressKey))] }),

    /** The entry that now stands: the new one, or the one that was there before. */
    async add(
      organization_id: string,
      entry: EmailSuppression,
      on: Queryable = db,
    ): Promise<EmailSuppression> {
      const recipient_key = addressKey(entry.recipient);
      await on.run(sql`
        insert into email_suppressions (id, organization_id, recipient, recipient_key, reason, source, created_at)
        values (${entry.id}, ${organization_id}, ${entry.recipient}, ${recipient_key}, ${entry.reason}, ${entry.source}, ${entry.created_at})
        on conflict (organization_id, recipient_key) do nothing`);
      const kept = await on.maybe<EmailSuppression>(sql`
        select ${columns} from email_suppressions
         where organization_id = ${organization_id} and recipient_key = ${recipient_key}`);
      return kept ?? entry;
    },

    list: (organization_id: string, query: PageRequest) =>
      readPage(db, list, query, {
        columns,
        from: sql`email_suppressions`,
        where: sql`organization_id = ${organization_id}`,
      }),

    remove: async (organization_id: string, id: string): Promise<boolean> =>
      (await db.run(
        sql`delete from email_suppressions where organization_id = ${organization_id} and id = ${id}`,
      )) > 0,
  };
}

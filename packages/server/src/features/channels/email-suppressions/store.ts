// The SQL of email suppressions.
import type { EmailSuppression } from '@parley/contract/channels/emails/email-suppressions';
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { PartyHash } from '../../../platform/party-hash.ts';

/** A program added it with a request: it may also delete it. */
type ByProgram = { is_by_program: boolean };
const columns = sql`id, recipient, 'email' as channel, reason, source, iso(created_at) as created_at`;
const list = cursors('email_suppressions');

export function emailSuppressionStore(db: Database, partyHash: PartyHash) {
  return {
    /**
     * The suppressed addresses of several queries in one: the index of the query, and the recipient. The address of an erased
     * person is stored as a hash, so each address has two keys.
     */
    amongQuery(queries: { organization_id: string; addresses: string[] }[]): Sql {
      const wanted = queries.flatMap(({ organization_id, addresses }, at) =>
        [...new Set(addresses.map(addressKey))].flatMap((key) => [
          { at, organization_id, recipient_key: key, erased: null },
          { at, organization_id, recipient_key: partyHash(organization_id, key), erased: key },
        ]),
      );
      const indexes = wanted.map((each) => each.at);
      const organization_ids = wanted.map((each) => each.organization_id);
      const keys = wanted.map((each) => each.recipient_key);
      const erased = wanted.map((each) => each.erased);
      return sql`
        select a.at, coalesce(a.erased, s.recipient) as recipient
          from unnest(${indexes}::int[], ${organization_ids}::uuid[], ${keys}::text[], ${erased}::text[])
                 as a (at, organization_id, recipient_key, erased)
          join email_suppressions s using (organization_id, recipient_key)`;
    },

    /** The suppressed ones of these addresses, spelled as in the input. */
    async among(organization_id: string, addresses: string[]): Promise<string[]> {
      const keysOf = (address: string) => {
        const key = addressKey(address);
        return [key, partyHash(organization_id, key)];
      };
      const rows = await db.rows<{ recipient_key: string }>(sql`
        select recipient_key from email_suppressions
         where organization_id = ${organization_id} and recipient_key = any(${addresses.flatMap(keysOf)})`);
      const keys = new Set(rows.map((row) => row.recipient_key));
      return addresses.filter((address) => keysOf(address).some((key) => keys.has(key)));
    },

    /** Returns the stored entry: the first one stays, but one of a program becomes one that programs cannot delete. */
    async add(
      organization_id: string,
      entry: EmailSuppression,
      { on = db, is_by_program = false }: { on?: Queryable | undefined } & Partial<ByProgram> = {},
    ): Promise<EmailSuppression> {
      const recipient_key = addressKey(entry.recipient);
      await on.run(sql`
        insert into email_suppressions as s
               (id, organization_id, recipient, recipient_key, reason, source, created_at, is_by_program)
        values (${entry.id}, ${organization_id}, ${entry.recipient}, ${recipient_key}, ${entry.reason},
                ${entry.source}, ${entry.created_at}, ${is_by_program})
        on conflict (organization_id, recipient_key) do update
           set is_by_program = false, created_at = excluded.created_at
         where s.is_by_program and not excluded.is_by_program`);
      const stored = await on.maybe<EmailSuppression>(sql`
        select ${columns} from email_suppressions
         where organization_id = ${organization_id} and recipient_key = ${recipient_key}`);
      return stored ?? entry;
    },

    list: (organization_id: string, query: PageRequest) =>
      readPage<EmailSuppression>(db, list, query, {
        columns,
        from: sql`email_suppressions`,
        where: sql`organization_id = ${organization_id}`,
      }),

    /** Null when it does not exist. */
    remove: (on: Queryable, organization_id: string, id: string) =>
      on.maybe<{ recipient: string; reason: string; created_at: string } & ByProgram>(sql`
        delete from email_suppressions where organization_id = ${organization_id} and id = ${id}
        returning recipient, reason, iso(created_at) as created_at, is_by_program is true as is_by_program`),
  };
}
export type EmailSuppressionStore = ReturnType<typeof emailSuppressionStore>;

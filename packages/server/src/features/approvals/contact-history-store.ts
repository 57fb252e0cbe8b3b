// The SQL of contacted recipients: reads records in the order of their ids, and remembers with whom they were exchanged.
import type { Database } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export const history_nouns = ['email', 'sms', 'call'] as const;
export type HistoryNoun = (typeof history_nouns)[number];
export type Exchange = { id: string; parties: string[]; at: Date };

/** Outbound records count once a provider has them; inbound ones always. */
const records: Record<HistoryNoun, { from: Sql; parties: Sql; counts: Sql }> = {
  email: {
    from: sql`emails`,
    parties: sql`case direction when 'inbound' then array[from_address] else to_addresses || cc_addresses || bcc_addresses end`,
    counts: sql`status not in ('queued', 'failed', 'canceled')`,
  },
  sms: {
    from: sql`sms_messages`,
    parties: sql`array[case direction when 'inbound' then "from" else "to" end]`,
    counts: sql`status not in ('queued', 'failed', 'canceled')`,
  },
  call: {
    from: sql`calls`,
    parties: sql`array[case direction when 'inbound' then coalesce("from", '') else "to" end]`,
    counts: sql`started_at is not null`,
  },
};

export const contactHistoryStore = (db: Database) => ({
  /** Organizations with a rule about new recipients. */
  organizations: async (): Promise<string[]> => {
    const rows = await db.rows<{ organization_id: string }>(sql`
      select organization_id from sending_rules where strpos(approval_policy::text, '"new_recipient"') > 0`);
    return rows.map(({ organization_id }) => organization_id);
  },

  async lastId(organization_id: string, noun: HistoryNoun): Promise<string | null> {
    const row = await db.maybe<{ last_id: string }>(sql`
      select last_id from contact_readers where organization_id = ${organization_id} and noun = ${noun}`);
    return row?.last_id ?? null;
  },

  /** `counts` is false for records that no provider has. */
  read: (organization_id: string, noun: HistoryNoun, after: string, limit: number) => {
    const { from, parties, counts } = records[noun];
    return db.rows<Exchange & { counts: boolean }>(sql`
      select id, ${parties} as parties, requested_at as at, ${counts} as counts from ${from}
       where organization_id = ${organization_id} and id > ${after} order by id limit ${limit}`);
  },

  /** Both together: a crash in between would skip records. */
  add: (
    organization_id: string,
    noun: HistoryNoun,
    { parties, last_id }: { parties: ReadonlyMap<string, Date>; last_id: string },
  ): Promise<void> =>
    db.transaction(async (tx) => {
      await tx.run(sql`
        insert into contacted_parties (organization_id, party, last_at)
        select ${organization_id}, party, at
          from unnest(${[...parties.keys()]}::text[], ${[...parties.values()]}::timestamptz[]) as seen (party, at)
         order by party
        on conflict (organization_id, party)
        do update set last_at = greatest(contacted_parties.last_at, excluded.last_at)`);
      await tx.run(sql`
        insert into contact_readers (organization_id, noun, last_id) values (${organization_id}, ${noun}, ${last_id})
        on conflict (organization_id, noun) do update set last_id = excluded.last_id`);
    }),
});
export type ContactHistoryStore = ReturnType<typeof contactHistoryStore>;

// The SQL of senders: the numbers and the custom sender id that an organization can text from.
import { batched } from '../../../../platform/batch.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { SenderFacts } from './sender.ts';
import { sender_joins } from './sms-record-store.ts';

export type SenderRecords = Pick<SenderFacts, 'custom_sender_id' | 'own_number' | 'named_number'>;

/** The sender that a caller named, and the facts that were found for it. */
export type SenderQuery = { named: string | null; records: SenderRecords };

type Question = { organization_id: string; named: string | null };
const keyOf = ({ organization_id, named }: Question) => `${organization_id} ${named ?? ''}`;

const max_cached = 10_000;

export function senderStore(db: Database) {
  const cache = new Map<string, SenderRecords>();
  // Requests that arrive together share one query.
  const read = batched<Question, SenderRecords>((questions) => readSenders(db, questions));

  return {
    /**
     * All facts that the choice of a sender depends on. Cached facts may be outdated: storing the text checks them. `fresh`
     * reads them again.
     */
    async facts(organization_id: string, named: string | null, fresh = true): Promise<SenderRecords> {
      const key = keyOf({ organization_id, named });
      const cached = fresh ? undefined : cache.get(key);
      if (cached) return cached;
      const records = await read({ organization_id, named });
      if (cache.size >= max_cached) cache.clear();
      cache.set(key, records);
      return records;
    },

    setSenderId: (organization_id: string, custom_sender_id: string | null) =>
      db.run(sql`
        insert into sms_sender_ids (organization_id, custom_sender_id) values (${organization_id}, ${custom_sender_id})
        on conflict (organization_id) do update set custom_sender_id = excluded.custom_sender_id`),
  };
}
export type SenderStore = ReturnType<typeof senderStore>;

type SenderRow = {
  custom_sender_id: string | null;
  own: string | null;
  own_provider: string;
  own_unregistered: boolean;
  named: string | null;
  named_provider: string;
  named_unregistered: boolean;
};

async function readSenders(db: Database, questions: Question[]): Promise<SenderRecords[]> {
  const distinct = [...new Map(questions.map((question) => [keyOf(question), question])).values()];
  const rows = await db.rows<SenderRow>(sql`
    select s.custom_sender_id, own.e164 as own, own.provider as own_provider,
           own.is_unregistered as own_unregistered, named.e164 as named, named.provider as named_provider,
           named.is_unregistered as named_unregistered
      from json_to_recordset(${JSON.stringify(distinct.map((question, n) => ({ n, ...question })))})
             as asked (n int, organization_id uuid, named text)
      ${sender_joins}
     order by asked.n`);
  const found = new Map(distinct.map((question, index) => [keyOf(question), recordsOf(rows[index]!)]));
  return questions.map((question) => found.get(keyOf(question))!);
}

function recordsOf(row: SenderRow): SenderRecords {
  const number = (e164: string | null, provider: string, is_unregistered: boolean) =>
    e164 === null ? null : { e164, provider, is_unregistered };
  return {
    custom_sender_id: row.custom_sender_id,
    own_number: number(row.own, row.own_provider, row.own_unregistered),
    named_number: number(row.named, row.named_provider, row.named_unregistered),
  };
}

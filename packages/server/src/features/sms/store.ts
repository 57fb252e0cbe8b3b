// The SQL of texts: creating, reading and listing them.
import type { Sms } from '@parley/contract/sms';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { groupCommit } from '../../platform/db/group-commit.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import { claimKeys, type IdempotencyRow } from '../../platform/idempotency.ts';
import type { SenderFacts } from './sender.ts';

export const columns = sql`id, organization_id, conversation_id, direction, "from", "to", body, status, error_code,
  segments, encoding, provider, provider_message_id, iso(requested_at) as requested_at, iso(sent_at) as sent_at,
  iso(delivered_at) as delivered_at, iso(failed_at) as failed_at, metadata`;

/** A text with what only the service knows about it. */
export type SmsRow = Sms & {
  origin: 'api' | 'agent' | 'keyword' | 'carrier';
  answers_id: string | null;
  is_shared_sender: boolean;
  next_attempt_at: string | null;
  attempts: number;
  claims: number;
  handed_at: string | null;
};

export type SmsFilter = {
  status?: string | undefined;
  direction?: string | undefined;
  to?: string | undefined;
  conversation_id?: string | undefined;
};

const list = cursors('sms');

/** The smallest UUIDv7 of a moment: ids sort by time, so this is where its texts begin. */
const firstIdAt = (moment: Date) =>
  `${moment
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000`;

export function smsStore(db: Database) {
  type New = { row: SmsRow; key: IdempotencyRow | null };

  // Whoever opted out is left out by the same statement that stores the others: no text slips past a STOP.
  const insertNew = async (on: Queryable, group: New[]): Promise<boolean[]> => {
    const rows = JSON.stringify(group.map(({ row }) => row));
    const insert = sql`
      insert into sms_messages
      select g.* from json_populate_recordset(null::sms_messages, ${rows}) g
       where not exists (select from sms_suppressions s
                          where s.organization_id = g.organization_id and s.channel = 'sms' and s.recipient = g."to")
      on conflict (answers_id) do nothing returning id`;
    const claims = group.flatMap(({ row, key }) => (key ? [{ record_id: row.id, row: key }] : []));
    const made = await on.rows<{ id: string }>(
      claims.length === 0
        ? insert
        : sql`with made as (${insert}), claimed as (${claimKeys(claims, sql`select id from made`)})
              select id from made`,
    );
    const ids = new Set(made.map((each) => each.id));
    return group.map(({ row }) => ids.has(row.id));
  };
  const insertGroup = groupCommit<New, boolean>((group) => insertNew(db, group));

  return {
    /**
     * False when the recipient is suppressed, or the text it answers has an answer. With `admit` the text is stored in a
     * transaction of its own, which that may still refuse.
     */
    insert: (
      _organization_id: string,
      row: SmsRow,
      key: IdempotencyRow | null,
      admit: ((tx: Transaction) => Promise<void>) | null = null,
    ): Promise<boolean> =>
      admit
        ? db.transaction(async (tx) => {
            const [stored] = await insertNew(tx, [{ row, key }]);
            if (stored) await admit(tx);
            return stored!;
          })
        : insertGroup({ row, key }),

    /** Texts of the carrier and the service's own answers; those that are known already are left out. */
    async insertAll(tx: Transaction, rows: SmsRow[]): Promise<Set<string>> {
      const made = await tx.rows<{ id: string }>(sql`
        insert into sms_messages select * from json_populate_recordset(null::sms_messages, ${JSON.stringify(rows)})
        on conflict do nothing returning id`);
      return new Set(made.map((row) => row.id));
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<Sms>(
        sql`select ${columns} from sms_messages where organization_id = ${organization_id} and id = ${id}`,
      ),

    list(organization_id: string, page: PageRequest & SmsFilter) {
      const conditions = [
        sql`organization_id = ${organization_id}`,
        ...(page.status ? [sql`status = ${page.status}`] : []),
        ...(page.direction ? [sql`direction = ${page.direction}`] : []),
        ...(page.to ? [sql`"to" = ${page.to}`] : []),
        ...(page.conversation_id ? [sql`conversation_id = ${page.conversation_id}`] : []),
      ];
      return readPage(db, list, page, {
        columns,
        from: sql`sms_messages`,
        where: sql.join(conditions, ' and '),
      });
    },

    /** The oldest inbound text since a moment. */
    firstInbound(
      organization_id: string,
      of: { to?: string | undefined; from?: string | undefined; since: Date },
    ): Promise<Sms | null> {
      const to = of.to === undefined ? sql.empty : sql`and "to" = ${of.to}`;
      const from = of.from === undefined ? sql.empty : sql`and "from" = ${of.from}`;
      return db.maybe<Sms>(sql`
        select ${columns} from sms_messages
         where organization_id = ${organization_id} and direction = 'inbound' and id >= ${firstIdAt(of.since)} ${to} ${from}
         order by id limit 1`);
    },

    /** The organization that texted this phone last under the server's shared sender. */
    lastSharedSender: (on: Queryable, ours: string, theirs: string) =>
      on.maybe<{ organization_id: string }>(sql`
        select organization_id from sms_messages
         where is_shared_sender and "to" = ${theirs} and "from" = ${ours} order by id desc limit 1`),

    /** The last texts of a conversation up to one of them, oldest first. */
    async history(organization_id: string, conversation_id: string, up_to_id: string, limit: number) {
      const rows = await db.rows<Pick<Sms, 'direction' | 'body'>>(sql`
        select direction, body from sms_messages
         where organization_id = ${organization_id} and conversation_id = ${conversation_id} and id <= ${up_to_id}
         order by id desc limit ${limit}`);
      return rows.reverse();
    },

    /** How many texts the service wrote by itself in a conversation since a moment. */
    async automaticSince(
      on: Queryable = db,
      organization_id: string,
      conversation_id: string,
      since: Date,
    ): Promise<number> {
      const row = await on.maybe<{ count: number }>(sql`
        select count(*)::int as count from sms_messages
         where organization_id = ${organization_id} and conversation_id = ${conversation_id}
           and origin in ('agent', 'keyword') and id >= ${firstIdAt(since)}`);
      return row!.count;
    },

    /** All that the choice of a sender depends on, in one look. */
    async senderFacts(
      organization_id: string,
      named: string | null,
    ): Promise<Pick<SenderFacts, 'custom_sender_id' | 'own_number' | 'named_number'>> {
      const rows = await db.rows<{ kind: 'custom' | 'own' | 'named'; sender: string; provider: string }>(sql`
        (select 'custom' as kind, custom_sender_id as sender, '' as provider from sms_sender_ids
          where organization_id = ${organization_id} and custom_sender_id is not null)
        union all
        (select 'own', e164, provider from numbers
          where organization_id = ${organization_id} and provisioning_state = 'active' and 'sms' = any(capabilities)
          order by id limit 1)
        union all
        (select 'named', e164, provider from numbers
          where organization_id = ${organization_id} and provisioning_state = 'active' and 'sms' = any(capabilities)
            and e164 = ${named})`);
      const number = (kind: string) => {
        const row = rows.find((each) => each.kind === kind);
        return row ? { e164: row.sender, provider: row.provider } : null;
      };
      return {
        custom_sender_id: rows.find((row) => row.kind === 'custom')?.sender ?? null,
        own_number: number('own'),
        named_number: number('named'),
      };
    },

    setSenderId: (organization_id: string, custom_sender_id: string | null) =>
      db.run(sql`
        insert into sms_sender_ids (organization_id, custom_sender_id) values (${organization_id}, ${custom_sender_id})
        on conflict (organization_id) do update set custom_sender_id = excluded.custom_sender_id`),
  };
}
export type SmsStore = ReturnType<typeof smsStore>;

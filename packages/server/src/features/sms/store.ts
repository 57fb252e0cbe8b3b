// The SQL of texts: creating, reading and listing them.
import type { SandboxMessage } from '@parley/contract/sandbox-outbox';
import type { Sms } from '@parley/contract/sms';
import { batched } from '../../platform/batch.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { claimKeys, type IdempotencyRow } from '../../platform/idempotency.ts';
import { firstIdAt } from '../../platform/ids.ts';
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
  /** The decision at the hand-over, as JSON; null before it. */
  admission: string | null;
};

/** What differs among texts that come in. */
export type InboundSms = Pick<
  SmsRow,
  | 'id'
  | 'organization_id'
  | 'conversation_id'
  | 'from'
  | 'to'
  | 'body'
  | 'segments'
  | 'encoding'
  | 'provider'
  | 'provider_message_id'
  | 'requested_at'
>;

export type SmsFilter = {
  status?: string | undefined;
  direction?: string | undefined;
  to?: string | undefined;
  conversation_id?: string | undefined;
};

/** `left_out`: the recipient is suppressed, or the text it answers has an answer. */
export type InsertResult = 'made' | 'left_out' | 'sender_changed';

/** What a sender was chosen from; the text is stored only while it still holds. */
export type SenderWish = { organization_id: string; named: string | null; records: SenderRecords };

const senderKey = (wish: { organization_id: string; named: string | null }) =>
  `${wish.organization_id} ${wish.named ?? ''}`;

/** For each `w` (organization_id, named): its custom sender id, its oldest number and the one it names. */
const senderJoins = sql`
  left join sms_sender_ids s on s.organization_id = w.organization_id
  left join lateral (
    select e164, provider from numbers
     where organization_id = w.organization_id and provisioning_state = 'active' and 'sms' = any(capabilities)
     order by id limit 1) own on true
  left join lateral (
    select e164, provider from numbers
     where organization_id = w.organization_id and provisioning_state = 'active' and 'sms' = any(capabilities)
       and e164 = w.named limit 1) named on true`;

export type SenderRecords = Pick<SenderFacts, 'custom_sender_id' | 'own_number' | 'named_number'>;

const list = cursors('sms');

const max_seen = 10_000;

export function smsStore(
  db: Database,
  options: { isRepeatable(sms: { provider: string; to: string }): boolean },
) {
  const seen = new Map<string, SenderRecords>();
  type New = { row: SmsRow; key: IdempotencyRow | null; sender: SenderWish | null };

  // One statement for texts that come together. Whoever opted out is left out by it, so that no text slips past a
  // STOP; and so is a text whose sender was chosen from facts that no longer hold, which saves a look before each.
  const insertNew = async (on: Queryable, group: New[]): Promise<InsertResult[]> => {
    const rows = JSON.stringify(group.map(({ row }) => row));
    const repeatable = group.flatMap(({ row }) => (options.isRepeatable(row) ? [row.id] : []));
    const wishes = Map.groupBy(group, ({ sender }) => (sender ? senderKey(sender) : ''));
    const expected = [...wishes.values()].map((same) => {
      const { sender } = same[0]!;
      return {
        ids: same.map(({ row }) => row.id),
        is_fixed: sender === null,
        organization_id: sender?.organization_id,
        named: sender?.named,
        custom_sender_id: sender?.records.custom_sender_id,
        own_e164: sender?.records.own_number?.e164,
        named_e164: sender?.records.named_number?.e164,
      };
    });
    const statement = sql`
      with senders as materialized (
        select w.ids, w.is_fixed or (s.custom_sender_id is not distinct from w.custom_sender_id
               and own.e164 is not distinct from w.own_e164 and named.e164 is not distinct from w.named_e164) as holds
          from json_to_recordset(${JSON.stringify(expected)})
                 as w (ids uuid[], is_fixed boolean, organization_id uuid, named text, custom_sender_id text,
                       own_e164 text, named_e164 text)
          ${senderJoins}),
      made as (
        insert into sms_messages
        select g.* from json_populate_recordset(null::sms_messages, ${rows}) g
         where exists (select from senders where holds and g.id = any(ids))
           and (g.id = any(${repeatable}::uuid[])
                or not exists (select from sms_suppressions s
                                where s.organization_id = g.organization_id and s.channel = 'sms' and s.recipient = g."to"))
        on conflict (answers_id) where answers_id is not null do nothing returning id)`;
    const claims = group.flatMap(({ row, key }) => (key ? [{ record_id: row.id, row: key }] : []));
    const claimed =
      claims.length === 0 ? sql.empty : sql`, claimed as (${claimKeys(claims, sql`select id from made`)})`;
    const found = await on.rows<{ id: string; result: InsertResult }>(sql`${statement} ${claimed}
      select id, 'made' as result from made
      union all select unnest(ids), 'sender_changed' from senders where not holds`);
    const results = new Map(found.map(({ id, result }) => [id, result]));
    return group.map(({ row }) => results.get(row.id) ?? 'left_out');
  };
  const insertGroup = batched<New, InsertResult>((group) => insertNew(db, group));

  // Requests that come together share one look, and mostly it is about the same organization.
  const readSenders = batched<{ organization_id: string; named: string | null }, SenderRecords>(
    async (wishes) => {
      const distinct = [...new Map(wishes.map((wish) => [senderKey(wish), wish])).values()];
      const rows = await db.rows<{
        custom_sender_id: string | null;
        own: string | null;
        own_provider: string;
        named: string | null;
        named_provider: string;
      }>(sql`
        select s.custom_sender_id, own.e164 as own, own.provider as own_provider,
               named.e164 as named, named.provider as named_provider
          from json_to_recordset(${JSON.stringify(distinct.map((wish, n) => ({ n, ...wish })))})
                 as w (n int, organization_id uuid, named text)
          ${senderJoins}
         order by w.n`);
      const found = new Map(
        distinct.map((wish, index): [string, SenderRecords] => {
          const row = rows[index]!;
          const number = (e164: string | null, provider: string) =>
            e164 === null ? null : { e164, provider };
          return [
            senderKey(wish),
            {
              custom_sender_id: row.custom_sender_id,
              own_number: number(row.own, row.own_provider),
              named_number: number(row.named, row.named_provider),
            },
          ];
        }),
      );
      return wishes.map((wish) => found.get(senderKey(wish))!);
    },
  );

  return {
    /** With `admit` the text is stored in a transaction of its own, which that may still refuse. */
    insert: (
      _organization_id: string,
      row: SmsRow,
      key: IdempotencyRow | null,
      sender: SenderWish | null,
      admit: ((tx: Transaction) => Promise<void>) | null = null,
    ): Promise<InsertResult> =>
      admit
        ? db.transaction(async (tx) => {
            const [result] = await insertNew(tx, [{ row, key, sender }]);
            if (result === 'made') await admit(tx);
            return result!;
          })
        : insertGroup({ row, key, sender }),

    /**
     * Texts of the carrier. With `number_ids` only where that number is still held and has no agent; a text that is known
     * already is left out, or makes the statement fail, which costs all the others less.
     */
    inboundInsertionOf(
      texts: InboundSms[],
      options: { number_ids: (string | null)[]; known: 'left_out' | 'fails' },
    ): Sql {
      const column = (name: keyof InboundSms) => texts.map((text) => text[name]);
      const { number_ids } = options;
      return sql`
        insert into sms_messages (id, organization_id, conversation_id, direction, "from", "to", body, status, segments, encoding,
                                  provider, provider_message_id, requested_at, metadata, origin, is_shared_sender, attempts, claims)
        select id, organization_id, conversation_id, 'inbound', sender, recipient, body, 'received', segments, encoding,
               provider, provider_message_id, requested_at, '{}', 'carrier', false, 0, 0
          from unnest(${column('id')}::uuid[], ${column('organization_id')}::uuid[], ${column('conversation_id')}::uuid[],
                      ${column('from')}::text[], ${column('to')}::text[], ${column('body')}::text[], ${column('segments')}::int[],
                      ${column('encoding')}::text[], ${column('provider')}::text[], ${column('provider_message_id')}::text[],
                      ${column('requested_at')}::timestamptz[], ${number_ids}::uuid[])
                 as t (id, organization_id, conversation_id, sender, recipient, body, segments, encoding, provider,
                       provider_message_id, requested_at, number_id)
         where number_id is null or number_id = any(array(
                 select id from numbers
                  where id = any(${[...new Set(number_ids)]}::uuid[]) and provisioning_state = 'active' and sms_agent_id is null))
        ${options.known === 'fails' ? sql.empty : sql`on conflict do nothing`} returning id`;
    },

    /** The service's own answer; a second one to the same text is left out. */
    insertAnswer: (on: Queryable, row: SmsRow) =>
      on.run(sql`
        insert into sms_messages select * from json_populate_record(null::sms_messages, ${JSON.stringify(row)})
        on conflict do nothing`),

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

    /** What the sandbox was handed, newest first. */
    sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
      db.rows<SandboxMessage>(sql`
        select id, 'sms' as channel, id as resource_id, iso(coalesce(sent_at, failed_at, requested_at)) as handed_at, "from",
               array["to"] as "to", json_build_object('body', body, 'segments', segments, 'encoding', encoding) as message
          from sms_messages
         where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and status <> 'queued'
               -- What a rule stopped was handed to nobody.
               and (admission is null or admission like '{"outcome":"allow"%')
               ${before === null ? sql.empty : sql`and id < ${before}`}
         order by id desc limit ${limit}`),

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

    /** Whether an opt-out word of this conversation was answered so since a moment. */
    async wasAnswered(
      on: Queryable,
      organization_id: string,
      of: { conversation_id: string; bodies: string[]; since: Date },
    ): Promise<boolean> {
      const row = await on.maybe(sql`
        select id from sms_messages
         where organization_id = ${organization_id} and conversation_id = ${of.conversation_id}
           and origin = 'keyword' and id >= ${firstIdAt(of.since)} and body = any(${of.bodies}) limit 1`);
      return row !== null;
    },

    /** All that the choice of a sender depends on. What was seen before may have changed: `insert` checks it. */
    async senderFacts(organization_id: string, named: string | null, fresh = true): Promise<SenderRecords> {
      const key = senderKey({ organization_id, named });
      const before = fresh ? undefined : seen.get(key);
      if (before) return before;
      const records = await readSenders({ organization_id, named });
      if (seen.size >= max_seen) seen.clear();
      seen.set(key, records);
      return records;
    },

    setSenderId: (organization_id: string, custom_sender_id: string | null) =>
      db.run(sql`
        insert into sms_sender_ids (organization_id, custom_sender_id) values (${organization_id}, ${custom_sender_id})
        on conflict (organization_id) do update set custom_sender_id = excluded.custom_sender_id`),
  };
}
export type SmsStore = ReturnType<typeof smsStore>;

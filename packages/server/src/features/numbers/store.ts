// The SQL of numbers and of the quotes they are bought by.
import { type NumberOffer, numberLifecycle, type PhoneNumber } from '@parley/contract/numbers';
import type { Database, Queryable, Row, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { claimKeys, type IdempotencyRow } from '../../platform/idempotency.ts';
import type { Mover } from '../../platform/lifecycle.ts';

export const columns = sql`id, organization_id, provider, e164, country_code, number_type, capabilities,
  provisioning_state, failure_reason, true as is_dedicated, messaging_service_sid, voice_agent_id, sms_agent_id,
  inbound_registered, monthly_cents, setup_cents, currency, iso(created_at) as created_at,
  iso(updated_at) as updated_at, iso(released_at) as released_at`;

/** What the service knows of a number beyond the record. */
export type HeldNumber = PhoneNumber & {
  provider_number_id: string | null;
  verification_reference: string | null;
};
const held = sql`${columns}, provider_number_id, verification_reference`;

export type Quote = NumberOffer & { id: string; organization_id: string };

const list = cursors('numbers');

/** The oldest number that an organization can call from, as part of another statement. */
export const oldestVoiceNumber = (organization_id: Sql, providers: Sql | string[]): Sql => sql`
  select e164, provider from numbers
   where organization_id = ${organization_id} and provisioning_state = 'active' and 'voice' = any(capabilities)
     and provider = any(${providers})
   order by id limit 1`;

export function numberStore(db: Database, move: Mover) {
  return {
    insertQuotes: (_organization_id: string, quotes: Quote[]) =>
      db.run(sql`
        insert into number_quotes
        select * from json_populate_recordset(null::number_quotes, ${JSON.stringify(quotes)})`),

    findQuote: (organization_id: string, id: string) =>
      db.maybe<Quote>(sql`
        select id, id as quote_id, organization_id, provider, e164, pattern, country_code, number_type, capabilities,
               monthly_cents, setup_cents, currency, readiness, iso(expires_at) as expires_at
          from number_quotes where organization_id = ${organization_id} and id = ${id}`),

    forgetQuotes: (before: Date) => db.run(sql`delete from number_quotes where expires_at < ${before}`),

    /** Which of these numbers somebody holds, in an organization or in the pool. */
    async heldAmong(e164s: string[]): Promise<Set<string>> {
      const rows = await db.rows<{ e164: string }>(sql`
        select e164 from numbers where e164 = any(${e164s}) and provisioning_state in ('pending', 'active')
        union all select e164 from pool_numbers where e164 = any(${e164s})`);
      return new Set(rows.map((row) => row.e164));
    },

    /** False when somebody holds the number already. */
    async insert(tx: Transaction, number: HeldNumber, key: IdempotencyRow | null): Promise<boolean> {
      const made = await tx.rows<{ id: string }>(sql`
        insert into numbers
        select n.* from json_populate_record(null::numbers, ${JSON.stringify(number)}) n
         where not exists (select from pool_numbers p where p.e164 = n.e164)
        on conflict (e164) where provisioning_state in ('pending', 'active') do nothing returning id`);
      if (made.length === 0) return false;
      if (key) await tx.run(claimKeys([{ record_id: number.id, row: key }], sql`select ${number.id}::uuid`));
      return true;
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<PhoneNumber>(
        sql`select ${columns} from numbers where organization_id = ${organization_id} and id = ${id}`,
      ),

    findHeld: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<HeldNumber>(
        sql`select ${held} from numbers where organization_id = ${organization_id} and id = ${id}`,
      ),

    move: (
      tx: Transaction,
      organization_id: string,
      id: string,
      trigger: keyof typeof numberLifecycle.moves,
      set: Row,
    ) =>
      move<typeof numberLifecycle, PhoneNumber>(tx, {
        lifecycle: numberLifecycle,
        table: 'numbers',
        organization_id,
        id,
        trigger,
        set,
        returning: columns,
      }),

    async registered(organization_id: string, id: string, now: Date): Promise<PhoneNumber | null> {
      return db.maybe<PhoneNumber>(sql`
        update numbers set inbound_registered = true, updated_at = ${now}
         where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
        returning ${columns}`);
    },

    /** Who answers; undefined keeps, null detaches. */
    setAgents: (
      organization_id: string,
      id: string,
      agents: { voice_agent_id?: string | null | undefined; sms_agent_id?: string | null | undefined },
      now: Date,
    ) =>
      db.maybe<PhoneNumber>(sql`
        update numbers
           set voice_agent_id = case when ${agents.voice_agent_id !== undefined} then ${agents.voice_agent_id ?? null}::uuid else voice_agent_id end,
               sms_agent_id = case when ${agents.sms_agent_id !== undefined} then ${agents.sms_agent_id ?? null}::uuid else sms_agent_id end,
               updated_at = ${now}
         where organization_id = ${organization_id} and id = ${id} and provisioning_state in ('pending', 'active')
        returning ${columns}`),

    list(organization_id: string, page: PageRequest & { provisioning_state?: string | undefined }) {
      const inState = page.provisioning_state
        ? sql`and provisioning_state = ${page.provisioning_state}`
        : sql.empty;
      return readPage(db, list, page, {
        columns,
        from: sql`numbers`,
        where: sql`organization_id = ${organization_id} ${inState}`,
      });
    },

    /** Numbers a carrier should send to us but was not told to yet, over all organizations. */
    unregistered: (limit: number) =>
      db.rows<{ organization_id: string; id: string }>(sql`
        select organization_id, id from numbers
         where provisioning_state = 'active' and not inbound_registered order by updated_at limit ${limit}`),

    /** For each of these organizations the oldest number that it can call from. */
    oldestVoiceNumbers: (organization_ids: string[], providers: string[]) =>
      db.rows<Pick<PhoneNumber, 'organization_id' | 'e164' | 'provider'>>(sql`
        select o.organization_id, own.e164, own.provider
          from unnest(${organization_ids}::uuid[]) as o (organization_id)
          join lateral (${oldestVoiceNumber(sql`o.organization_id`, providers)}) own on true`),

    /** Active numbers whose paid time is over, over all organizations. */
    unpaid: (now: Date, limit: number) =>
      db.rows<{ organization_id: string; id: string; from: string | null }>(sql`
        select organization_id, id, iso(charged_until) as "from" from numbers
         where provisioning_state = 'active' and coalesce(charged_until, '-infinity') <= ${now}
         order by charged_until nulls first limit ${limit}`),

    /** Paid for the month that begins at `from`; null when that is no longer the next one. */
    paidAfter: (tx: Transaction, organization_id: string, id: string, from: Date) =>
      tx.maybe(sql`
        update numbers set charged_until = ${from}::timestamptz + interval '1 month'
         where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
           and coalesce(charged_until, ${from}) = ${from}
        returning id`),

    /** The number an organization calls from: the one it names, else its oldest; active, with a carrier that can call. */
    voiceNumber: (organization_id: string, named: string | null, providers: string[]) =>
      db.maybe<Pick<HeldNumber, 'e164' | 'provider'>>(sql`
        select e164, provider from numbers
         where organization_id = ${organization_id} and provisioning_state = 'active' and 'voice' = any(capabilities)
           and provider = any(${providers}) and e164 = coalesce(${named}, e164)
         order by id limit 1`),

    /** Who holds these numbers now: how an inbound text or call finds its organization. */
    holders: (on: Queryable, e164s: string[]) =>
      on.rows<
        Pick<HeldNumber, 'id' | 'organization_id' | 'e164' | 'provider' | 'sms_agent_id' | 'voice_agent_id'>
      >(sql`
        select id, organization_id, e164, provider, sms_agent_id, voice_agent_id
          from numbers where e164 = any(${e164s}) and provisioning_state = 'active'`),

    /** Over all organizations: where the operator is at home. */
    async heldCountries(providers: string[]): Promise<string[]> {
      const rows = await db.rows<{ country_code: string }>(sql`
        select country_code from numbers where provisioning_state = 'active' and provider = any(${providers})
        union select country_code from pool_numbers where provisioning_state = 'active' and provider = any(${providers})`);
      return rows.map((row) => row.country_code);
    },
  };
}
export type NumberStore = ReturnType<typeof numberStore>;

// The SQL of recipient limits: who is known, how many new recipients a day had, and what each person got.
import type { Channel } from '@parley/contract/admin';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { firstIdAt } from '../../platform/ids.ts';

export type DayRef = { organization_id: string; channel: Channel; day: string };
export type PersonRef = DayRef & { party: string };

const knownParties = {
  /** Neither contacts or members nor known from records, in the order of `parties`. */
  async unknown(on: Queryable, organization_id: string, parties: readonly string[]): Promise<string[]> {
    const rows = await on.rows<{ party: string }>(sql`
      select p.party from unnest(${parties}::text[]) with ordinality as p (party, position)
       where not exists (select from known_parties k where k.organization_id = ${organization_id} and k.party = p.party)
         and not exists (select from contacts c where c.organization_id = ${organization_id} and c.phone_e164 = p.party)
         and not exists (select from contacts c where c.organization_id = ${organization_id} and c.email_key = p.party)
       order by p.position`);
    return rows.map(({ party }) => party);
  },

  /** Locks the organization's list until the transaction ends. Returns until when it is filled. */
  async lockKnown(tx: Transaction, organization_id: string, oldest: Date): Promise<Date> {
    const row = await tx.maybe<{ filled_until: string }>(sql`
      insert into known_party_fills (organization_id, filled_until) values (${organization_id}, ${oldest})
      on conflict (organization_id) do update set filled_until = known_party_fills.filled_until
      returning iso(filled_until) as filled_until`);
    return new Date(row!.filled_until);
  },

  /** Adds the parties of records since a time. What still waits to be sent was not exchanged yet. */
  async fillKnown(tx: Transaction, organization_id: string, since: Date, until: Date): Promise<void> {
    const recent = sql`organization_id = ${organization_id} and id >= ${firstIdAt(since)}`;
    const sent = sql`${recent} and direction = 'outbound' and status not in ('queued', 'canceled')`;
    const received = sql`${recent} and direction = 'inbound'`;
    await tx.run(sql`
      insert into known_parties (organization_id, party, last_at)
      select ${organization_id}, party, max(requested_at) from (
        select "to" as party, requested_at from sms_messages where ${sent}
        union all select "from", requested_at from sms_messages where ${received}
        union all select "to", requested_at from calls where ${sent}
        union all select "from", requested_at from calls where ${received} and "from" is not null
        union all select lower(unnest(to_addresses || cc_addresses || bcc_addresses)), requested_at from emails where ${sent}
        union all select lower(from_address), requested_at from emails where ${received}
      ) exchanged group by party
      on conflict (organization_id, party) do update set last_at = greatest(known_parties.last_at, excluded.last_at)`);
    await tx.run(sql`
      update known_party_fills set filled_until = ${until} where organization_id = ${organization_id}`);
  },

  async addKnown(
    tx: Transaction,
    organization_id: string,
    parties: readonly string[],
    now: Date,
  ): Promise<void> {
    await tx.run(sql`
      insert into known_parties (organization_id, party, last_at)
      select ${organization_id}, party, ${now} from unnest(${parties}::text[]) party
      on conflict (organization_id, party) do nothing`);
  },

  async removeKnown(tx: Transaction, organization_id: string, parties: readonly string[]): Promise<void> {
    await tx.run(sql`
      delete from known_parties where organization_id = ${organization_id} and party = any(${parties}::text[])`);
  },
};

export const recipientLimitStore = (db: Database) => ({
  ...knownParties,

  /** Adds to the number of new recipients of the day, and returns it. The row stays locked. */
  async addNew(tx: Transaction, { organization_id, channel, day }: DayRef, count: number): Promise<number> {
    const row = await tx.maybe<{ used: number }>(sql`
      insert into new_recipient_uses (organization_id, channel, day, used)
      values (${organization_id}, ${channel}, ${day}, ${Math.max(0, count)})
      on conflict (organization_id, channel, day)
      do update set used = greatest(0, new_recipient_uses.used + ${count}) returning used`);
    return row!.used;
  },

  /** Creates the row if it is missing, and locks it. */
  async lockPerson(tx: Transaction, ref: PersonRef, now: Date): Promise<{ used: number; last_at: Date }> {
    const { organization_id, channel, party, day } = ref;
    const row = await tx.maybe<{ used: number; last_at: string }>(sql`
      insert into person_uses (organization_id, channel, party, day, used, last_at)
      values (${organization_id}, ${channel}, ${party}, ${day}, 0, ${now})
      on conflict (organization_id, channel, party, day) do update set used = person_uses.used
      returning used, iso(last_at) as last_at`);
    return { used: row!.used, last_at: new Date(row!.last_at) };
  },

  async setPerson(tx: Transaction, ref: PersonRef, used: number, last_at: Date): Promise<void> {
    const { organization_id, channel, party, day } = ref;
    await tx.run(sql`
      update person_uses set used = ${used}, last_at = ${last_at}
       where organization_id = ${organization_id} and channel = ${channel} and party = ${party} and day = ${day}`);
  },

  async hasHeardFrom(on: Queryable, organization_id: string, party: string, since: Date): Promise<boolean> {
    const inbound = sql`organization_id = ${organization_id} and direction = 'inbound' and id >= ${firstIdAt(since)}`;
    const row = await on.maybe<{ is_heard: boolean }>(
      party.includes('@')
        ? sql`select exists (select from emails where ${inbound} and lower(from_address) = ${party}) as is_heard`
        : sql`select exists (select from sms_messages where ${inbound} and "from" = ${party})
                  or exists (select from calls where ${inbound} and "from" = ${party}) as is_heard`,
    );
    return row!.is_heard;
  },

  async forgetBefore(day: Date, year: Date): Promise<void> {
    await db.run(sql`delete from person_uses where day < ${day}::date`);
    await db.run(sql`delete from new_recipient_uses where day < ${day}::date`);
    await db.run(sql`delete from known_parties where last_at < ${year}`);
  },
});
export type RecipientLimitStore = ReturnType<typeof recipientLimitStore>;

// The SQL of known parties.
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { provenSender } from '../../access/sender-proof/index.ts';

export type Exchanged = { party: string; at: Date };
type Range = { since: Date; until: Date };

const inRange = (organization_id: string, { since, until }: Range) =>
  sql`organization_id = ${organization_id} and id >= ${firstIdAt(since)} and id < ${firstIdAt(until)}`;

export const knownPartyStore = (db: Database) => ({
  /** Neither vouched contacts nor known, in the order of `parties`. */
  async unknown(
    on: Queryable,
    organization_id: string,
    parties: readonly string[],
    known_since: Date,
  ): Promise<string[]> {
    const rows = await on.rows<{ party: string }>(sql`
      select p.party from unnest(${parties}::text[]) with ordinality as p (party, position)
       where not exists (select from known_parties k where k.organization_id = ${organization_id} and k.party = p.party
                            and greatest(k.last_at, k.counted_at) > ${known_since})
         and not exists (select from contacts c where c.organization_id = ${organization_id} and c.phone_e164 = p.party and c.is_vouched)
         and not exists (select from contacts c where c.organization_id = ${organization_id} and c.email_key = p.party and c.is_vouched)
       order by p.position`);
    return rows.map(({ party }) => party);
  },

  /** Locks the organization's list until the transaction ends. Returns until when it is filled. */
  async lock(tx: Transaction, organization_id: string, oldest: Date): Promise<Date> {
    const row = await tx.maybe<{ filled_until: string }>(sql`
      insert into known_party_fills (organization_id, filled_until) values (${organization_id}, ${oldest})
      on conflict (organization_id) do update set filled_until = known_party_fills.filled_until
      returning iso(filled_until) as filled_until`);
    return new Date(row!.filled_until);
  },

  oldestOpen,

  exchanged,

  async add(tx: Transaction, organization_id: string, exchanged: ReadonlyMap<string, Date>): Promise<void> {
    await tx.run(sql`
      insert into known_parties (organization_id, party, last_at)
      select ${organization_id}, party, at
        from unnest(${[...exchanged.keys()]}::text[], ${[...exchanged.values()]}::timestamptz[]) as seen (party, at)
       order by party
      on conflict (organization_id, party) do update set last_at = greatest(known_parties.last_at, excluded.last_at)`);
  },

  async setFilled(tx: Transaction, organization_id: string, until: Date): Promise<void> {
    await tx.run(sql`
      update known_party_fills set filled_until = ${until} where organization_id = ${organization_id}`);
  },

  async addCounted(
    tx: Transaction,
    organization_id: string,
    parties: readonly string[],
    now: Date,
  ): Promise<void> {
    await tx.run(sql`
      insert into known_parties (organization_id, party, counted_at)
      select ${organization_id}, party, ${now} from unnest(${parties}::text[]) party order by party
      on conflict (organization_id, party) do update set counted_at = excluded.counted_at`);
  },

  async removeCounted(tx: Transaction, organization_id: string, parties: readonly string[]): Promise<void> {
    await tx.run(sql`
      update known_parties set counted_at = null
       where organization_id = ${organization_id} and party = any(${parties}::text[])`);
  },

  /** Organizations whose approval policy has a rule about new recipients. */
  async withRule(): Promise<string[]> {
    const rows = await db.rows<{ organization_id: string }>(sql`
      select organization_id from sending_rules where strpos(approval_policy::text, '"new_recipient"') > 0`);
    return rows.map(({ organization_id }) => organization_id);
  },

  /** Of all organizations. */
  forgetBefore: (known_since: Date) =>
    db.run(sql`
      delete from known_parties
       where (last_at is null or last_at < ${known_since}) and (counted_at is null or counted_at < ${known_since})`),
});
export type KnownPartyStore = ReturnType<typeof knownPartyStore>;

/** The oldest outbound record of the range that a provider may still get; null when there is none. */
async function oldestOpen(tx: Transaction, organization_id: string, range: Range): Promise<Date | null> {
  const open = sql`${inRange(organization_id, range)} and direction = 'outbound' and hold is null`;
  const row = await tx.maybe<{ oldest: Date | null }>(sql`
    select min(requested_at) as oldest from (
      select requested_at from sms_messages where ${open} and status = 'queued'
      union all select requested_at from calls where ${open} and status in ('queued', 'dialing')
      union all select requested_at from emails where ${open} and status = 'queued') waiting`);
  return row?.oldest ?? null;
}

/** Outbound records count once a provider has them; inbound ones if their sender is proven. */
function exchanged(tx: Transaction, organization_id: string, range: Range): Promise<Exchanged[]> {
  const received = sql`${inRange(organization_id, range)} and direction = 'inbound'`;
  const outbound = sql`${inRange(organization_id, range)} and direction = 'outbound'`;
  const sent = sql`${outbound} and status not in ('queued', 'failed', 'canceled')`;
  return tx.rows<Exchanged>(sql`
    select party, max(requested_at) as at from (
      select "to" as party, requested_at from sms_messages where ${sent}
      union all select "from", requested_at from sms_messages where ${received} and blocked_by is null
      union all select "to", requested_at from calls where ${outbound} and provider_call_id is not null
      union all select "from", requested_at from calls where ${received} and "from" is not null
      union all select unnest(to_addresses || cc_addresses || bcc_addresses), requested_at from emails where ${sent}
      union all select from_address, requested_at from emails where ${received} and quarantine is null and ${provenSender()}
    ) exchanged group by party`);
}

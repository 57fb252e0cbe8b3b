// The SQL of recipient limits: how many new recipients a day had, and what each person got.
import type { Channel } from '@parley/contract/access/admin';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { provenSender } from '../../access/sender-proof/index.ts';

export type DayRef = { organization_id: string; channel: Channel; day: string };
export type PersonRef = DayRef & { party: string };

export const recipientLimitStore = (db: Database) => ({
  /** Until the transaction ends. */
  async lockOrganization(tx: Transaction, organization_id: string): Promise<void> {
    const lock = `recipients:${organization_id}`;
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  },

  /** Adds to the number of new recipients of the day, and returns it. The row stays locked. */
  async addNew(tx: Transaction, { organization_id, channel, day }: DayRef, count: number): Promise<number> {
    const row = await tx.maybe<{ used: number }>(sql`
      insert into new_recipient_uses (organization_id, channel, day, used)
      values (${organization_id}, ${channel}, ${day}, ${Math.max(0, count)})
      on conflict (organization_id, channel, day)
      do update set used = greatest(0, new_recipient_uses.used + ${count}) returning used`);
    return row!.used;
  },

  /**
   * The new recipients of the day of all organizations that the founder of this one created; null if nobody founded it. Locked per
   * founder until the transaction ends, so that organizations that send at once are counted together.
   */
  async usedByFounder(tx: Transaction, { organization_id, channel, day }: DayRef): Promise<number | null> {
    const organization = await tx.maybe<{ founded_by: string | null }>(sql`
      select founded_by from organizations where id = ${organization_id}`);
    const founder = organization?.founded_by ?? null;
    if (founder === null) return null;
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`founder:${founder}`}, 0))`);
    const row = await tx.maybe<{ used: number }>(sql`
      select coalesce(sum(u.used), 0)::int as used
        from organizations o join new_recipient_uses u on u.organization_id = o.id
       where o.founded_by = ${founder} and u.channel = ${channel} and u.day = ${day}`);
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
        ? sql`select exists (select from emails where ${inbound} and quarantine is null and ${provenSender()} and lower(from_address) = ${party}) as is_heard`
        : sql`select exists (select from sms_messages where ${inbound} and blocked_by is null and "from" = ${party})
                  or exists (select from calls where ${inbound} and "from" = ${party}) as is_heard`,
    );
    return row!.is_heard;
  },

  async forgetBefore(day: Date): Promise<void> {
    await db.run(sql`delete from person_uses where day < ${day}::date`);
    await db.run(sql`delete from new_recipient_uses where day < ${day}::date`);
  },
});
export type RecipientLimitStore = ReturnType<typeof recipientLimitStore>;

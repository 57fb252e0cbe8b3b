// The SQL of recipients: contacts, own domains, and recipients of approved messages.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

export type PartyFacts = {
  /** A contact that a person created or confirmed, a domain that a person had verified, or somebody an approved message went to. */
  is_vouched: boolean;
  /** Also somebody with whom a message or call was exchanged. */
  is_known: boolean;
};

const known_days = 365;

export const partyStore = (db: Database, clock: Clock) => ({
  async facts(organization_id: string, party: string): Promise<PartyFacts> {
    const known_since = new Date(clock.ms() - known_days * 86_400_000);
    const is_email = party.includes('@');
    const key = is_email ? sql`email_key = ${party}` : sql`phone_e164 = ${party}`;
    const domain = is_email ? party.slice(party.lastIndexOf('@') + 1) : '';
    const row = await db.maybe<{
      is_vouched: boolean;
      is_other: boolean;
      is_past: boolean;
    }>(sql`
      select coalesce(c.is_vouched, false) as is_vouched,
             exists (select from approved_recipients
                      where organization_id = ${organization_id} and party = ${party})
             or exists (select from email_domains
                         where organization_id = ${organization_id} and domain = ${domain} and kind = 'custom'
                           and verification_status = 'verified' and is_verified_by_person) as is_other,
             exists (select from known_parties where organization_id = ${organization_id} and party = ${party}
                        and last_at > ${known_since}) as is_past
        from (values (1)) one left join contacts c on c.organization_id = ${organization_id} and c.${key}`);
    const is_vouched = row!.is_vouched || row!.is_other;
    return { is_vouched, is_known: is_vouched || row!.is_past };
  },

  async addApproved(on: Queryable, organization_id: string, parties: string[], now: Date): Promise<void> {
    await on.run(sql`
      insert into approved_recipients (organization_id, party, approved_at)
      select ${organization_id}, party, ${now} from unnest(${parties}::text[]) party
      on conflict (organization_id, party) do nothing`);
  },
});
export type PartyStore = ReturnType<typeof partyStore>;

// The SQL of quiet hours: the time zone of a contact, and whether a person wrote or called a short time ago.
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { provenSender } from '../../access/sender-proof/index.ts';

export const quietHoursStore = (db: Database) => ({
  /** Null when the contact has no zone, or there is none. */
  async zoneOfContact(
    organization_id: string,
    e164: string,
  ): Promise<{ time_zone: string; is_by_person: boolean } | null> {
    const row = await db.maybe<{ time_zone: string | null; is_by_person: boolean }>(sql`
      select time_zone, coalesce(is_zone_by_person, false) as is_by_person from contacts
       where organization_id = ${organization_id} and phone_e164 = ${e164}`);
    return row && row.time_zone !== null ? { ...row, time_zone: row.time_zone } : null;
  },

  /**
   * A text or call from the number, or an email from the proven address of the contact with this number. Only a person says that a
   * number and an address belong together.
   */
  async hasHeardFrom(organization_id: string, e164: string, since: Date): Promise<boolean> {
    const first_id = firstIdAt(since);
    const inbound = sql`organization_id = ${organization_id} and direction = 'inbound' and id >= ${first_id}`;
    const row = await db.maybe<{ is_heard: boolean }>(sql`
      select exists (select from sms_messages where ${inbound} and blocked_by is null and "from" = ${e164})
          or exists (select from calls where ${inbound} and "from" = ${e164})
          or exists (
            select from emails where ${inbound} and quarantine is null and ${provenSender()} and lower(from_address) in (
              select lower(email) from contacts
               where organization_id = ${organization_id} and phone_e164 = ${e164} and is_vouched)) as is_heard`);
    return row!.is_heard;
  },
});
export type QuietHoursStore = ReturnType<typeof quietHoursStore>;

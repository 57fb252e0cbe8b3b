// The SQL that finds the holders of numbers, over all organizations.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export const holderStore = (db: Database) => ({
  /** The organizations that hold these numbers now: how an inbound text or call finds its organization. */
  holders: (on: Queryable, e164s: string[]) =>
    on.rows<
      Pick<PhoneNumber, 'id' | 'organization_id' | 'e164' | 'provider' | 'sms_agent_id' | 'voice_agent_id'>
    >(sql`
      select id, organization_id, e164, provider, sms_agent_id, voice_agent_id
        from numbers where e164 = any(${e164s}) and provisioning_state = 'active'`),

  /** The countries of all active numbers at these providers, of organizations and of the pool. */
  async heldCountries(providers: string[]): Promise<string[]> {
    const rows = await db.rows<{ country_code: string }>(sql`
      select country_code from numbers where provisioning_state = 'active' and provider = any(${providers})
      union select country_code from pool_numbers where provisioning_state = 'active' and provider = any(${providers})`);
    return rows.map((row) => row.country_code);
  },
});

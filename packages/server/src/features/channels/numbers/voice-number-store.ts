// The SQL of numbers that an organization can call from.
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Database } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

/** The oldest number that an organization can call from, as part of another statement. */
export const oldestVoiceNumber = (organization_id: Sql, providers: Sql | string[]): Sql => sql`
  select e164, provider from numbers
   where organization_id = ${organization_id} and provisioning_state = 'active' and 'voice' = any(capabilities)
     and provider = any(${providers})
   order by id limit 1`;

export const voiceNumberStore = (db: Database) => ({
  /** The oldest number that each of these organizations can call from. */
  oldestVoiceNumbers: (organization_ids: string[], providers: string[]) =>
    db.rows<Pick<PhoneNumber, 'organization_id' | 'e164' | 'provider'>>(sql`
      select o.organization_id, own.e164, own.provider
        from unnest(${organization_ids}::uuid[]) as o (organization_id)
        join lateral (${oldestVoiceNumber(sql`o.organization_id`, providers)}) own on true`),

  /** The active number an organization calls from, with a carrier that can call: the named one, else the oldest. */
  voiceNumber: (organization_id: string, named: string | null, providers: string[]) =>
    db.maybe<Pick<PhoneNumber, 'e164' | 'provider'>>(sql`
      select e164, provider from numbers
       where organization_id = ${organization_id} and provisioning_state = 'active' and 'voice' = any(capabilities)
         and provider = any(${providers}) and e164 = coalesce(${named}, e164)
       order by id limit 1`),
});

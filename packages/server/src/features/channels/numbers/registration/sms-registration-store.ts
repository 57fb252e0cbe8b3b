// The SQL of the registration of numbers for texts.
import type { PhoneNumber, SmsRegistration } from '@parley/contract/channels/numbers/numbers';
import type { Database, Queryable } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { columns } from '../store.ts';

export type SmsNumber = Pick<
  PhoneNumber,
  | 'id'
  | 'organization_id'
  | 'provider'
  | 'e164'
  | 'country_code'
  | 'number_type'
  | 'messaging_service_sid'
  | 'sms_registration'
> & { provider_number_id: string; campaign_verification_id: string | null; is_chosen: boolean };

const sms_number = sql`${columns}, provider_number_id, campaign_verification_id, campaign_chosen_at is not null as is_chosen`;

export function smsRegistrationStore(db: Database) {
  return {
    find: (organization_id: string, id: string) =>
      db.maybe<SmsNumber>(sql`
        select ${sms_number} from numbers
         where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
           and 'sms' = any(capabilities)`),

    ofOrganization: (organization_id: string) =>
      db.rows<SmsNumber>(sql`
        select ${sms_number} from numbers
         where organization_id = ${organization_id} and provisioning_state = 'active' and 'sms' = any(capabilities)
         order by id`),

    /** Numbers of all organizations that were not checked since then. */
    due: (before: Date, limit: number) =>
      db.rows<{ organization_id: string; id: string }>(sql`
        select organization_id, id from numbers
         where provisioning_state = 'active' and 'sms' = any(capabilities)
           and (sms_checked_at is null or sms_checked_at < ${before})
         order by sms_checked_at nulls first limit ${limit}`),

    setService: (organization_id: string, id: string, messaging_service_sid: string | null) =>
      db.run(sql`
        update numbers set messaging_service_sid = ${messaging_service_sid}
         where organization_id = ${organization_id} and id = ${id}`),

    /** `chosen`: by a person, so that the number no longer joins a campaign by itself. */
    setCampaign: (
      { organization_id, id }: { organization_id: string; id: string },
      campaign_verification_id: string | null,
      { now, chosen }: { now: Date; chosen: boolean },
    ) =>
      db.maybe<PhoneNumber>(sql`
        update numbers set campaign_verification_id = ${campaign_verification_id}, updated_at = ${now},
               campaign_chosen_at = ${chosen ? now : null}
         where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
        returning ${columns}`),

    checked: (on: Queryable, number: SmsNumber, registration: SmsRegistration, now: Date) =>
      on.run(sql`
        update numbers set sms_registration = ${JSON.stringify(registration)}::json, sms_checked_at = ${now}
         where organization_id = ${number.organization_id} and id = ${number.id}`),

    /** Keeps what the carrier said before. Numbers that keep failing must not come first in every run. */
    failed: (number: SmsNumber, now: Date) =>
      db.run(sql`
        update numbers set sms_checked_at = ${now}
         where organization_id = ${number.organization_id} and id = ${number.id}`),

    /** The carrier refused a text of this sender, because it is not registered. */
    refused: (on: Queryable, organization_id: string, e164: string, registration: SmsRegistration) =>
      on.run(sql`
        update numbers set sms_registration = ${JSON.stringify(registration)}::json
         where organization_id = ${organization_id} and e164 = ${e164} and provisioning_state = 'active'
           and coalesce(sms_registration ->> 'state', 'unknown') in ('unknown', 'pending', 'registered')`),

    service: (organization_id: string, provider: string) =>
      db.maybe<{ provider_service_id: string }>(sql`
        select provider_service_id from messaging_services
         where organization_id = ${organization_id} and provider = ${provider}`),

    insertService: (organization_id: string, provider: string, provider_service_id: string, now: Date) =>
      db.run(sql`
        insert into messaging_services (organization_id, provider, provider_service_id, created_at)
        values (${organization_id}, ${provider}, ${provider_service_id}, ${now})
        on conflict (organization_id, provider) do nothing`),
  };
}
export type SmsRegistrationStore = ReturnType<typeof smsRegistrationStore>;

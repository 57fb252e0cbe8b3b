// The SQL of going live: what an organization has set up.
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type OrganizationRecords = {
  has_llm: boolean;
  /** Active numbers over real carriers; numbers of the pool count for every organization. */
  real_numbers: number;
  pool_numbers: number;
  verified_domains: number;
  /** Subscriptions that are disabled or whose last deliveries failed; at most five. */
  failing_webhooks: { id: string; target_url: string }[];
};

/** Deliveries are retried for a day before they count as dead, but the operator should know at once. */
const lastAttemptFailed = sql`
  (select attempts::json -> -1 ->> 'error' from (
     select id, attempts from webhook_deliveries d
      where d.organization_id = s.organization_id and d.subscription_id = s.id order by id desc limit 50) newest
    where attempts <> '[]' order by id desc limit 1) is not null`;

export const goLiveStore = (db: Database) => ({
  read: async (organization_id: string): Promise<OrganizationRecords> =>
    (await db.maybe<OrganizationRecords>(sql`
      select exists (select from provider_settings
                      where organization_id = ${organization_id} and layer = 'llm' and is_active) as has_llm,
             (select count(*)::int from numbers where organization_id = ${organization_id}
                 and provisioning_state = 'active' and provider <> 'sandbox') as real_numbers,
             (select count(*)::int from pool_numbers
               where provisioning_state = 'active' and provider <> 'sandbox') as pool_numbers,
             (select count(*)::int from email_domains where organization_id = ${organization_id}
                 and kind = 'custom' and verification_status = 'verified') as verified_domains,
             coalesce((select json_agg(json_build_object('id', id, 'target_url', target_url)) from (
                select id, target_url from webhook_subscriptions s where organization_id = ${organization_id}
                   and (disabled_reason = 'kept_failing' or dead_streak > 0 or status = 'active' and ${lastAttemptFailed})
                 order by id limit 5) failing), '[]')
               as failing_webhooks`))!,
});
export type GoLiveStore = ReturnType<typeof goLiveStore>;

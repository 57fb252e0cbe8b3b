// The SQL of provider settings. Keys are stored encrypted.
import type { ProviderConfiguration, ProviderLayer } from '@parley/contract/access/providers';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`layer, provider, key_last4, iso(key_set_at) as key_set_at, params, fallback_enabled, is_active`;

export type StoredProvider = ProviderConfiguration & { key_sealed: string };

export function providerStore(db: Database) {
  return {
    list: (organization_id: string) =>
      db.rows<ProviderConfiguration>(sql`
        select ${columns} from provider_settings where organization_id = ${organization_id}
         order by layer, provider`),

    /** Serializes the changes to one organization's settings, so that exactly one provider stays active. */
    async lock(tx: Transaction, organization_id: string): Promise<void> {
      await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`providers:${organization_id}`}, 0))`);
    },

    find: (organization_id: string, layer: ProviderLayer, provider: string, on: Queryable = db) =>
      on.maybe<StoredProvider>(sql`
        select ${columns}, key_sealed from provider_settings
         where organization_id = ${organization_id} and layer = ${layer} and provider = ${provider}`),

    findActive: (organization_id: string, layer: ProviderLayer, on: Queryable = db) =>
      on.maybe<StoredProvider>(sql`
        select ${columns}, key_sealed from provider_settings
         where organization_id = ${organization_id} and layer = ${layer} and is_active`),

    async upsert(tx: Transaction, organization_id: string, row: StoredProvider): Promise<void> {
      await tx.run(sql`
        insert into provider_settings
        select * from json_populate_record(null::provider_settings, ${JSON.stringify({ ...row, organization_id })})
        on conflict (organization_id, layer, provider) do update
        set key_sealed = excluded.key_sealed, key_last4 = excluded.key_last4, key_set_at = excluded.key_set_at,
            params = excluded.params, fallback_enabled = excluded.fallback_enabled`);
    },

    async activate(tx: Transaction, organization_id: string, layer: ProviderLayer, provider: string) {
      await tx.run(sql`
        update provider_settings set is_active = false
         where organization_id = ${organization_id} and layer = ${layer} and is_active and provider <> ${provider}`);
      return tx.maybe<ProviderConfiguration>(sql`
        update provider_settings set is_active = true
         where organization_id = ${organization_id} and layer = ${layer} and provider = ${provider}
        returning ${columns}`);
    },

    async delete(tx: Transaction, organization_id: string, layer: ProviderLayer, provider: string) {
      return (
        (await tx.run(sql`
          delete from provider_settings
           where organization_id = ${organization_id} and layer = ${layer} and provider = ${provider}`)) === 1
      );
    },
  };
}
export type ProviderStore = ReturnType<typeof providerStore>;

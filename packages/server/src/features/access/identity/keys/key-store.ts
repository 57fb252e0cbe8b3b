// The SQL of issued keys.
import type { ApiKey } from '@parley/contract/access/credentials/api-keys';
import { nil_uuid } from '@parley/contract/limits';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../../platform/db/page.ts';
import { sql } from '../../../../platform/db/sql.ts';

const owner = sql`coalesce(user_id, ${nil_uuid}) as user_id`;
const columns = sql`id, organization_id, ${owner}, parent_key_id, name, start, scopes,
  coalesce(grants_consent, false) as grants_consent, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(last_used_at) as last_used_at`;

const key_cursors = cursors('api-keys');

/** Whose keys a caller sees and revokes. Left out: all of the organization. */
export type KeyFilter = { user_id?: string; key_id?: string | null };

const matching = ({ user_id, key_id }: KeyFilter) => sql`
  ${user_id ? sql`and user_id = ${user_id}` : sql.empty}
  ${key_id ? sql`and (id = ${key_id} or ${key_id} = any(ancestor_key_ids))` : sql.empty}`;

/** Where a key comes from: its ancestors, nearest first, and the shared key that issued the first one. */
export type Ancestry = { ancestor_key_ids: readonly string[]; issued_with: string | null };
export type DeletedKey = { id: string; name: string; user_id: string };

export function keyStore(db: Database) {
  return {
    /** Counts the valid keys of the organization. The lock makes concurrent issues wait for each other. */
    async lockAndCount(tx: Transaction, organization_id: string, now: Date): Promise<number> {
      await tx.run(sql`select 1 from organizations where id = ${organization_id} for no key update`);
      // The nil organization has no row.
      if (organization_id === nil_uuid)
        await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('keys of the shared key', 0))`);
      const row = await tx.maybe<{ count: number }>(sql`
        select count(*) as count from api_keys
         where organization_id = ${organization_id} and (expires_at is null or expires_at > ${now})`);
      return row!.count;
    },

    /**
     * The ancestors of a new key with this parent, nearest first; null when the parent was revoked or has expired. The lock
     * makes a revocation at the same time wait, which then deletes the new key as well.
     */
    async lockParent(
      tx: Transaction,
      organization_id: string,
      parent_key_id: string,
      now: Date,
    ): Promise<Ancestry | null> {
      return tx.maybe<Ancestry>(sql`
        select array_prepend(id, coalesce(ancestor_key_ids, '{}')) as ancestor_key_ids, issued_with from api_keys
         where organization_id = ${organization_id} and id = ${parent_key_id} and (expires_at is null or expires_at > ${now})
           for key share`);
    },

    async insert(tx: Transaction, key: ApiKey & Ancestry & { hash: string }): Promise<void> {
      const row = JSON.stringify({ ...key, user_id: key.user_id === nil_uuid ? null : key.user_id });
      await tx.run(sql`
        insert into api_keys select * from json_populate_record(null::api_keys, ${row})`);
    },

    list: (organization_id: string, filter: KeyFilter, query: PageRequest) =>
      readPage<ApiKey>(db, key_cursors, query, {
        columns,
        from: sql`api_keys`,
        where: sql`organization_id = ${organization_id} ${matching(filter)}`,
      }),

    /** The key and the keys that descend from it, the key first; empty when there is no such key. */
    delete: (tx: Transaction, organization_id: string, filter: KeyFilter, id: string) =>
      tx.rows<DeletedKey>(sql`
        with revoked as (
          select id from api_keys where organization_id = ${organization_id} and id = ${id} ${matching(filter)} for update
        ), deleted as (
          delete from api_keys k using revoked
           where k.organization_id = ${organization_id} and (k.id = revoked.id or revoked.id = any(k.ancestor_key_ids))
          returning k.id, k.name, coalesce(k.user_id, ${nil_uuid}) as user_id, k.ancestor_key_ids
        )
        select id, name, user_id from deleted order by coalesce(array_length(ancestor_key_ids, 1), 0), id`),
  };
}
export type KeyStore = ReturnType<typeof keyStore>;

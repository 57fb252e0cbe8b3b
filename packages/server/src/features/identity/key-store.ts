// The SQL of issued keys.
import type { ApiKey } from '@parley/contract/api-keys';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, organization_id, user_id, parent_key_id, name, start, scopes,
  coalesce(grants_consent, false) as grants_consent, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(last_used_at) as last_used_at`;

const key_cursors = cursors('api-keys');

const byOwner = (user_id: string | null) => (user_id ? sql`and user_id = ${user_id}` : sql.empty);

export type DeletedKey = { id: string; name: string; user_id: string };

export function keyStore(db: Database) {
  return {
    /** Counts the valid keys of the organization. The lock makes concurrent issues wait for each other. */
    async lockAndCount(tx: Transaction, organization_id: string, now: Date): Promise<number> {
      await tx.run(sql`select 1 from organizations where id = ${organization_id} for no key update`);
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
    ): Promise<string[] | null> {
      const row = await tx.maybe<{ ancestor_key_ids: string[] }>(sql`
        select array_prepend(id, coalesce(ancestor_key_ids, '{}')) as ancestor_key_ids from api_keys
         where organization_id = ${organization_id} and id = ${parent_key_id} and (expires_at is null or expires_at > ${now})
           for key share`);
      return row?.ancestor_key_ids ?? null;
    },

    async insert(
      tx: Transaction,
      key: ApiKey & { hash: string; ancestor_key_ids: readonly string[] },
    ): Promise<void> {
      await tx.run(sql`
        insert into api_keys select * from json_populate_record(null::api_keys, ${JSON.stringify(key)})`);
    },

    /** With a `user_id`, lists only the keys of that user. */
    list: (organization_id: string, user_id: string | null, query: PageRequest) =>
      readPage(db, key_cursors, query, {
        columns,
        from: sql`api_keys`,
        where: sql`organization_id = ${organization_id} ${byOwner(user_id)}`,
      }),

    /** The key and the keys that descend from it, the key first; empty when there is no such key. */
    delete: (tx: Transaction, organization_id: string, user_id: string | null, id: string) =>
      tx.rows<DeletedKey>(sql`
        with revoked as (
          select id from api_keys where organization_id = ${organization_id} and id = ${id} ${byOwner(user_id)} for update
        ), deleted as (
          delete from api_keys k using revoked
           where k.organization_id = ${organization_id} and (k.id = revoked.id or revoked.id = any(k.ancestor_key_ids))
          returning k.id, k.name, k.user_id, k.ancestor_key_ids
        )
        select id, name, user_id from deleted order by coalesce(array_length(ancestor_key_ids, 1), 0), id`),
  };
}
export type KeyStore = ReturnType<typeof keyStore>;

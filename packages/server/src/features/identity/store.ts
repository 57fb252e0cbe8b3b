// The SQL of credentials: issued keys, and the people and memberships behind keys and tokens.
import type { ApiKey } from '@parley/contract/api-keys';
import type { Role } from '@parley/contract/roles';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

/** A person in an organization, as a credential finds them. */
export type Person = {
  user_id: string;
  organization_id: string;
  email: string;
  name: string;
  superadmin: boolean;
  /** Null: not a member. */
  role: Role | null;
};

export type KeyOwner = Person & { id: string; scopes: string[]; expires_ms: number | null };

const columns = sql`id, organization_id, user_id, name, start, scopes, iso(created_at) as created_at,
  iso(expires_at) as expires_at, iso(last_used_at) as last_used_at`;

const list = cursors('api-keys');

export function identityStore(db: Database) {
  return {
    /** The one query of a request with an issued key. */
    ownerOfKey: (hash: string) =>
      db.maybe<KeyOwner>(sql`
        select k.id, k.organization_id, k.user_id, k.scopes, extract(epoch from k.expires_at)::float8 * 1000 as expires_ms,
               coalesce(u.contact_email, u.email) as email, u.name, u.superadmin, m.role
          from api_keys k
          join accounts.users u on u.id = k.user_id
          left join members m on m.organization_id = k.organization_id and m.user_id = k.user_id
         where k.hash = ${hash}`),

    /** Every membership of the person that a token names. */
    membershipsOf: (by: 'id' | 'external_subject', subject: string) =>
      db.rows<Person & { role: Role }>(sql`
        select u.id as user_id, m.organization_id, coalesce(u.contact_email, u.email) as email, u.name, u.superadmin, m.role
          from accounts.users u join members m on m.user_id = u.id
         where ${by === 'id' ? sql`u.id::text = ${subject}` : sql`u.external_subject = ${subject}`}`),

    /**
     * Whether the person still allows the program to act in the organization. A token from before the grant belongs to
     * an earlier grant that was revoked.
     */
    async hasGrant(grant: {
      organization_id: string;
      user_id: string;
      client_id: string;
      issued_ms: number;
    }): Promise<boolean> {
      return (
        (await db.maybe(sql`
          select 1 from accounts."oauthConsent"
           where "referenceId" = ${grant.organization_id} and "userId" = ${grant.user_id}
             and "clientId" = ${grant.client_id} and "createdAt" <= ${new Date(grant.issued_ms)}`)) !== null
      );
    },

    async credentialsVersion(): Promise<number> {
      return (await db.maybe<{ version: number }>(sql`select version from credential_changes`))!.version;
    },

    async raiseCredentialsVersion(tx: Transaction): Promise<void> {
      await tx.run(sql`update credential_changes set version = version + 1`);
    },

    async isMember(on: Queryable, organization_id: string, user_id: string): Promise<boolean> {
      return (
        (await on.maybe(sql`
          select 1 from members where organization_id = ${organization_id} and user_id = ${user_id}
             for key share`)) !== null
      );
    },

    async isSuperadmin(on: Queryable, user_id: string): Promise<boolean> {
      return (
        (await on.maybe(sql`select 1 from accounts.users where id = ${user_id} and superadmin`)) !== null
      );
    },

    /** How many keys of the organization work. Those that are issued at the same moment wait for each other. */
    async lockLiveKeys(tx: Transaction, organization_id: string, now: Date): Promise<number> {
      await tx.run(sql`select 1 from organizations where id = ${organization_id} for no key update`);
      const row = await tx.maybe<{ count: number }>(sql`
        select count(*) as count from api_keys
         where organization_id = ${organization_id} and (expires_at is null or expires_at > ${now})`);
      return row!.count;
    },

    async insertKey(tx: Transaction, key: ApiKey & { hash: string }): Promise<void> {
      await tx.run(sql`
        insert into api_keys select * from json_populate_record(null::api_keys, ${JSON.stringify(key)})`);
    },

    /** `user_id` narrows it to the keys of one person. */
    listKeys(organization_id: string, user_id: string | null, query: PageRequest) {
      const of = user_id ? sql`and user_id = ${user_id}` : sql.empty;
      return readPage(db, list, query, {
        columns,
        from: sql`api_keys`,
        where: sql`organization_id = ${organization_id} ${of}`,
      });
    },

    deleteKey: (tx: Transaction, organization_id: string, user_id: string | null, id: string) =>
      tx.maybe<{ name: string; user_id: string }>(sql`
        delete from api_keys where organization_id = ${organization_id} and id = ${id}
           ${user_id ? sql`and user_id = ${user_id}` : sql.empty}
        returning name, user_id`),

    async noteUse(ids: string[], at: Date): Promise<void> {
      await db.run(sql`update api_keys set last_used_at = ${at} where id = any(${ids})`);
    },
  };
}
export type IdentityStore = ReturnType<typeof identityStore>;

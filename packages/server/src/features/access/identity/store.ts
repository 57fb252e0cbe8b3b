// The SQL behind authentication: the users and memberships behind keys and tokens.

import type { Role } from '@parley/contract/access/roles';
import { nil_uuid } from '@parley/contract/limits';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A user in an organization, found by a credential. */
export type Person = {
  user_id: string;
  organization_id: string;
  /** Null for a key without a person. */
  email: string | null;
  name: string;
  superadmin: boolean;
  /** Null: not a member. */
  role: Role | null;
};

export type KeyOwner = Person & {
  id: string;
  scopes: string[];
  /** The key ends with its ancestors, so this is the earliest of all ends. */
  expires_ms: number | null;
  /** Nearest first. */
  ancestor_key_ids: string[];
  /** The fingerprint of the shared key that issued it; null when a person or an operator did. */
  issued_with: string | null;
  grants_consent: boolean;
};

/**
 * Ends everything that acts for a membership, so that a later membership of the same person starts without it. Keys stay
 * as expired ones: until then their holders still learn that the person is not a member.
 */
async function endCredentials(
  tx: Transaction,
  organization_id: string,
  user_id: string,
  now: Date,
): Promise<void> {
  await tx.run(sql`
    update api_keys set expires_at = ${now}
     where organization_id = ${organization_id} and user_id = ${user_id}
       and (expires_at is null or expires_at > ${now})`);
  await tx.run(sql`
    delete from conversation_tokens where organization_id = ${organization_id} and user_id = ${user_id}`);
  const granted = sql`"referenceId" = ${organization_id} and "userId" = ${user_id}`;
  await tx.run(sql`delete from accounts."oauthConsent" where ${granted}`);
  await tx.run(sql`delete from accounts."oauthAccessToken" where ${granted}`);
  await tx.run(sql`delete from accounts."oauthRefreshToken" where ${granted}`);
}

export function identityStore(db: Database) {
  return {
    /** The only query of a request with an issued key. */
    findKeyOwner: (hash: string) =>
      db.maybe<KeyOwner>(sql`
        select k.id, k.organization_id, coalesce(k.user_id, ${nil_uuid}) as user_id, k.scopes, k.issued_with, coalesce(k.ancestor_key_ids, '{}') as ancestor_key_ids,
               extract(epoch from least(k.expires_at, (
                 select min(a.expires_at) from api_keys a where a.id = any(k.ancestor_key_ids))))::float8 * 1000 as expires_ms,
               coalesce(k.grants_consent, false) as grants_consent,
               coalesce(u.contact_email, u.email) as email, coalesce(u.name, k.name) as name,
               coalesce(u.superadmin, false) as superadmin,
               case when k.user_id is null then 'owner' else m.role end as role
          from api_keys k
          left join accounts.users u on u.id = k.user_id
          left join members m on m.organization_id = k.organization_id and m.user_id = k.user_id
         where k.hash = ${hash}`),

    async storeKeyUse(ids: string[], at: Date): Promise<void> {
      await db.run(sql`update api_keys set last_used_at = ${at} where id = any(${ids})`);
    },

    /** All memberships of the user in a token. */
    membershipsOf: (by: 'id' | 'external_subject', subject: string) =>
      db.rows<Person & { role: Role }>(sql`
        select u.id as user_id, m.organization_id, coalesce(u.contact_email, u.email) as email, u.name, u.superadmin, m.role
          from accounts.users u join members m on m.user_id = u.id
         where ${by === 'id' ? sql`u.id::text = ${subject}` : sql`u.external_subject = ${subject}`}`),

    /**
     * Whether the user still allows the program to act in the organization. A token that is older than the grant belongs
     * to an earlier grant that was revoked.
     */
    /** The id of the grant; null when it was revoked. */
    async findGrant(grant: {
      organization_id: string;
      user_id: string;
      client_id: string;
      issued_ms: number;
    }): Promise<string | null> {
      const row = await db.maybe<{ id: string }>(sql`
        select id from accounts."oauthConsent"
         where "referenceId" = ${grant.organization_id} and "userId" = ${grant.user_id}
           and "clientId" = ${grant.client_id} and "createdAt" <= ${new Date(grant.issued_ms)}
         limit 1`);
      return row?.id ?? null;
    },

    isSession: async ({ id, user_id }: { id: string; user_id: string }, now: Date): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from accounts.session
         where id::text = ${id} and "userId" = ${user_id} and "expiresAt" > ${now}`)) !== null,

    endCredentials,

    async isMember(on: Queryable, organization_id: string, user_id: string): Promise<boolean> {
      const row = await on.maybe(sql`
        select 1 from members where organization_id = ${organization_id} and user_id = ${user_id}
           for key share`);
      return row !== null;
    },

    async isSuperadmin(on: Queryable, user_id: string): Promise<boolean> {
      return (
        (await on.maybe(sql`select 1 from accounts.users where id = ${user_id} and superadmin`)) !== null
      );
    },
  };
}
export type IdentityStore = ReturnType<typeof identityStore>;

// The SQL on the tables of the account engine: clients for the consent page, sessions, and known networks.
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A newer use within this time is not stored, which saves a write for each token. */
const client_use_accuracy_ms = 3_600_000;

export function accountStore(db: Database) {
  return {
    findClient: (client_id: string) =>
      db.maybe<{ name: string | null; redirect_uris: string[] }>(sql`
        select name, "redirectUris" as redirect_uris from accounts."oauthClient"
         where "clientId" = ${client_id} and disabled is not true`),

    async storeClientUse(client_id: string, now: Date): Promise<void> {
      const before = new Date(now.getTime() - client_use_accuracy_ms);
      await db.run(sql`
        update accounts."oauthClient" set last_used_at = ${now}
         where "clientId" = ${client_id} and (last_used_at is null or last_used_at < ${before})`);
    },

    /** Whether another request replaced this refresh token a moment ago: `stored` when its answer can be repeated. */
    async refreshOf(token_hash: string, now: Date): Promise<'none' | 'running' | 'stored'> {
      const row = await db.maybe<{ is_stored: boolean }>(sql`
        select "rotationReplayResponse" is not null as is_stored from accounts."oauthRefreshToken"
         where token = ${token_hash} and "rotationReplayExpiresAt" > ${now}`);
      if (!row) return 'none';
      return row.is_stored ? 'stored' : 'running';
    },

    /** Deletes clients that registered themselves, with their consents and tokens. */
    deleteUnusedClients: (never_used_before: Date, unused_before: Date): Promise<number> =>
      db.run(sql`
        delete from accounts."oauthClient" c
         where c."userId" is null
           and case when c.last_used_at is not null then c.last_used_at < ${unused_before}
                    -- Used before last_used_at existed: there is a consent or a token.
                    when exists (select 1 from accounts."oauthConsent" g where g."clientId" = c."clientId")
                      or exists (select 1 from accounts."oauthRefreshToken" t where t."clientId" = c."clientId")
                    then c."createdAt" < ${unused_before}
                     and not exists (select 1 from accounts."oauthRefreshToken" t
                                      where t."clientId" = c."clientId" and t."createdAt" >= ${unused_before})
                    else c."createdAt" < ${never_used_before} end`),

    findAccount: (email: string) =>
      db.maybe<{ id: string; verified: boolean; is_external: boolean; has_password: boolean }>(sql`
        select u.id, u.email_verified as verified, u.external_subject is not null as is_external,
               exists (select 1 from accounts.account a where a."userId" = u.id) as has_password
          from accounts.users u where u.email = ${email}`),

    /** For a user who followed a link that was mailed to the address, or that an operator created. */
    async markVerified(user_id: string): Promise<void> {
      await db.run(sql`
        update accounts.users set email_verified = true where id = ${user_id} and not email_verified`);
    },

    isKnownNetwork: async (user_id: string, network_hash: string): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from sign_in_places where user_id = ${user_id} and place_hash = ${network_hash}`)) !== null,

    /** Stores only the newest networks of a user, so that the table stays small. */
    async storeKnownNetwork(
      user_id: string,
      network_hash: string,
      now: Date,
      max_stored: number,
    ): Promise<void> {
      await db.run(sql`
        insert into sign_in_places (user_id, place_hash, last_used_at) values (${user_id}, ${network_hash}, ${now})
        on conflict (user_id, place_hash) do update set last_used_at = excluded.last_used_at`);
      await db.run(sql`
        delete from sign_in_places where user_id = ${user_id} and place_hash not in (
          select place_hash from sign_in_places where user_id = ${user_id} order by last_used_at desc limit ${max_stored})`);
    },

    async chooseOrganization(organization_id: string, session_id: string): Promise<void> {
      await db.run(sql`
        update accounts.session set organization_id = ${organization_id} where id = ${session_id}`);
    },

    async deleteExpired(now: Date, networks_before: Date): Promise<void> {
      await db.run(sql`delete from sign_in_places where last_used_at < ${networks_before}`);
      await db.run(sql`delete from accounts.session where "expiresAt" < ${now}`);
      await db.run(sql`delete from accounts.verification where "expiresAt" < ${now}`);
    },
  };
}
export type AccountStore = ReturnType<typeof accountStore>;

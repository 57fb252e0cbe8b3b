// The little SQL that reaches into the account engine's tables: clients for the consent page, and the chosen organization.
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export function accountStore(db: Database) {
  return {
    client: (client_id: string) =>
      db.maybe<{ name: string | null; redirect_uris: string[] }>(sql`
        select name, "redirectUris" as redirect_uris from accounts."oauthClient"
         where "clientId" = ${client_id} and disabled is not true`),

    /** The hour is enough to know it, and saves a write for each token. */
    async clientUsed(client_id: string, now: Date): Promise<void> {
      await db.run(sql`
        update accounts."oauthClient" set last_used_at = ${now}
         where "clientId" = ${client_id} and (last_used_at is null or last_used_at < ${new Date(now.getTime() - 3_600_000)})`);
    },
    /** Of those that registered themselves; consents and tokens go with them. */
    async forgetUnusedClients(never_used_before: Date, unused_before: Date): Promise<number> {
      return db.run(sql`
        delete from accounts."oauthClient" c
         where c."userId" is null
           and case when c.last_used_at is not null then c.last_used_at < ${unused_before}
                    -- Used before uses were noted: there is a consent or a token.
                    when exists (select 1 from accounts."oauthConsent" g where g."clientId" = c."clientId")
                      or exists (select 1 from accounts."oauthRefreshToken" t where t."clientId" = c."clientId")
                    then c."createdAt" < ${unused_before}
                     and not exists (select 1 from accounts."oauthRefreshToken" t
                                      where t."clientId" = c."clientId" and t."createdAt" >= ${unused_before})
                    else c."createdAt" < ${never_used_before} end`);
    },

    /** By the name that people sign in with. */
    accountOf: (email: string) =>
      db.maybe<{ id: string; verified: boolean; is_external: boolean; has_password: boolean }>(sql`
        select u.id, u.email_verified as verified, u.external_subject is not null as is_external,
               exists (select 1 from accounts.account a where a."userId" = u.id) as has_password
          from accounts.users u where u.email = ${email}`),

    /** Whoever used a link that was mailed to the address, or that an operator made, counts as its owner. */
    async markVerified(user_id: string): Promise<void> {
      await db.run(sql`
        update accounts.users set email_verified = true where id = ${user_id} and not email_verified`);
    },

    isKnownPlace: async (user_id: string, place_hash: string): Promise<boolean> =>
      (await db.maybe(sql`
        select 1 from sign_in_places where user_id = ${user_id} and place_hash = ${place_hash}`)) !== null,
    /** The newest places are kept, so that the table stays small. */
    async rememberPlace(user_id: string, place_hash: string, now: Date, kept: number): Promise<void> {
      await db.run(sql`
        insert into sign_in_places (user_id, place_hash, last_used_at) values (${user_id}, ${place_hash}, ${now})
        on conflict (user_id, place_hash) do update set last_used_at = excluded.last_used_at`);
      await db.run(sql`
        delete from sign_in_places where user_id = ${user_id} and place_hash not in (
          select place_hash from sign_in_places where user_id = ${user_id} order by last_used_at desc limit ${kept})`);
    },

    async chooseOrganization(organization_id: string, session_id: string): Promise<void> {
      await db.run(sql`
        update accounts.session set organization_id = ${organization_id} where id = ${session_id}`);
    },

    /** Sessions and codes whose time is over. */
    async forgetExpired(now: Date, places_before: Date): Promise<void> {
      await db.run(sql`delete from sign_in_places where last_used_at < ${places_before}`);
      await db.run(sql`delete from accounts.session where "expiresAt" < ${now}`);
      await db.run(sql`delete from accounts.verification where "expiresAt" < ${now}`);
    },
  };
}
export type AccountStore = ReturnType<typeof accountStore>;

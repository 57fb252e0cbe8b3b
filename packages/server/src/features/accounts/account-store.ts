// The little SQL that reaches into the account engine's tables: clients for the consent page, and the chosen organization.
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export function accountStore(db: Database) {
  return {
    client: (client_id: string) =>
      db.maybe<{ name: string | null; redirect_uris: string[] }>(sql`
        select name, "redirectUris" as redirect_uris from accounts."oauthClient"
         where "clientId" = ${client_id} and disabled is not true`),

    async chooseOrganization(organization_id: string, session_id: string): Promise<void> {
      await db.run(sql`
        update accounts.session set organization_id = ${organization_id} where id = ${session_id}`);
    },

    /** Sessions and codes whose time is over. */
    async forgetExpired(now: Date): Promise<void> {
      await db.run(sql`delete from accounts.session where "expiresAt" < ${now}`);
      await db.run(sql`delete from accounts.verification where "expiresAt" < ${now}`);
    },
  };
}
export type AccountStore = ReturnType<typeof accountStore>;

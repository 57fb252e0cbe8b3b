// The SQL of OAuth grants. The account engine writes them as consents; its reference is the organization.
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`g.id, g."referenceId" as organization_id, g."userId" as user_id, g."clientId" as client_id,
  c.name as client_name, c."redirectUris" as redirect_uris, g.scopes,
  iso(g."createdAt") as created_at, iso(g."updatedAt") as updated_at`;
const tables = sql`accounts."oauthConsent" g join accounts."oauthClient" c on c."clientId" = g."clientId"`;

const list = cursors('oauth-grants');

export type RevokedGrant = { client_id: string; user_id: string };

export function oauthGrantStore(db: Database) {
  return {
    /** `user_id` narrows it to the grants of one person. */
    list(organization_id: string, user_id: string | null, query: PageRequest) {
      const of = user_id ? sql`and g."userId" = ${user_id}` : sql.empty;
      return readPage(db, list, query, {
        columns,
        from: tables,
        where: sql`g."referenceId" = ${organization_id} ${of}`,
        alias: 'g',
      });
    },

    /** With its tokens, and with a twin that two consents at the same moment may have left. */
    async revoke(
      tx: Transaction,
      organization_id: string,
      user_id: string | null,
      id: string,
    ): Promise<RevokedGrant | null> {
      const gone = await tx.maybe<RevokedGrant>(sql`
        delete from accounts."oauthConsent" where "referenceId" = ${organization_id} and id = ${id}
           ${user_id ? sql`and "userId" = ${user_id}` : sql.empty}
        returning "clientId" as client_id, "userId" as user_id`);
      if (!gone) return null;
      const same = sql`"referenceId" = ${organization_id} and "clientId" = ${gone.client_id} and "userId" = ${gone.user_id}`;
      await tx.run(sql`delete from accounts."oauthConsent" where ${same}`);
      await tx.run(sql`delete from accounts."oauthAccessToken" where ${same}`);
      await tx.run(sql`delete from accounts."oauthRefreshToken" where ${same}`);
      return gone;
    },
  };
}

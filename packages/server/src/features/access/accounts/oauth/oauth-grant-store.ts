// The SQL of OAuth grants. better-auth stores them as consents; `referenceId` is the organization.
import type { OauthGrant } from '@parley/contract/access/credentials/oauth-grants';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../../platform/db/page.ts';
import { sql } from '../../../../platform/db/sql.ts';

const columns = sql`g.id, g."referenceId" as organization_id, g."userId" as user_id, g."clientId" as client_id,
  c.name as client_name, c."redirectUris" as redirect_uris, g.scopes,
  iso(g."createdAt") as created_at, iso(g."updatedAt") as updated_at`;
const tables = sql`accounts."oauthConsent" g join accounts."oauthClient" c on c."clientId" = g."clientId"`;

const grant_cursors = cursors('oauth-grants');

export type RevokedGrant = { client_id: string; user_id: string };

export function oauthGrantStore(db: Database) {
  return {
    /** With a `user_id`, lists only the grants of that user. */
    list(organization_id: string, user_id: string | null, query: PageRequest) {
      const by_user = user_id ? sql`and g."userId" = ${user_id}` : sql.empty;
      return readPage<OauthGrant>(db, grant_cursors, query, {
        columns,
        from: tables,
        where: sql`g."referenceId" = ${organization_id} ${by_user}`,
        alias: 'g',
      });
    },

    /** Deletes the grant with its tokens, and a duplicate that two concurrent consents may have left. */
    async revoke(
      tx: Transaction,
      organization_id: string,
      user_id: string | null,
      id: string,
    ): Promise<RevokedGrant | null> {
      const revoked = await tx.maybe<RevokedGrant>(sql`
        delete from accounts."oauthConsent" where "referenceId" = ${organization_id} and id = ${id}
           ${user_id ? sql`and "userId" = ${user_id}` : sql.empty}
        returning "clientId" as client_id, "userId" as user_id`);
      if (!revoked) return null;
      const same = sql`"referenceId" = ${organization_id} and "clientId" = ${revoked.client_id} and "userId" = ${revoked.user_id}`;
      await tx.run(sql`delete from accounts."oauthConsent" where ${same}`);
      await tx.run(sql`delete from accounts."oauthAccessToken" where ${same}`);
      await tx.run(sql`delete from accounts."oauthRefreshToken" where ${same}`);
      return revoked;
    },
  };
}

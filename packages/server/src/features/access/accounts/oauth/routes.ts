// Lists the programs that users connected by OAuth, and revokes their access on every process within a second.
import { oauthGrants } from '@parley/contract/access/credentials/oauth-grants';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type Caller, type Routes, routesOf } from '../../../../platform/http/context.ts';
import { type AuditLog, actorOf } from '../../audit/index.ts';
import { type CredentialChanges, subjectOf } from '../../identity/index.ts';
import { oauthGrantStore } from './oauth-grant-store.ts';

/** Members see and revoke only their own grants. */
const onlyOwn = (caller: Caller): string | null =>
  caller.role === 'member' ? caller.identity.user_id : null;

export function oauthGrantRoutes(deps: {
  db: Database;
  audit: AuditLog;
  changes: CredentialChanges;
}): Routes {
  const store = oauthGrantStore(deps.db);
  return routesOf(oauthGrants, {
    list: ({ query }, { caller, organization_id }) => store.list(organization_id, onlyOwn(caller), query),

    async revoke({ params: { oauth_grant_id } }, context) {
      const { organization_id } = context;
      await deps.db.transaction(async (tx) => {
        const revoked = await store.revoke(tx, organization_id, onlyOwn(context.caller), oauth_grant_id);
        if (!revoked) throw new ApiError('not_found');
        await deps.changes.write(tx, subjectOf.user(revoked.user_id));
        await deps.audit.write(tx, actorOf(context), {
          organization_id,
          action: 'oauth_grant.revoked',
          object_id: oauth_grant_id,
          detail: revoked,
        });
      });
      return undefined;
    },
  });
}

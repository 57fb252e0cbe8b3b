// Lists the programs that users connected by OAuth, and revokes their access on every process within a second.
import { oauthGrants } from '@parley/contract/oauth-grants';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Caller, type Routes, routesOf } from '../../../platform/http/context.ts';
import type { TtlCache } from '../../../platform/ttl-cache.ts';
import { type AuditLog, actorOf } from '../../audit/index.ts';
import type { IdentityStore } from '../../identity/index.ts';
import { oauthGrantStore } from './oauth-grant-store.ts';

/** Members see and revoke only their own grants. */
const onlyOwn = (caller: Caller): string | null =>
  caller.role === 'member' ? caller.identity.user_id : null;

export function oauthGrantRoutes(deps: {
  db: Database;
  audit: AuditLog;
  identities: IdentityStore;
  version: TtlCache<number>;
}): Routes {
  const store = oauthGrantStore(deps.db);
  return routesOf(oauthGrants, {
    list: ({ query }, { caller, organization_id }) => store.list(organization_id, onlyOwn(caller), query),

    async revoke({ params: { oauth_grant_id } }, context) {
      const { organization_id } = context;
      await deps.db.transaction(async (tx) => {
        const revoked = await store.revoke(tx, organization_id, onlyOwn(context.caller), oauth_grant_id);
        if (!revoked) throw new ApiError('not_found');
        // Every process reloads its cached credentials when this version changes.
        await deps.identities.raiseCredentialsVersion(tx);
        await deps.audit.write(tx, actorOf(context), {
          organization_id,
          action: 'oauth_grant.revoked',
          object_id: oauth_grant_id,
          detail: revoked,
        });
        tx.afterCommit(() => deps.version.forget());
      });
      return undefined;
    },
  });
}

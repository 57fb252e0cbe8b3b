// The rules of issued keys: shown once, never stronger than whoever issues them, revoked at once everywhere.
import { type ApiKey, type ApiKeyCreate, api_key_prefix, type NewApiKey } from '@parley/contract/api-keys';
import { nil_uuid } from '@parley/contract/limits';
import { admin_scope } from '@parley/contract/roles';
import type { Clock } from '../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../platform/crypto.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Caller, Context } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { TtlCache } from '../../platform/ttl-cache.ts';
import { type Actor, type AuditLog, actorOf } from '../audit/index.ts';
import { requireKnownScopes, requireMayIssue } from './issuing-rules.ts';
import type { IdentityStore } from './store.ts';

const shown_chars = api_key_prefix.length + 4;

export function apiKeyService(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: IdentityStore;
  audit: AuditLog;
  version: TtlCache<number>;
  managed: boolean;
  /** Live keys of one organization. */
  max_keys: number;
}) {
  const { db, clock, ids, store, audit } = deps;

  /** Part of a larger change: makes the key of a person who must be a member. */
  async function issue(
    tx: Transaction,
    actor: Actor,
    owner: { organization_id: string; user_id: string },
    given: ApiKeyCreate,
  ): Promise<NewApiKey> {
    const now = clock.now();
    // The lock of the organization comes first, as it does when a member is removed.
    const live = await store.lockLiveKeys(tx, owner.organization_id, now);
    if (!(await store.isMember(tx, owner.organization_id, owner.user_id))) {
      throw new ApiError('not_found', { detail: 'This person is not a member of the organization.' });
    }
    const expires_at = expiryOf(given);
    const scopes = given.scopes ?? ['*'];
    if (expires_at && expires_at <= now) {
      throw validationError([
        { path: 'body.expires_at', message: 'Expected a time to come', code: 'invalid' },
      ]);
    }
    // Such a key would get the power without another decision once its owner becomes a superadmin.
    if (scopes.includes(admin_scope) && !(await store.isSuperadmin(tx, owner.user_id))) {
      throw validationError([
        { path: 'body.scopes', message: 'admin: the owner of the key is not a superadmin', code: 'invalid' },
      ]);
    }
    if (live >= deps.max_keys) {
      throw new ApiError('too_many_keys', {
        detail: `The organization has ${live} keys; it may have ${deps.max_keys}.`,
      });
    }
    const key = randomToken(api_key_prefix);
    const record: ApiKey = {
      id: ids.next(),
      organization_id: owner.organization_id,
      user_id: owner.user_id,
      name: given.name,
      start: key.slice(0, shown_chars),
      scopes,
      created_at: now.toISOString(),
      expires_at: expires_at?.toISOString() ?? null,
      last_used_at: null,
    };
    await store.insertKey(tx, { ...record, hash: sha256Base64url(key) });
    await audit.write(tx, actor, {
      organization_id: owner.organization_id,
      action: 'api_key.created',
      object_id: record.id,
      detail: { name: record.name, scopes: record.scopes, user_id: owner.user_id },
    });
    return { ...record, key };
  }

  const requireManaged = () => {
    if (deps.managed) return;
    throw new ApiError('not_found', {
      detail: 'Managed mode is off on this server.',
      fix: 'Set PARLEY_MANAGED=on on the server, or use the shared key.',
    });
  };

  const issueFor = (
    context: Context,
    owner: { organization_id: string; user_id: string },
    given: ApiKeyCreate,
  ): Promise<NewApiKey> => {
    requireKnownScopes(given.scopes ?? []);
    requireMayIssue(context.caller, { scopes: given.scopes ?? ['*'], expires_at: expiryOf(given) });
    return db.transaction((tx) => issue(tx, actorOf(context), owner, given));
  };

  return {
    /** For a device login, whose rules the person who approves it decides on. */
    issue,
    /** In the name of the caller, so that the key can do no more and lives no longer than their credential. */
    issueFor,
    requireManaged,

    async create(context: Context, given: ApiKeyCreate): Promise<NewApiKey> {
      requireManaged();
      const { identity } = context.caller;
      if (identity.user_id === nil_uuid) throw new ApiError('no_user');
      return issueFor(context, identity, given);
    },

    list: (context: Context, query: PageRequest) =>
      store.listKeys(context.organization_id, onlyOwn(context.caller), query),

    async revoke(context: Context, id: string): Promise<undefined> {
      await db.transaction(async (tx) => {
        const { organization_id } = context;
        const gone = await store.deleteKey(tx, organization_id, onlyOwn(context.caller), id);
        if (!gone) throw new ApiError('not_found');
        await store.raiseCredentialsVersion(tx);
        await audit.write(tx, actorOf(context), {
          organization_id,
          action: 'api_key.revoked',
          object_id: id,
          detail: gone,
        });
        tx.afterCommit(() => deps.version.forget());
      });
    },
  };
}
export type ApiKeyService = ReturnType<typeof apiKeyService>;

/** Members see and revoke only their own keys. */
const onlyOwn = (caller: Caller): string | null =>
  caller.role === 'member' ? caller.identity.user_id : null;

const expiryOf = (given: ApiKeyCreate): Date | null => (given.expires_at ? new Date(given.expires_at) : null);

// The rules of issued keys: shown once, never with more rights than the issuing credential, revoked on every process
// within a second.
import {
  type ApiKey,
  type ApiKeyCreate,
  api_key_prefix,
  type NewApiKey,
} from '@parley/contract/access/credentials/api-keys';
import { admin_scope } from '@parley/contract/access/roles';
import { nil_uuid } from '@parley/contract/limits';
import type { Clock } from '../../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../../platform/db/database.ts';
import type { PageRequest } from '../../../../platform/db/page.ts';
import { ApiError, validationError } from '../../../../platform/http/api-error.ts';
import type { Caller, Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import { type Actor, type AuditLog, actorOf } from '../../audit/index.ts';
import { type CredentialChanges, subjectOf } from '../credential-changes.ts';
import type { IdentityStore } from '../store.ts';
import { keyCredential, keyOfCredential } from './issued-key.ts';
import { requireKnownScopes, requireMayIssue } from './issuing-rules.ts';
import { type Ancestry, type KeyFilter, type KeyStore, keyStore } from './key-store.ts';

const shown_chars = api_key_prefix.length + 4;

type ApiKeyDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  store: IdentityStore;
  audit: AuditLog;
  changes: CredentialChanges;
  managed: boolean;
  /** Valid keys that one organization may have. */
  max_keys: number;
};
type Deps = ApiKeyDeps & { keys: KeyStore };
type Owner = { organization_id: string; user_id: string };
/** A key that issues another one, or the fingerprint of the shared key that does. */
type Parent = { id: string } | { shared_key: string } | null;

/** Each generation makes every authentication of the last one read one more row. */
const max_ancestors = 10;

export function apiKeyService(key_deps: ApiKeyDeps) {
  const deps: Deps = { ...key_deps, keys: keyStore(key_deps.db) };
  const issueFor = (context: Context, owner: Owner, input: ApiKeyCreate) =>
    issueWithin(deps, context, owner, input);
  return {
    /** For a device login: the user who approves it has decided on its rights. Part of a larger change. */
    issue: (tx: Transaction, actor: Actor, owner: Owner, input: ApiKeyCreate) =>
      issue(deps, tx, actor, owner, input, null),

    /** The key gets no more rights than the caller's credential, and is valid for no longer. */
    issueFor,

    requireManaged: () => requireManaged(deps),

    async create(context: Context, input: ApiKeyCreate): Promise<NewApiKey> {
      const { identity } = context.caller;
      // The keys of a shared key have no person, and work without managed mode.
      if (identity.organization_id !== nil_uuid) requireManaged(deps);
      return issueFor(context, identity, input);
    },

    list: (context: Context, query: PageRequest) =>
      deps.keys.list(context.organization_id, visibleTo(context.caller), query),

    revoke: (context: Context, id: string) => revoke(deps, context, id),
  };
}
export type ApiKeyService = ReturnType<typeof apiKeyService>;

function requireManaged({ managed }: Deps): void {
  if (managed) return;
  throw new ApiError('not_found', {
    detail: 'Managed mode is off on this server.',
    fix: 'Set PARLEY_MANAGED=on on the server, or use the shared key.',
  });
}

async function issueWithin(
  deps: Deps,
  context: Context,
  owner: Owner,
  input: ApiKeyCreate,
): Promise<NewApiKey> {
  requireKnownScopes(input.scopes ?? []);
  const { scopes = ['*'], grants_consent = false } = input;
  requireMayIssue(context.caller, { scopes, expires_at: expiryOf(input), grants_consent });
  const parent = parentOf(context.caller, owner);
  return deps.db.transaction((tx) => issue(deps, tx, actorOf(context), owner, input, parent));
}

async function issue(
  deps: Deps,
  tx: Transaction,
  actor: Actor,
  owner: Owner,
  input: ApiKeyCreate,
  parent: Parent,
): Promise<NewApiKey> {
  const { organization_id, user_id } = owner;
  const now = deps.clock.now();
  // Locks the organization first, in the same order as the removal of a member.
  const valid_keys = await deps.keys.lockAndCount(tx, organization_id, now);
  const scopes = input.scopes ?? ['*'];
  const expires_at = expiryOf(input);
  await requireMayOwn(deps, tx, owner, scopes);
  if (expires_at && expires_at <= now) {
    throw validationError([
      { path: 'body.expires_at', message: 'Expected a time in the future', code: 'invalid' },
    ]);
  }
  if (valid_keys >= deps.max_keys) {
    throw new ApiError('too_many_keys', {
      detail: `The organization has ${valid_keys} keys; it may have ${deps.max_keys}.`,
    });
  }
  const ancestry = await ancestryOf(deps, tx, organization_id, parent);
  const key = randomToken(api_key_prefix);
  const record: ApiKey = {
    id: deps.ids.next(),
    organization_id,
    user_id,
    parent_key_id: ancestry.ancestor_key_ids[0] ?? null,
    name: input.name,
    start: key.slice(0, shown_chars),
    scopes,
    grants_consent: input.grants_consent ?? false,
    created_at: now.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    last_used_at: null,
  };
  await deps.keys.insert(tx, { ...record, hash: sha256Base64url(key), ...ancestry });
  await deps.audit.write(tx, actor, {
    organization_id,
    action: 'api_key.created',
    object_id: record.id,
    detail: {
      name: record.name,
      scopes: record.scopes,
      user_id,
      ...(record.parent_key_id ? { parent_key_id: record.parent_key_id } : {}),
      ...(record.grants_consent ? { grants_consent: true } : {}),
    },
  });
  return { ...record, key };
}

/**
 * Only within one organization: the keys that an operator's program issues to the people of an organization are theirs, and
 * must not end when that program gets another key.
 */
function parentOf(caller: Caller, owner: Owner): Parent {
  const { credential_kind, credential_id, identity, shared_key_fingerprint } = caller;
  if (shared_key_fingerprint !== undefined && owner.organization_id === nil_uuid)
    return { shared_key: shared_key_fingerprint };
  const id = credential_kind === 'api_key' ? keyOfCredential(credential_id) : null;
  return id !== null && identity.organization_id === owner.organization_id ? { id } : null;
}

async function ancestryOf(
  { keys, clock }: Deps,
  tx: Transaction,
  organization_id: string,
  parent: Parent,
): Promise<Ancestry> {
  if (parent === null) return { ancestor_key_ids: [], issued_with: null };
  if ('shared_key' in parent) return { ancestor_key_ids: [], issued_with: parent.shared_key };
  const ancestry = await keys.lockParent(tx, organization_id, parent.id, clock.now());
  // It was valid when the request came.
  if (!ancestry) throw new ApiError('unauthenticated');
  const ancestors = ancestry.ancestor_key_ids;
  if (ancestors.length > max_ancestors) {
    throw new ApiError('too_many_keys', {
      detail: `The key has ${ancestors.length - 1} ancestors; it may have no more children.`,
      fix: 'Create the key with a key nearer to the first one, or as a person.',
    });
  }
  return ancestry;
}

async function requireMayOwn(
  { store }: Deps,
  tx: Transaction,
  { organization_id, user_id }: Owner,
  scopes: readonly string[],
): Promise<void> {
  if (user_id !== nil_uuid && !(await store.isMember(tx, organization_id, user_id))) {
    throw new ApiError('not_found', { detail: 'This person is not a member of the organization.' });
  }
  // Otherwise the key would get admin rights, without a new decision, once its owner becomes a superadmin.
  if (scopes.includes(admin_scope) && !(await store.isSuperadmin(tx, user_id))) {
    throw validationError([
      { path: 'body.scopes', message: 'admin: the owner of the key is not a superadmin', code: 'invalid' },
    ]);
  }
}

async function revoke(deps: Deps, context: Context, id: string): Promise<undefined> {
  const { organization_id } = context;
  await deps.db.transaction(async (tx) => {
    const deleted = await deps.keys.delete(tx, organization_id, visibleTo(context.caller), id);
    if (deleted.length === 0) throw new ApiError('not_found');
    await deps.changes.write(tx, subjectOf.credential(keyCredential(id)));
    for (const { id: object_id, name, user_id } of deleted) {
      const with_parent = object_id === id ? {} : { with_key_id: id };
      const entry = { organization_id, action: 'api_key.revoked', object_id };
      await deps.audit.write(tx, actorOf(context), { ...entry, detail: { name, user_id, ...with_parent } });
    }
  });
}

/** Members see and revoke only their own keys; a key without a person only itself and its descendants. */
function visibleTo({ role, identity, credential_kind, credential_id }: Caller): KeyFilter {
  if (identity.user_id === nil_uuid)
    return credential_kind === 'api_key' ? { key_id: keyOfCredential(credential_id) } : {};
  return role === 'member' ? { user_id: identity.user_id } : {};
}

const expiryOf = (input: ApiKeyCreate): Date | null => (input.expires_at ? new Date(input.expires_at) : null);

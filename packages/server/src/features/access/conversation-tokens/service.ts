// The rules of conversation tokens: never with more rights than the credential that creates them, and never valid for longer.
import {
  type ConversationRight,
  conversationRights,
} from '@parley/contract/access/credentials/conversation-rights';
import {
  type ConversationToken,
  type ConversationTokenCreate,
  conversation_token_prefix,
  type NewConversationToken,
} from '@parley/contract/access/credentials/conversation-tokens';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import { randomToken, sha256Base64url } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Caller, Context } from '../../../platform/http/context.ts';
import type { Ids } from '../../../platform/ids.ts';
import { type AuditLog, actorOf } from '../audit/index.ts';
import { type CredentialChanges, subjectOf } from '../identity/index.ts';
import { tokenCredential } from './authenticate.ts';
import type { TokenScope } from './scope.ts';
import type { ConversationTokenStore } from './store.ts';

const default_seconds = 3600;

type Deps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  store: ConversationTokenStore;
  scope: Pick<TokenScope, 'load'>;
  changes: Pick<CredentialChanges, 'write'>;
};

export const conversationTokenService = (deps: Deps) => ({
  create: (context: Context, conversation_id: string, input: ConversationTokenCreate) =>
    create(deps, context, conversation_id, input),

  async list(organization_id: string, conversation_id: string) {
    await requireThreads(deps, organization_id, conversation_id);
    return { items: await deps.store.list(organization_id, conversation_id, deps.clock.now()) };
  },

  revoke: (context: Context, params: { conversation_id: string; conversation_token_id: string }) =>
    revoke(deps, context, params),
});
export type ConversationTokenService = ReturnType<typeof conversationTokenService>;

async function requireThreads({ scope }: Deps, organization_id: string, id: string): Promise<void> {
  if ((await scope.load(organization_id, id)).length === 0) throw new ApiError('not_found');
}

async function create(
  deps: Deps,
  context: Context,
  conversation_id: string,
  input: ConversationTokenCreate,
): Promise<NewConversationToken> {
  const { organization_id, caller } = context;
  const { may = [...conversationRights], expires_in_seconds = default_seconds, budget } = input;
  const now = deps.clock.now();
  const expires_at = new Date(now.getTime() + expires_in_seconds * 1000);
  requireRights(caller, may);
  requireShorter(caller, expires_at);
  await requireThreads(deps, organization_id, conversation_id);
  const token = randomToken(conversation_token_prefix);
  const record: ConversationToken = {
    id: deps.ids.next(),
    conversation_id: conversation_id.toLowerCase(),
    may: conversationRights.filter((right) => may.includes(right)),
    budget: budget ? { max_count: budget.max_count, used_count: 0 } : null,
    created_at: now.toISOString(),
    expires_at: expires_at.toISOString(),
  };
  await deps.db.transaction(async (tx) => {
    const valid = await deps.store.lockAndCount(tx, organization_id, conversation_id, now);
    if (valid >= limits.conversation_tokens) {
      throw new ApiError('too_many_keys', {
        detail: `The conversation has ${valid} valid tokens; it may have ${limits.conversation_tokens}.`,
        fix: 'Revoke tokens that are no longer used, or wait until they expire.',
      });
    }
    const { credential_kind: issuer_kind, credential_id: issuer_id, identity } = caller;
    const issued = { issuer_kind, issuer_id, user_id: identity.user_id, hash: sha256Base64url(token) };
    await deps.store.insert(tx, organization_id, { ...record, ...issued });
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'conversation_token.created',
      object_id: record.id,
      detail: { conversation_id, may: record.may, expires_at: record.expires_at },
    });
  });
  return { ...record, token };
}

const scopesFor: Record<ConversationRight, readonly string[]> = {
  read: ['emails:read', 'sms:read', 'calls:read'],
  wait: ['emails:read', 'sms:read', 'calls:read'],
  reply: ['emails:write', 'sms:write'],
};

function requireRights({ scopes }: Caller, may: readonly ConversationRight[]): void {
  if (scopes.includes('*')) return;
  const missing = may.flatMap((right) => scopesFor[right]).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw new ApiError('insufficient_scope', {
    detail: `A token may not have rights that your credential does not have: ${[...new Set(missing)].join(', ')}.`,
  });
}

function requireShorter({ expires_ms }: Caller, expires_at: Date): void {
  if (expires_ms === null || expires_at.getTime() <= expires_ms) return;
  throw new ApiError('outlives_credential', {
    detail: `Your credential expires at ${new Date(expires_ms).toISOString()}; the token must not be valid for longer.`,
  });
}

async function revoke(
  deps: Deps,
  context: Context,
  { conversation_id, conversation_token_id: id }: { conversation_id: string; conversation_token_id: string },
): Promise<undefined> {
  const { organization_id } = context;
  await deps.db.transaction(async (tx) => {
    if (!(await deps.store.delete(tx, organization_id, conversation_id, id))) throw new ApiError('not_found');
    await deps.changes.write(tx, subjectOf.credential(tokenCredential(id)));
    await deps.audit.write(tx, actorOf(context), {
      organization_id,
      action: 'conversation_token.revoked',
      object_id: id,
      detail: { conversation_id },
    });
  });
}

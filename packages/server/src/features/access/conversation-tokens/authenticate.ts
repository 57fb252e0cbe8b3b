// Authenticates conversation tokens: looked up by hash, valid until they expire and while their issuer is valid.
import { conversation_token_prefix } from '@parley/contract/access/credentials/conversation-tokens';
import type { Clock } from '../../../platform/clock.ts';
import { sha256Base64url } from '../../../platform/crypto.ts';
import type { Authenticator, Caller } from '../../../platform/http/context.ts';
import { type CredentialChanges, callerCache, keyCredential, subjectOf } from '../identity/index.ts';
import type { TokenScope } from './scope.ts';
import type { ConversationTokenStore, FoundToken } from './store.ts';

export const tokenCredential = (id: string): string => `token:${id}`;

const callerOf = (token: FoundToken): Caller => ({
  identity: {
    auth_kind: 'conversation_token',
    organization_id: token.organization_id,
    user_id: token.user_id,
    email: null,
    name: 'Conversation token',
    superadmin: false,
  },
  credential_kind: 'conversation_token',
  credential_id: tokenCredential(token.id),
  // Its rights are those of the conversation; see `conversation` of an operation.
  scopes: [],
  expires_ms: token.expires_ms,
  superadmin_withheld: false,
  role: 'member',
  conversation: {
    id: token.conversation_id,
    thread_ids: [],
    token_id: token.id,
    may: token.may,
    expires_ms: token.expires_ms,
    issuer: {
      credential_kind: token.issuer_kind,
      credential_id: token.issuer_id,
      lineage: token.ancestor_key_ids.map(keyCredential),
    },
  },
});

type CachedToken = { caller: Caller; subjects: readonly string[] };

/** The token ends with the credential that created it, and with its ancestors. */
const subjectsOf = (token: FoundToken): readonly string[] => [
  subjectOf.organization(token.organization_id),
  subjectOf.user(token.user_id),
  subjectOf.credential(tokenCredential(token.id)),
  subjectOf.credential(token.issuer_id),
  ...token.ancestor_key_ids.map(keyCredential),
];

export function conversationTokenAuthenticator(deps: {
  store: ConversationTokenStore;
  changes: CredentialChanges;
  clock: Clock;
  scope: TokenScope;
}): Authenticator {
  const cache = callerCache<CachedToken>(deps);
  const callerIfValid = (token: CachedToken | null) =>
    token && token.caller.expires_ms! > deps.clock.ms() ? token.caller : null;
  return (bearer) => {
    if (!bearer.startsWith(conversation_token_prefix)) return null;
    const hash = sha256Base64url(bearer);
    const caller = cache.get(hash, async () => {
      const token = await deps.store.findByHash(hash);
      return token && { caller: callerOf(token), subjects: subjectsOf(token) };
    });
    const valid = caller instanceof Promise ? caller.then(callerIfValid) : callerIfValid(caller);
    return withThreads(deps.scope, valid);
  };
}

/** Its threads are read apart: a conversation gets new ones. */
async function withThreads(
  scope: TokenScope,
  found: Caller | null | Promise<Caller | null>,
): Promise<Caller | null> {
  const caller = await found;
  if (!caller?.conversation) return null;
  const { conversation, identity } = caller;
  const thread_ids = await scope.threads(identity.organization_id!, conversation.id);
  return { ...caller, conversation: { ...conversation, thread_ids } };
}

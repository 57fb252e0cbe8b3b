// Who sends something: the credential of the request, or an agent of the service. Budgets, rules and approvals apply to it.
import type { Identity } from '@parley/contract/access/identity';
import { nil_uuid } from '@parley/contract/limits';
import { type Caller, type CredentialKind, isPerson } from '../../../platform/http/context.ts';

export type Principal = {
  kind: CredentialKind | 'agent';
  /** The credential as logs name it; null for an agent that acts without a request. */
  credential_id: string | null;
  /**
   * The credentials whose budgets and rules apply as well: those that a key descends from; for an agent, those that created
   * or started it.
   */
  lineage?: readonly string[];
  /** The person who owns the key or connected the program. */
  owner_id?: string;
  /** The agent that speaks or writes, if there is one. */
  agent_id: string | null;
  /** Only this conversation may be written in. `token_id`: null for an agent of the service. */
  conversation?: { id: string; token_id: string | null; expires_ms: number | null };
};

export function principalOf(caller: SendingCaller, agent_id: string | null = null): Principal {
  if (caller.credential_kind === 'agent')
    return { kind: 'agent', credential_id: null, agent_id: caller.agent_id, ...lineageOf(caller) };
  const { credential_kind, credential_id, conversation } = caller;
  const owned = ownerOf(caller);
  if (!conversation)
    return { kind: credential_kind, credential_id, ...lineageOf(caller), ...owned, agent_id };
  const { id, token_id, expires_ms, issuer } = conversation;
  const limited = { ...lineageOf(issuer), ...owned, agent_id, conversation: { id, token_id, expires_ms } };
  // The budgets and rules of a key apply to its tokens. The token of a person is a program, which nobody has watched.
  return isPerson(issuer)
    ? { kind: credential_kind, credential_id, ...limited }
    : { kind: issuer.credential_kind, credential_id: issuer.credential_id, ...limited };
}

/** Left out where there is none, because most senders have none and it is stored with what they send. */
const lineageOf = ({ lineage }: { lineage?: readonly string[] }): Pick<Principal, 'lineage'> =>
  lineage && lineage.length > 0 ? { lineage } : {};

const ownerOf = ({ identity }: { identity: Pick<Identity, 'user_id'> }): Pick<Principal, 'owner_id'> =>
  identity.user_id === nil_uuid ? {} : { owner_id: identity.user_id };

/** Every credential whose budgets and rules apply. */
export const credentialsOf = (principal: Principal): readonly string[] => [
  ...(principal.credential_id === null ? [] : [principal.credential_id]),
  ...(principal.lineage ?? []),
];

/** For budgets. */
export const spenderOfPrincipal = (
  principal: Principal | null,
): { credential_ids: readonly string[]; agent_id: string | null } => ({
  credential_ids: principal ? credentialsOf(principal) : [],
  agent_id: principal?.agent_id ?? null,
});

/** An agent that sends with a tool, to the other party or to a destination of its configuration. */
export type AgentSender = {
  credential_kind: 'agent';
  credential_id: null;
  agent_id: string | null;
  lineage: readonly string[];
  conversation?: undefined;
};
export type SendingCaller =
  | Pick<Caller, 'credential_kind' | 'credential_id' | 'lineage' | 'identity' | 'conversation'>
  | AgentSender;

/** `lineage`: the credentials that started the agent's conversation. */
export const agentSender = (agent_id: string | null, lineage: readonly string[] = []): AgentSender => ({
  credential_kind: 'agent',
  credential_id: null,
  agent_id,
  lineage,
});

export const agentPrincipal = (agent_id: string): Principal => ({
  kind: 'agent',
  credential_id: null,
  agent_id,
});

/** An agent that answers messages: the words of a stranger must not choose another recipient. */
export const agentInConversation = (agent_id: string, conversation_id: string): Principal => ({
  ...agentPrincipal(agent_id),
  conversation: { id: conversation_id, token_id: null, expires_ms: null },
});

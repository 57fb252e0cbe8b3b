// Who sends something: the credential of the request, or an agent of the service. Budgets, rules and approvals apply to it.
import { type Caller, type CredentialKind, isPerson } from '../../platform/http/context.ts';

export type Principal = {
  kind: CredentialKind | 'agent';
  /** The credential as logs name it; null for an agent that acts without a request. */
  credential_id: string | null;
  /** The agent that speaks or writes, if there is one. */
  agent_id: string | null;
  /** Only this conversation may be written in. `token_id`: null for an agent of the service. */
  conversation?: { id: string; token_id: string | null; expires_ms: number | null };
};

export function principalOf(caller: SendingCaller, agent_id: string | null = null): Principal {
  if (caller.credential_kind === 'agent')
    return { kind: 'agent', credential_id: null, agent_id: caller.agent_id };
  const { credential_kind, credential_id, conversation } = caller;
  if (!conversation) return { kind: credential_kind, credential_id, agent_id };
  const { id, token_id, expires_ms, issuer } = conversation;
  const limited = { agent_id, conversation: { id, token_id, expires_ms } };
  // The budgets and rules of a key apply to its tokens. The token of a person is a program, which nobody has watched.
  return isPerson(issuer)
    ? { kind: credential_kind, credential_id, ...limited }
    : { kind: issuer.credential_kind, credential_id: issuer.credential_id, ...limited };
}

/** An agent that sends with a tool, to the other party or to a destination of its configuration. */
export type AgentSender = {
  credential_kind: 'agent';
  credential_id: null;
  agent_id: string | null;
  conversation?: undefined;
};
export type SendingCaller = Pick<Caller, 'credential_kind' | 'credential_id' | 'conversation'> | AgentSender;

export const agentSender = (agent_id: string | null): AgentSender => ({
  credential_kind: 'agent',
  credential_id: null,
  agent_id,
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

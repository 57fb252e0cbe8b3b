// Who sends something: the credential of the request, or an agent of the service. Budgets, rules and approvals apply to it.
import type { Caller, CredentialKind } from '../../platform/http/context.ts';

export type Principal = {
  kind: CredentialKind | 'agent';
  /** The credential as logs name it; null for an agent that acts without a request. */
  credential_id: string | null;
  /** The agent that speaks or writes, if there is one. */
  agent_id: string | null;
};

export const principalOf = (
  { credential_kind, credential_id }: Pick<Caller, 'credential_kind' | 'credential_id'>,
  agent_id: string | null = null,
): Principal => ({ kind: credential_kind, credential_id, agent_id });

export const agentPrincipal = (agent_id: string): Principal => ({
  kind: 'agent',
  credential_id: null,
  agent_id,
});

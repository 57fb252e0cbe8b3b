// Who created an agent: what the agent sends counts for the program that did, because it could not send more by itself.
import { nil_uuid } from '@parley/contract/limits';
import { type Caller, isPerson } from '../../../platform/http/context.ts';

/** Null: a person, or the shared key, which has no limits of its own. */
export type AgentCreator = { lineage: readonly string[]; owner_id?: string } | null;

export function creatorOf(caller: Caller): AgentCreator {
  const { credential_kind, credential_id, lineage = [], identity } = caller;
  if (isPerson(caller) || credential_kind === 'shared_key') return null;
  const owner = identity.user_id === nil_uuid ? {} : { owner_id: identity.user_id };
  return { lineage: [credential_id, ...lineage], ...owner };
}

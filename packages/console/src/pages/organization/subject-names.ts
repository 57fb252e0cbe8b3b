// The names of agents, keys, connected apps and members, for budgets and rules.
import { ApiError, type Budget } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { parley } from '../../session/client.ts';
import { facts } from '../../session/facts.ts';
import { useAgents } from '../../state/reads.ts';

export type SubjectKind = Budget['subject']['kind'];
/** By id. */
export type Names = Record<Exclude<SubjectKind, 'organization'>, Map<string, string>>;

const first = { limit: 200 };
/** A credential with few scopes may not read these lists. */
const orNone = (error: unknown) => {
  if (error instanceof ApiError && error.status < 500) return { items: [] };
  throw error;
};

export function useNames(): Names {
  const agents = useAgents();
  const keys = useQuery({
    queryKey: ['keys', 'first'],
    queryFn: async () => (await parley.apiKeys.list(first).then((page) => page, orNone)).items,
  });
  const grants = useQuery({
    queryKey: ['oauth-grants', 'first'],
    queryFn: async () => (await parley.oauthGrants.list(first).then((page) => page, orNone)).items,
    enabled: facts.is_managed,
  });
  return {
    agent: new Map(agents.data?.map(({ id, name }) => [id, name])),
    api_key: new Map(keys.data?.map(({ id, name }) => [id, name])),
    oauth_grant: new Map(grants.data?.map(({ id, client_name }) => [id, client_name ?? 'Unnamed program'])),
  };
}

/** Empty on a server without accounts. */
export const useMemberList = () =>
  useQuery({
    queryKey: ['members', 'first'],
    queryFn: async () => (await parley.members.list(first).then((page) => page, orNone)).items,
    enabled: facts.is_managed,
  });

/** By id. */
export const useMembers = (): Map<string, string> =>
  new Map(useMemberList().data?.map(({ id, name, email }) => [id, name || email]));

const labels = { organization: 'Organization', agent: 'Agent', api_key: 'API key', oauth_grant: 'App' };

export function subjectName({ kind, id }: Budget['subject'], names: Names): string {
  if (kind === 'organization' || id === null) return labels.organization;
  return `${labels[kind]} ${names[kind].get(id) ?? id}`;
}

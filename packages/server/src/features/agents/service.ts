// The rules of agents: defaults, and changes that keep what is left out.
import type { Agent, AgentCreate, AgentPatch } from '@parley/contract/agents';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { agentStore } from './store.ts';

export function agentService(deps: { db: Database; clock: Clock; ids: Ids }) {
  const store = agentStore(deps.db);

  const found = <T>(agent: T | null): T => {
    if (!agent) throw new ApiError('not_found');
    return agent;
  };

  return {
    async create(organization_id: string, given: AgentCreate): Promise<Agent> {
      const now = deps.clock.now().toISOString();
      const agent: Agent = {
        id: deps.ids.next(),
        organization_id,
        name: given.name,
        system_prompt: given.system_prompt ?? null,
        first_message: given.first_message ?? null,
        language: given.language ?? 'en',
        voice: given.voice ?? null,
        llm_model: given.llm_model ?? null,
        tools: given.tools ?? [],
        max_duration_seconds: given.max_duration_seconds ?? 600,
        ai_disclosure: given.ai_disclosure ?? true,
        created_at: now,
        updated_at: now,
      };
      await store.insert(organization_id, agent);
      return agent;
    },

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<Agent> =>
      found(await store.find(organization_id, id)),

    /** The same for other features, which decide themselves what a missing agent means. */
    find: (organization_id: string, id: string): Promise<Agent | null> => store.find(organization_id, id),

    update: (organization_id: string, id: string, patch: AgentPatch): Promise<Agent> =>
      deps.db.transaction(async (tx) => {
        const before = found(await store.lock(tx, organization_id, id));
        const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
        const after: Agent = { ...before, ...given, updated_at: deps.clock.now().toISOString() };
        await store.replace(tx, organization_id, after);
        return after;
      }),

    async delete(organization_id: string, id: string): Promise<undefined> {
      found((await store.delete(organization_id, id)) || null);
    },
  };
}
export type AgentService = ReturnType<typeof agentService>;

// The rules of agents: default values, and updates that keep the fields left out.
import type { Agent, AgentCreate, AgentPatch } from '@parley/contract/agents';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { agentStore } from './store.ts';

export function agentService(deps: { db: Database; clock: Clock; ids: Ids }) {
  const store = agentStore(deps.db);

  const orNotFound = <T>(agent: T | null): T => {
    if (!agent) throw new ApiError('not_found');
    return agent;
  };

  return {
    async create(organization_id: string, request: AgentCreate): Promise<Agent> {
      const now = deps.clock.now().toISOString();
      const agent: Agent = {
        id: deps.ids.next(),
        organization_id,
        name: request.name,
        system_prompt: request.system_prompt ?? null,
        first_message: request.first_message ?? null,
        language: request.language ?? 'en',
        voice: request.voice ?? null,
        llm_model: request.llm_model ?? null,
        tools: request.tools ?? [],
        max_duration_seconds: request.max_duration_seconds ?? 600,
        ai_disclosure: request.ai_disclosure ?? true,
        created_at: now,
        updated_at: now,
      };
      await store.insert(organization_id, agent);
      return agent;
    },

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<Agent> =>
      orNotFound(await store.find(organization_id, id)),

    /** Null when there is no such agent: for other features, which have an error of their own for it. */
    find: (organization_id: string, id: string): Promise<Agent | null> => store.find(organization_id, id),

    update: (organization_id: string, id: string, patch: AgentPatch): Promise<Agent> =>
      deps.db.transaction(async (tx) => {
        const before = orNotFound(await store.lock(tx, organization_id, id));
        const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
        const after: Agent = { ...before, ...changes, updated_at: deps.clock.now().toISOString() };
        await store.replace(tx, organization_id, after);
        return after;
      }),

    async delete(organization_id: string, id: string): Promise<undefined> {
      orNotFound((await store.delete(organization_id, id)) || null);
    },
  };
}
export type AgentService = ReturnType<typeof agentService>;

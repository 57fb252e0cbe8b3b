// The rules of agents: default values, and updates that keep the fields left out.
import {
  completeDestination,
  completeEngines,
  completeLimits,
  completeMessaging,
  completeVoicemail,
  default_tools,
} from '@parley/contract/agents/agent-defaults';
import type { Agent, AgentCreate, AgentPatch } from '@parley/contract/agents/agents';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import { type AgentRuleDeps, type AgentRules, agentRules } from './agent-rules.ts';
import { requireVariables, type TemplateText, textsOf } from './agent-texts.ts';
import type { AgentCreator } from './creator.ts';
import { openRelaySecret, sealRelaySecret, splitRelay } from './relay-secret.ts';
import { agentStore } from './store.ts';

const creator_age_ms = 60_000;
const max_creators = 10_000;

export type AgentServiceDeps = AgentRuleDeps & {
  db: Database;
  clock: Clock;
  ids: Ids;
  sealer: Sealer;
  /** Which addresses a relay may have. */
  target_policy: AddressPolicy;
};

export function agentService(deps: AgentServiceDeps) {
  const store = agentStore(deps.db, deps.clock);
  const rules = agentRules(deps);
  const creators = keyedTtlCache<AgentCreator>({ max_age_ms: creator_age_ms, max_entries: max_creators });

  return {
    /** `creator`: the program that creates it; null for a person. */
    async create(organization_id: string, request: AgentCreate, creator: AgentCreator): Promise<Agent> {
      const split = splitRelay(request.engines, { policy: deps.target_policy, has_secret: false });
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
        tools: request.tools ?? [...default_tools],
        max_duration_seconds: request.max_duration_seconds ?? 600,
        ai_disclosure: request.ai_disclosure ?? true,
        version: 1,
        timezone: request.timezone ?? 'UTC',
        variables: request.variables ?? {},
        engines: completeEngines(split.engines),
        destinations: (request.destinations ?? []).map(completeDestination),
        limits: completeLimits(request.limits),
        voicemail: completeVoicemail(request.voicemail),
        result_schema: request.result_schema ?? null,
        success_criteria: request.success_criteria ?? null,
        summarize: request.summarize ?? true,
        messaging: completeMessaging(request.messaging),
        paused_until: null,
        paused_reason: null,
        created_at: now,
        updated_at: now,
      };
      const { engines, destinations, tools, messaging } = agent;
      await rules.check(organization_id, { engines, destinations, tools, messaging }, agent);
      const sealed = split.secret && sealRelaySecret(deps.sealer, organization_id, agent.id, split.secret);
      await store.insert(organization_id, agent, sealed, creator);
      return agent;
    },

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<Agent> =>
      orNotFound(await store.find(organization_id, id)),

    /** Null when there is no such agent: for other features, which have an error of their own for it. */
    find: (organization_id: string, id: string): Promise<Agent | null> => store.find(organization_id, id),

    /** Null when the agent has no relay. */
    relaySecret: async (organization_id: string, id: string): Promise<string | null> =>
      openRelaySecret(deps.sealer, organization_id, id, await store.relaySecret(organization_id, id)),

    /** It never changes, so it is remembered for long. */
    creatorOf: (organization_id: string, id: string): AgentCreator | Promise<AgentCreator> =>
      creators.get(`${organization_id} ${id}`, () => store.creatorOf(organization_id, id)),

    /** Calls check the fields with which they override an agent. */
    rules,

    /** Throws when the agent cannot answer by itself: then nobody would give it values for its variables. */
    checkInbound: (agent: Agent): Promise<void> => checkInbound(rules, agent, () => 'agent'),

    update: (organization_id: string, id: string, patch: AgentPatch): Promise<Agent> =>
      updateAgent({ ...deps, store, rules }, organization_id, id, patch),

    async delete(organization_id: string, id: string): Promise<undefined> {
      orNotFound((await store.delete(organization_id, id)) || null);
    },
  };
}

function orNotFound<T>(agent: T | null): T {
  if (!agent) throw new ApiError('not_found');
  return agent;
}

type UpdateDeps = AgentServiceDeps & { store: ReturnType<typeof agentStore>; rules: AgentRules };

async function updateAgent(
  deps: UpdateDeps,
  organization_id: string,
  id: string,
  patch: AgentPatch,
): Promise<Agent> {
  for (;;) {
    const before = orNotFound(await deps.store.find(organization_id, id));
    const change = await checkedChange(deps, before, patch);
    const after = await storeChange(deps, before, change);
    if (after) return after;
  }
}

type CheckedChange = { after: Agent; secret: string | null; tool_texts: TemplateText[] };

/** Outside of a transaction: the checks read the database, and each of many updates would wait for a second connection. */
async function checkedChange(deps: UpdateDeps, before: Agent, patch: AgentPatch): Promise<CheckedChange> {
  const policy = deps.target_policy;
  const split = splitRelay(patch.engines, { policy, has_secret: before.engines.relay !== null });
  const changes = { ...patch, engines: split.engines };
  const after = patched(before, changes, deps.clock.now().toISOString());
  splitRelay(after.engines, { policy, has_secret: true });
  const given = {
    engines: patch.engines && after.engines,
    destinations: patch.destinations && after.destinations,
    tools: patch.tools,
    messaging: patch.messaging && after.messaging,
  };
  await deps.rules.check(before.organization_id, given, after);
  const tool_texts = await deps.rules.toolTexts(before.organization_id, after.tools);
  return { after, secret: split.secret, tool_texts };
}

/** Null when the agent was changed since `before` was read. */
function storeChange(
  { db, store, sealer }: UpdateDeps,
  { organization_id, id, version }: Agent,
  { after, secret, tool_texts }: CheckedChange,
): Promise<Agent | null> {
  return db.transaction(async (tx) => {
    const locked = orNotFound(await store.lock(tx, organization_id, id));
    if (locked.version !== version) return null;
    if (await store.answersNumbers(tx, organization_id, id))
      requireVariables([...textsOf(after, () => 'body'), ...tool_texts], after.variables);
    await store.replace(tx, organization_id, after);
    if (secret) {
      const sealed = sealRelaySecret(sealer, organization_id, id, secret);
      await store.setRelaySecret(tx, organization_id, id, sealed);
    }
    return after;
  });
}

async function checkInbound(rules: AgentRules, agent: Agent, rootOf: () => string): Promise<void> {
  const tool_texts = await rules.toolTexts(agent.organization_id, agent.tools);
  requireVariables([...textsOf(agent, rootOf), ...tool_texts], agent.variables);
}

function patched(before: Agent, patch: AgentPatch, updated_at: string): Agent {
  const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return {
    ...before,
    ...changes,
    version: before.version + 1,
    engines: completeEngines(patch.engines, before.engines),
    destinations: patch.destinations?.map(completeDestination) ?? before.destinations,
    limits: completeLimits(patch.limits, before.limits),
    voicemail: completeVoicemail(patch.voicemail, before.voicemail),
    messaging: completeMessaging(patch.messaging, before.messaging),
    updated_at,
  };
}

export type AgentService = ReturnType<typeof agentService>;

// What an agent or a call may name: providers that are set, numbers that can be called, tools that can work.

import { type ProviderLayer, providerLayers } from '@parley/contract/access/providers';
import type {
  AgentDestination,
  AgentEngines,
  AgentMessaging,
  AgentToolEntry,
} from '@parley/contract/agents/agent-fields';
import { limits } from '@parley/contract/limits';
import { ApiError, type FieldProblem, validationError } from '../../../platform/http/api-error.ts';
import type { TemplateText } from './agent-texts.ts';

/** What rules need from other features. */
export type AgentRuleDeps = {
  /** Whether a number can be called at all; whether this server may call it is decided at each transfer. */
  readNumber(e164: string): { ok: true } | { ok: false; reason: string };
  isProviderSet(organization_id: string, layer: ProviderLayer, provider: string): Promise<boolean>;
  /** About the entries of a list that name stored tools and MCP servers. */
  toolFacts(organization_id: string, entries: readonly AgentToolEntry[]): Promise<ToolFact[]>;
};

export type ToolFact = {
  /** Of the entry in the list. */
  index: number;
  missing: 'tool_not_found' | 'mcp_server_not_found' | null;
  /** What the model would see. */
  names: readonly string[];
  schema_bytes: number;
  /** Texts that may contain {{name}}. */
  texts: readonly TemplateText[];
};

export type RuledFields = {
  engines?: AgentEngines | undefined;
  destinations?: readonly AgentDestination[] | undefined;
  tools?: readonly AgentToolEntry[] | undefined;
  messaging?: AgentMessaging | undefined;
};

type Complete = {
  engines: AgentEngines;
  destinations: readonly AgentDestination[];
  tools: readonly AgentToolEntry[];
  /** Calls have none. */
  messaging?: AgentMessaging | undefined;
};

export type AgentRules = ReturnType<typeof agentRules>;

export function agentRules(deps: AgentRuleDeps) {
  return {
    /** Checks what a request gives; `all` has the same fields as they are after the request. */
    async check(organization_id: string, given: RuledFields, all: Complete): Promise<void> {
      if (given.engines) await checkEngines(deps, organization_id, given.engines);
      if (given.destinations) checkNumbers(deps, given.destinations);
      if (given.tools || given.destinations) checkTransfer(all);
      if (given.engines || given.destinations) checkRelayTransfer(all);
      if (given.messaging || given.destinations) checkHandOver(all);
      if (given.tools) checkTools(given.tools, await deps.toolFacts(organization_id, given.tools));
    },

    /** Texts of stored tools that may contain {{name}}. */
    async toolTexts(organization_id: string, tools: readonly AgentToolEntry[]): Promise<TemplateText[]> {
      if (!tools.some(({ type }) => type === 'tool')) return [];
      return (await deps.toolFacts(organization_id, tools)).flatMap(({ texts }) => texts);
    },
  };
}

type NamedEntry = Pick<ToolFact, 'index' | 'names' | 'schema_bytes'>;

/** Every entry exists, every name the model sees is used once, and the schemas fit into its context. */
function checkTools(tools: readonly AgentToolEntry[], facts: readonly ToolFact[]): void {
  const missing = facts.filter((fact) => fact.missing !== null);
  const [first] = missing;
  if (first) {
    const message = 'The organization has no such record';
    throw new ApiError(first.missing!, {
      errors: missing.map(({ index }) => ({ path: `body.tools[${index}]`, message, code: 'invalid_value' })),
    });
  }
  const of_client = tools.flatMap((tool, index): NamedEntry[] =>
    tool.type === 'client'
      ? [{ index, names: [tool.name], schema_bytes: JSON.stringify(tool.parameters).length }]
      : [],
  );
  const named: NamedEntry[] = [...facts, ...of_client].sort((a, b) => a.index - b.index);
  const problems = [...sizeProblems(tools.length, named), ...nameProblems(named)];
  if (problems.length > 0) throw validationError(problems);
}

function nameProblems(named: readonly NamedEntry[]): FieldProblem[] {
  const seen = new Set<string>();
  return named.flatMap(({ index, names }): FieldProblem[] => {
    const repeated_name = names.find((name) => seen.has(name));
    for (const name of names) seen.add(name);
    const message = `Another tool is named ${repeated_name}`;
    return repeated_name === undefined ? [] : [{ path: `body.tools[${index}]`, message, code: 'invalid' }];
  });
}

function sizeProblems(entries: number, named: readonly NamedEntry[]): FieldProblem[] {
  const { agent_tool_names, agent_tool_schemas_bytes } = limits;
  const count = entries - named.length + named.flatMap(({ names }) => names).length;
  const bytes = named.reduce((sum, { schema_bytes }) => sum + schema_bytes, 0);
  const tooLarge = (message: string): FieldProblem => ({ path: 'body.tools', message, code: 'too_large' });
  return [
    ...(count > agent_tool_names ? [tooLarge(`Expected at most ${agent_tool_names} tools in all`)] : []),
    ...(bytes > agent_tool_schemas_bytes
      ? [tooLarge(`The schemas together may have ${agent_tool_schemas_bytes} bytes`)]
      : []),
  ];
}

async function checkEngines(
  { isProviderSet }: AgentRuleDeps,
  organization_id: string,
  engines: AgentEngines,
): Promise<void> {
  const problems: FieldProblem[] = [];
  for (const layer of providerLayers) {
    const provider = engines[layer]?.provider;
    if (provider === undefined || (await isProviderSet(organization_id, layer, provider))) continue;
    const message = `The organization has not set ${provider} for ${layer}`;
    problems.push({ path: `body.engines.${layer}.provider`, message, code: 'invalid_value' });
  }
  const [first] = problems;
  if (first)
    throw new ApiError('provider_not_configured', {
      detail: `${first.path}: ${first.message}`,
      errors: problems,
    });
}

function checkNumbers({ readNumber }: AgentRuleDeps, destinations: readonly AgentDestination[]): void {
  const problems = destinations.flatMap(({ phone }, index): FieldProblem[] => {
    const reading = phone === null ? null : readNumber(phone);
    if (!reading || reading.ok) return [];
    return [{ path: `body.destinations[${index}].phone`, message: reading.reason, code: 'invalid_value' }];
  });
  const [first] = problems;
  if (first)
    throw new ApiError('destination_not_allowed', {
      detail: `${first.path}: ${first.message}`,
      errors: problems,
    });
}

function checkRelayTransfer({ engines, destinations }: Complete): void {
  const wanted = engines.relay?.on_end?.transfer ?? null;
  if (wanted === null || destinations.some(({ name, phone }) => name === wanted && phone !== null)) return;
  const message = 'Expected the name of a destination with a phone number';
  throw validationError([{ path: 'body.engines.relay.on_end.transfer', message, code: 'invalid' }]);
}

function checkHandOver({ messaging, destinations }: Complete): void {
  const wanted = messaging?.hand_over_to ?? null;
  if (wanted === null || destinations.some(({ name, email }) => name === wanted && email !== null)) return;
  const message = 'Expected the name of a destination with an email address';
  throw validationError([{ path: 'body.messaging.hand_over_to', message, code: 'invalid' }]);
}

function checkTransfer(all: Complete): void {
  const index = all.tools.findIndex(({ type }) => type === 'transfer_call');
  if (index < 0 || all.destinations.some(({ phone }) => phone !== null)) return;
  const message = 'transfer_call needs a destination with a phone number';
  throw validationError([{ path: `body.tools[${index}]`, message, code: 'invalid' }]);
}

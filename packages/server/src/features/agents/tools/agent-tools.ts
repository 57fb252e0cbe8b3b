// The HTTP tools of an agent as its runtime uses them.

import { completeSpeech } from '@parley/contract/agents/agent-defaults';
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import { validateValue } from '@parley/contract/schema/subset/schema-subset';
import { renderJson, type TemplateValues } from '@parley/contract/schema/templates';
import type { Clock, MovableClock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import type { AgentTool, ToolContext, ToolOutcome } from '../runtime/index.ts';
import type { AgentPool } from './agent-pool.ts';
import { callOverHttp, invalidArguments } from './http-call.ts';
import { openHeaders, signingKeys } from './secrets.ts';
import type { StoredTool, ToolStore } from './store.ts';

export type ToolServiceDeps = {
  db: Database;
  clock: MovableClock;
  /** Decides when a replaced secret expires. */
  expiry_clock: Clock;
  ids: Ids;
  sealer: Sealer;
  audit: AuditLog;
  policy: AddressPolicy;
  store: ToolStore;
  pool: AgentPool;
};

/** On a call nobody waits longer in silence. */
const max_call_timeout_ms = 20_000;

/** Entries whose tool was deleted are left out. */
export const toolsFor =
  (deps: ToolServiceDeps) =>
  async (
    entries: readonly AgentToolEntry[],
    context: ToolContext,
    variables: TemplateValues,
  ): Promise<AgentTool[]> => {
    const ids = entries.flatMap((entry) => (entry.type === 'tool' ? [entry.tool_id] : []));
    if (ids.length === 0) return [];
    const stored = await deps.store.sealed(context.organization_id, ids);
    const by_id = new Map(stored.map((tool) => [tool.id, tool]));
    return ids.flatMap((id) => {
      const tool = by_id.get(id);
      return tool ? [agentTool(deps, tool, context, variables)] : [];
    });
  };

function agentTool(
  deps: ToolServiceDeps,
  tool: StoredTool,
  context: ToolContext,
  variables: TemplateValues,
): AgentTool {
  const { name, description, parameters, effect, redact } = tool;
  const timeout_ms =
    context.channel === 'call' ? Math.min(tool.timeout_ms, max_call_timeout_ms) : tool.timeout_ms;
  const speech = completeSpeech(tool.speech);
  return {
    name,
    description,
    parameters,
    kind: 'http',
    effect,
    timeout_ms,
    speech: speech && (renderJson(speech, variables) as typeof speech),
    redact,
    runs_alone: false,
    approval: tool.approval,
    identity: `${tool.id} ${tool.url} ${JSON.stringify(tool.fixed)}`,
    run: (request) => runHttpTool(deps, tool, { ...request, context, variables, timeout_ms }),
  };
}

/** Checks the arguments of the model, adds the fixed ones and makes one request. */
export async function runHttpTool(
  { sealer, pool, clock, expiry_clock }: ToolServiceDeps,
  tool: StoredTool,
  run: {
    tool_call_id: string;
    arguments: Record<string, unknown>;
    context: ToolContext | null;
    variables: TemplateValues;
    timeout_ms: number;
    signal: AbortSignal;
  },
): Promise<ToolOutcome> {
  const problems = validateValue(tool.parameters, run.arguments);
  if (problems.length > 0) return invalidArguments(problems);
  const { organization_id, name, url } = tool;
  const fixed = renderJson(tool.fixed, run.variables) as Record<string, unknown>;
  return callOverHttp(
    { agent: pool.of(organization_id), clock },
    {
      tool_call_id: run.tool_call_id,
      name,
      url,
      headers: openHeaders(sealer, tool),
      keys: signingKeys(sealer, tool, expiry_clock.now()),
      arguments: { ...run.arguments, ...fixed },
      context: run.context,
      organization_id,
      timeout_ms: run.timeout_ms,
      signal: run.signal,
    },
  );
}

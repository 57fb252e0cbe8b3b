// The tools of MCP servers as the runtime of an agent uses them.
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import { type AgentTool, hideSecrets, type ToolContext, type ToolRequest } from '../runtime/index.ts';
import { type CallAnswer, failureOutcome, outcomeOf } from './call-outcome.ts';
import { callTool } from './mcp-client.ts';
import { type RefreshDeps, targetOf } from './refresh.ts';
import type { StoredServer } from './store.ts';
import { type UsableTool, usableTools } from './tool-list.ts';

/** On a call nobody waits longer in silence. */
const max_call_timeout_ms = 20_000;

/** Uses the stored definitions; servers that were deleted and tools that are not allowed are left out. */
export const mcpToolsFor =
  (deps: RefreshDeps) =>
  async (entries: readonly AgentToolEntry[], context: ToolContext): Promise<AgentTool[]> => {
    const ids = entries.flatMap((entry) => (entry.type === 'mcp' ? [entry.server_id] : []));
    if (ids.length === 0) return [];
    const by_id = new Map(
      (await deps.store.findAll(context.organization_id, ids)).map((each) => [each.id, each]),
    );
    return entries.flatMap((entry) => {
      const server = entry.type === 'mcp' ? by_id.get(entry.server_id) : undefined;
      if (entry.type !== 'mcp' || !server) return [];
      return usableTools(server, entry.only).map((tool) => agentTool(deps, server, tool, context));
    });
  };

function agentTool(
  deps: RefreshDeps,
  server: StoredServer,
  tool: UsableTool,
  { channel }: ToolContext,
): AgentTool {
  const timeout_ms =
    channel === 'call' ? Math.min(server.timeout_ms, max_call_timeout_ms) : server.timeout_ms;
  return {
    name: tool.model_name,
    description: tool.description,
    // The server checks the arguments: its schema may use more than the part that we can check.
    parameters: tool.input_schema,
    kind: 'mcp',
    effect: tool.effect,
    timeout_ms,
    speech: null,
    redact: [],
    runs_alone: false,
    approval: tool.approval,
    identity: `${server.id} ${server.url} ${tool.hash}`,
    async run({ arguments: input, signal: ended }: ToolRequest) {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(timeout_ms)]);
      const target = targetOf(deps, server);
      try {
        const call = { tool, arguments: input, timeout_ms, signal };
        const answer = (await callTool(target, server.discovery, call)) as CallAnswer;
        return hideSecrets(outcomeOf(answer), target.headers);
      } catch (error) {
        return hideSecrets(failureOutcome(error, signal), target.headers);
      }
    },
  };
}

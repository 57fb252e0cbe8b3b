// Builds the tools that organizations give to their agents, and the runtime in which agents use them.
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import { mcpServerFeature } from '../features/agents/mcp-servers/index.ts';
import { agentRuntimeFeature } from '../features/agents/runtime/index.ts';
import { toolFeature } from '../features/agents/tools/index.ts';
import { agentMessages } from '../features/channels/message-agents/message-sender.ts';
import type { Base } from './events.ts';
import type { Parts, TenancyParts } from './parts.ts';

export function buildAgentTools(base: Base, { audit, consents, approvals }: TenancyParts, parts: Parts) {
  const deps = { ...base, audit: audit.log, policy: base.target_policy };
  const tools = toolFeature(deps);
  const mcp_servers = mcpServerFeature({
    ...deps,
    ownAddresses: () => [base.baseUrl(), base.mcp()?.url].filter((address) => address !== undefined),
  });
  const agent_runtime = agentRuntimeFeature({
    ...base,
    messages: agentMessages(parts),
    revocations: consents.revocations,
    tool_sources: [tools.toolsFor, mcp_servers.toolsFor],
    approvals: {
      ...approvals.tools,
      async request(tx, request) {
        const { organization_id, agent_id } = request;
        const requester =
          agent_id === null ? null : await parts.agents.service.creatorOf(organization_id, agent_id);
        return approvals.tools.request(tx, { ...request, requester });
      },
      withdraw: approvals.withdraw,
    },
  });
  return {
    tools,
    mcp_servers,
    agent_runtime,
    /** For the rules of agents. */
    async toolFacts(organization_id: string, entries: readonly AgentToolEntry[]) {
      const facts = [tools.facts(organization_id, entries), mcp_servers.facts(organization_id, entries)];
      return (await Promise.all(facts)).flat();
    },
  };
}

// Builds the wing agents: stored agents, the tools that organizations give them, and the runtime in which they use them.
import { agentFeature } from '../features/agents/agents/index.ts';
import { mcpServerFeature } from '../features/agents/mcp-servers/index.ts';
import { agentRuntimeFeature } from '../features/agents/runtime/index.ts';
import { toolFeature } from '../features/agents/tools/index.ts';
import { readNumber } from '../features/rules/admission/index.ts';
import type { Access } from './access.ts';
import type { Rules } from './rules.ts';
import type { Service } from './service.ts';

export function agentsWing(on: Service, { audit, providers, consents, approvals }: Access & Rules) {
  const egress = { ...on, audit: audit.log, policy: on.target_policy };
  const tools = toolFeature(egress);
  const mcp_servers = mcpServerFeature({
    ...egress,
    ownAddresses: () => [on.baseUrl(), on.mcp()?.url].filter((address) => address !== undefined),
  });
  const agents = agentFeature({
    ...on,
    readNumber,
    isProviderSet: providers.service.isSet,
    async toolFacts(organization_id, entries) {
      const facts = [tools.facts(organization_id, entries), mcp_servers.facts(organization_id, entries)];
      return (await Promise.all(facts)).flat();
    },
  });
  const agent_runtime = agentRuntimeFeature({
    ...on,
    messages: on.late.messages,
    revocations: consents.revocations,
    tool_sources: [tools.toolsFor, mcp_servers.toolsFor],
    approvals: {
      ...approvals.tools,
      async request(tx, request) {
        const { organization_id, agent_id } = request;
        const requester =
          agent_id === null ? null : await agents.service.creatorOf(organization_id, agent_id);
        return approvals.tools.request(tx, { ...request, requester });
      },
      withdraw: approvals.withdraw,
    },
  });
  return { tools, mcp_servers, agents, agent_runtime };
}
export type Agents = ReturnType<typeof agentsWing>;

// One set of connections for each organization, so that slow endpoints of one organization cannot delay those of another.
import type { Agent } from 'undici';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { guardedAgent } from '../../../platform/egress/guarded-agent.ts';

const connections_per_organization = 16;
/** Organizations that used their tools last keep their connections; the others connect again. */
const max_organizations = 200;

export type AgentPool = ReturnType<typeof guardedAgentPool>;

export function guardedAgentPool(policy: AddressPolicy) {
  const agents = new Map<string, Agent>();
  return {
    of(organization_id: string): Agent {
      const agent =
        agents.get(organization_id) ??
        guardedAgent({ policy, connections_per_origin: connections_per_organization });
      // Deleted and added again: the first entry is the one that was not used for the longest time.
      agents.delete(organization_id);
      agents.set(organization_id, agent);
      if (agents.size > max_organizations) {
        const [oldest, idle] = agents.entries().next().value!;
        agents.delete(oldest);
        // Requests that are under way are finished first.
        void idle.close();
      }
      return agent;
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

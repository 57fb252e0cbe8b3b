// What an agent sends counts for the program that created it as well: otherwise a limited key could send through an agent.
import type { AdmissionRequest, Stage } from './admission.ts';
import type { Admit } from './admit.ts';

/** Who created an agent: the program with its lineage, and the person who owns it; null when a person created it. */
export type AgentCreator = { lineage: readonly string[]; owner_id?: string } | null;
export type AgentCreators = {
  creatorOf(organization_id: string, agent_id: string): AgentCreator | Promise<AgentCreator>;
};

export function withAgentLineage(agents: AgentCreators, admit: Admit): Admit {
  const run = async (stage: Stage, request: AdmissionRequest) => {
    const { organization_id } = request;
    const principal = request.principal ?? request.terms?.principal ?? null;
    const is_agent = organization_id !== null && principal?.kind === 'agent' && principal.agent_id !== null;
    const creator = is_agent ? await agents.creatorOf(organization_id, principal.agent_id!) : null;
    const judged = creator
      ? {
          ...request,
          principal: {
            ...principal!,
            ...creator,
            lineage: [...new Set([...(principal!.lineage ?? []), ...creator.lineage])],
          },
        }
      : request;
    return stage === 'create' ? admit(stage, judged) : admit(stage, judged);
  };
  return run as Admit;
}

// Agents: stored settings (prompt, voice, language, tools) with which an AI speaks on a call or answers a text.
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { agentRoutes } from './routes.ts';
import { agentService } from './service.ts';

export type { ToolFact } from './agent-rules.ts';
export { requireVariables, type TemplateText, textsOf } from './agent-texts.ts';
export type { AnswerRequest, RequestAnswer } from './answer-request.ts';
export { splitRelay } from './relay-secret.ts';
export { type ConversationFacts, reservedValues } from './reserved-values.ts';
export type { AgentService } from './service.ts';
export { pauseAgent } from './store.ts';

export const agent_sealed_columns: readonly SealedColumn[] = [
  { table: 'agents', column: 'relay_secret_sealed' },
];

export function agentFeature(deps: Parameters<typeof agentService>[0]) {
  const service = agentService(deps);
  return { service, routes: [agentRoutes(service)] };
}

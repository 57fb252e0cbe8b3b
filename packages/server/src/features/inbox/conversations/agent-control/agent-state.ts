// Who answers in a conversation: its agent, a person, or no one while the agent is paused.
import type { AgentState } from '@parley/contract/inbox/conversations';
import type { ConversationRow } from '../projection/conversation-row.ts';

export type AgentControl = Pick<
  ConversationRow,
  'assignee_kind' | 'assignee_id' | 'agent_paused_until' | 'is_with_human'
>;

export function agentState(
  { assignee_kind, agent_paused_until, is_with_human }: AgentControl,
  now: Date,
): AgentState {
  if (is_with_human || assignee_kind === 'member') return 'human';
  return agent_paused_until !== null && new Date(agent_paused_until) > now ? 'paused' : 'agent';
}

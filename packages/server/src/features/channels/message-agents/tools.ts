// The built-in tools of agents that answer texts and emails: give the conversation to a person, or finish it.
import type { Transaction } from '../../../platform/db/database.ts';
import type { AgentTool, ToolOutcome } from '../../agents/runtime/index.ts';
import type { AgentControl } from '../../inbox/conversations/index.ts';
import type { Task } from './guards.ts';

const common = {
  kind: 'built_in',
  effect: 'act',
  timeout_ms: 10_000,
  speech: null,
  redact: [],
  runs_alone: true,
} as const satisfies Partial<AgentTool>;

const max_reason_chars = 300;

export type ConversationToolDeps = {
  control: AgentControl;
  /** In the transaction that gives the conversation to a person. */
  handedOver(tx: Transaction, task: Task, reason: string): Promise<void>;
  /** In the transaction that closes the conversation. */
  finished(tx: Transaction, task: Task, conversation_id: string): Promise<void>;
};

export function conversationTools(
  { control, handedOver, finished }: ConversationToolDeps,
  task: Task,
): AgentTool[] {
  const { agent, received, thread } = task;
  const { organization_id } = received;
  const ref = thread && { organization_id, id: thread.conversation_id };
  const types = new Set(agent.tools.map(({ type }) => type));
  const settle = async (work: (of: NonNullable<typeof ref>) => Promise<void>): Promise<ToolOutcome> => {
    if (!ref)
      return { outcome: 'failed', error: 'unreachable', detail: 'The conversation does not exist yet.' };
    await work(ref);
    return { outcome: 'done', content: 'done' };
  };
  const tools: AgentTool[] = [
    {
      ...common,
      name: 'hand_to_human',
      description: 'Give this conversation to a person. Nothing that you write is sent any more.',
      parameters: {
        type: 'object',
        properties: {
          reason: { type: 'string', description: 'Why, in one sentence.', maxLength: max_reason_chars },
        },
        required: ['reason'],
        additionalProperties: false,
      },
      run({ arguments: input }) {
        const reason = String(input.reason ?? '').slice(0, max_reason_chars);
        const by = { agent_id: agent.id, reason };
        return settle((of) => control.giveToHuman(of, by, (tx) => handedOver(tx, task, reason)));
      },
    },
    {
      ...common,
      name: 'finish',
      description: 'Close this conversation, because nothing is left to do. Write your last words before.',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      run: () => settle((of) => control.close(of, (tx) => finished(tx, task, of.id))),
    },
  ];
  return tools.filter(({ name }) => types.has(name as 'finish'));
}

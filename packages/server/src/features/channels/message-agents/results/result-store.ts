// The SQL of results of conversations.
import {
  type ConversationResultStatus,
  conversationResultLifecycle,
} from '@parley/contract/inbox/conversation-results';
import type { Database, Row, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { table } from '../../../../platform/db/table.ts';
import type { Mover } from '../../../../platform/lifecycle.ts';
import { insert } from '../../../../platform/unit-of-work/unit-of-work.ts';
import { conversationResultColumns } from '../../../inbox/conversations/index.ts';

export type ResultRef = { organization_id: string; id: string };
export type NewResult = ResultRef & {
  conversation_id: string;
  agent_id: string;
  channel: 'sms' | 'email';
  message_id: string;
  own: string;
  status: ConversationResultStatus;
  requested_at: string;
};
export type UsedTool = { name: string; status: string; detail: string | null };

const conversation_results = table<'conversation_results', NewResult, typeof conversationResultLifecycle>(
  'conversation_results',
  {
    organization_id: 'uuid',
    id: 'uuid',
    conversation_id: 'uuid',
    agent_id: 'uuid',
    channel: 'text',
    message_id: 'uuid',
    own: 'text',
    status: 'text',
    requested_at: 'timestamptz',
  },
  { lifecycle: conversationResultLifecycle },
);
export const newResult = (row: NewResult) => insert(conversation_results, row);

const tool_chars = 200;
const max_tool_calls = 20;

export const resultStore = (db: Database, mover: Mover) => ({
  /** Null when it is settled. */
  pending: ({ organization_id, id }: ResultRef) =>
    db.maybe<Omit<NewResult, 'requested_at'> & { requested_at: Date }>(sql`
      select organization_id, id, conversation_id, agent_id, channel, message_id, own, status, requested_at
        from conversation_results where organization_id = ${organization_id} and id = ${id} and status = 'pending'`),

  /** The last calls of tools in a thread, oldest first. */
  async toolsUsed(organization_id: string, thread_id: string): Promise<UsedTool[]> {
    const rows = await db.rows<UsedTool>(sql`
      select name, status, left(coalesce(outcome->>'content', outcome->>'detail'), ${tool_chars}) as detail
        from tool_calls where organization_id = ${organization_id} and conversation_id = ${thread_id}
       order by id desc limit ${max_tool_calls}`);
    return rows.reverse();
  },

  /** The event is about the conversation. Does nothing when another run settled it. */
  settle: (
    tx: Transaction,
    { organization_id, id }: ResultRef,
    trigger: keyof typeof conversationResultLifecycle.moves,
    set: Row,
  ) =>
    mover<typeof conversationResultLifecycle, { conversation_id: string; result: object }>(tx, {
      lifecycle: conversationResultLifecycle,
      table: 'conversation_results',
      organization_id,
      id,
      trigger,
      set,
      returning: sql`conversation_id, ${conversationResultColumns} as result`,
      event: ({ conversation_id, result }) => ({
        resource_id: conversation_id,
        data: { id: conversation_id, result },
      }),
    }),
});
export type ResultStore = ReturnType<typeof resultStore>;

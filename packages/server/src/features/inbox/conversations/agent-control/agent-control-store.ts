// The SQL that tells which agent may answer in a thread.
import type { ConversationStatus } from '@parley/contract/inbox/conversations';
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { AgentControl } from './agent-state.ts';

export type ThreadControl = AgentControl & {
  conversation_id: string;
  contact_name: string | null;
  inbox_state: ConversationStatus;
};

const columns = sql`c.id as conversation_id, c.inbox_state, c.assignee_kind, c.assignee_id,
  iso(c.agent_paused_until) as agent_paused_until, coalesce(c.is_with_human, false) as is_with_human,
  (select k.name from contacts k where k.organization_id = c.organization_id and k.id = c.contact_id) as contact_name`;

const ofThread = (organization_id: string, thread_id: string) => sql`
  conversation_threads t
  left join conversation_aliases a on a.organization_id = t.organization_id and a.alias_id = t.conversation_id
  join conversations c on c.organization_id = t.organization_id and c.id = coalesce(a.conversation_id, t.conversation_id)
 where t.organization_id = ${organization_id} and t.thread_id = ${thread_id}`;

export const agentControlStore = (db: Database) => ({
  /** Null while the thread is in no conversation yet. */
  find: (organization_id: string, thread_id: string, on: Queryable = db) =>
    on.maybe<ThreadControl>(sql`select ${columns} from ${ofThread(organization_id, thread_id)}`),

  /** A change of the conversation waits until the transaction ends. */
  lock: (tx: Transaction, organization_id: string, thread_id: string) =>
    tx.maybe<ThreadControl>(
      sql`select ${columns} from ${ofThread(organization_id, thread_id)} for share of c`,
    ),

  /** The member record of a user. */
  async memberOf(organization_id: string, user_id: string): Promise<string | null> {
    const row = await db.maybe<{ id: string }>(sql`
      select id from members where organization_id = ${organization_id} and user_id = ${user_id}`);
    return row?.id ?? null;
  },

  /** Never shortens a pause. */
  async pause(tx: Transaction, organization_id: string, id: string, until: Date): Promise<void> {
    await tx.run(sql`
      update conversations set agent_paused_until = greatest(agent_paused_until, ${until})
       where organization_id = ${organization_id} and id = ${id}`);
  },
});
export type AgentControlStore = ReturnType<typeof agentControlStore>;

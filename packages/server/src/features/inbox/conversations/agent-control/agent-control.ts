// Takes conversations over from agents, gives them back, and tells agents whether they may answer.
import type { Transaction } from '../../../../platform/db/database.ts';
import { type Context, isPerson } from '../../../../platform/http/context.ts';
import { type ChangeDeps, changeConversation } from '../changes/change-conversation.ts';
import { assigneeOf } from '../events.ts';
import type { ConversationRow } from '../projection/conversation-row.ts';
import type { AgentControlStore } from './agent-control-store.ts';

export type AgentControlDeps = ChangeDeps & {
  control: AgentControlStore;
};

type Ref = { organization_id: string; id: string };
/** What must become true together with the change. */
export type AlsoCommit = (tx: Transaction) => Promise<void>;

const handedOverEvent = (
  row: ConversationRow,
  { agent_id, reason }: { agent_id: string | null; reason: string },
) => ({
  organization_id: row.organization_id,
  type: 'conversation.handed_over' as const,
  resource_id: row.id,
  data: { id: row.id, agent_id, reason, assignee: assigneeOf(row) },
});

/** A member who takes it becomes the assignee; a program or the shared key leaves it without one. */
export async function takeOver(
  deps: AgentControlDeps,
  { caller, organization_id }: Pick<Context, 'caller' | 'organization_id'>,
  id: string,
  reason: string | undefined,
): Promise<void> {
  const user_id = isPerson(caller) ? caller.identity.user_id : null;
  const member_id = user_id ? await deps.control.memberOf(organization_id, user_id) : null;
  await deps.db.transaction((tx) =>
    changeConversation(deps, tx, { organization_id, id }, (before) => {
      const assignee = member_id ? { assignee_kind: 'member' as const, assignee_id: member_id } : {};
      const row = { ...before, ...assignee, is_with_human: true };
      return { row, more: [handedOverEvent(row, { agent_id: null, reason: reason ?? 'taken over' })] };
    }),
  );
}

export const release = (deps: AgentControlDeps, { organization_id, id }: Ref): Promise<void> =>
  deps.db.transaction((tx) =>
    changeConversation(deps, tx, { organization_id, id }, (before) => {
      const assignee = before.assignee_kind === 'member' ? { assignee_kind: null, assignee_id: null } : {};
      const row = { ...before, ...assignee, is_with_human: false, agent_paused_until: null };
      const was_away =
        before.is_with_human || before.assignee_kind === 'member' || before.agent_paused_until !== null;
      const event = {
        organization_id,
        type: 'conversation.released' as const,
        resource_id: id,
        data: { id },
      };
      return { row, more: was_away ? [event] : [] };
    }),
  );

/** The agent asks for a person. */
export const giveToHuman = (
  deps: AgentControlDeps,
  { organization_id, id }: Ref,
  by: { agent_id: string; reason: string },
  commit: AlsoCommit,
): Promise<void> =>
  deps.db.transaction(async (tx) => {
    await changeConversation(deps, tx, { organization_id, id }, (before) => {
      const row = { ...before, is_with_human: true, inbox_state: 'open' as const, snoozed_until: null };
      return { row, more: [handedOverEvent(row, by)] };
    });
    await commit(tx);
  });

/** The agent is done: the next message opens the conversation again. */
export const close = (
  deps: AgentControlDeps,
  { organization_id, id }: Ref,
  commit: AlsoCommit,
): Promise<void> =>
  deps.db.transaction(async (tx) => {
    await changeConversation(deps, tx, { organization_id, id }, (before, now) => ({
      row: {
        ...before,
        inbox_state: 'closed',
        snoozed_until: null,
        inbox_state_set_at: now.toISOString(),
      },
    }));
    await commit(tx);
  });

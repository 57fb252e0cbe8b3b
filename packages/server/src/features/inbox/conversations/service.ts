// The operations on conversations: read, change, mark as read, answer and merge.
import type {
  Conversation,
  ConversationItem,
  ConversationPatch,
  ConversationReply,
} from '@parley/contract/inbox/conversations';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Context } from '../../../platform/http/context.ts';
import { changedLabels } from '../labels/index.ts';
import { type AgentControlDeps, release, takeOver } from './agent-control/agent-control.ts';
import { changeConversation } from './changes/change-conversation.ts';
import type { MergeConversations } from './changes/merge.ts';
import { type ReplyDeps, replyInConversation } from './changes/reply.ts';
import { conversationReader } from './items/conversation-reader.ts';
import type { ItemQuery, ItemReader } from './items/items.ts';
import type { ConversationRow } from './projection/conversation-row.ts';
import type { ConversationQuery, ConversationStore } from './store.ts';

export type ServiceDeps = ReplyDeps &
  AgentControlDeps & {
    store: ConversationStore;
    items: ItemReader;
    merge: MergeConversations;
  };

export function conversationService(deps: ServiceDeps) {
  const { store, changes } = deps;

  const { idOf, idFor, read, get } = conversationReader(deps);

  return {
    list: (organization_id: string, query: ConversationQuery) => store.list(organization_id, query),

    get,

    async items(
      context: Context,
      named: string,
      query: ItemQuery,
    ): Promise<{ items: ConversationItem[]; next_cursor: string | null }> {
      const { organization_id, caller } = context;
      const id = await idFor(context, named);
      return deps.items(organization_id, id, { ...query, thread_ids: caller.conversation?.thread_ids });
    },

    async update(
      { organization_id }: Context,
      named: string,
      patch: ConversationPatch,
    ): Promise<Conversation> {
      const id = await idOf(organization_id, named);
      if (patch.assignee && !(await store.assigneeExists(organization_id, patch.assignee)))
        throw new ApiError('assignee_not_found', { path: 'body.assignee.id' });
      await deps.db.transaction((tx) =>
        changeConversation(deps, tx, { organization_id, id }, (before, now) => ({
          row: patched(before, patch, now),
        })),
      );
      return read(organization_id, id);
    },

    async markRead(
      organization_id: string,
      named: string,
      { up_to, unread }: { up_to?: string | undefined; unread?: boolean | undefined },
    ): Promise<Conversation> {
      const id = await idOf(organization_id, named);
      if (up_to !== undefined && !(await store.hasItem(organization_id, id, up_to)))
        throw new ApiError('not_found', { path: 'body.up_to' });
      if (unread) await changes.markUnread(organization_id, id);
      else await changes.markRead(organization_id, id, up_to ?? null);
      return read(organization_id, id);
    },

    reply: async (context: Context, named: string, body: ConversationReply) =>
      replyInConversation(deps, context, await idFor(context, named), body),

    async takeover(context: Context, named: string, reason: string | undefined): Promise<Conversation> {
      const id = await idOf(context.organization_id, named);
      await takeOver(deps, context, id, reason);
      return read(context.organization_id, id);
    },

    async release({ organization_id }: Context, named: string): Promise<Conversation> {
      const id = await idOf(organization_id, named);
      await release(deps, { organization_id, id });
      return read(organization_id, id);
    },

    async merge({ organization_id }: Context, named: string, into: string): Promise<Conversation> {
      const from_id = await idOf(organization_id, named);
      const into_id = await idOf(organization_id, into);
      await deps.merge(organization_id, { into: into_id, from: from_id });
      return read(organization_id, into_id);
    },
  };
}
export type ConversationService = ReturnType<typeof conversationService>;

function patched(row: ConversationRow, patch: ConversationPatch, now: Date): ConversationRow {
  const after = { ...row, updated_at: now.toISOString() };
  if (patch.status !== undefined && patch.status !== row.inbox_state)
    after.inbox_state_set_at = now.toISOString();
  after.inbox_state = patch.status ?? row.inbox_state;
  after.snoozed_until = snoozedUntil(after, patch, now);
  if (patch.assignee !== undefined) {
    after.assignee_kind = patch.assignee?.kind ?? null;
    after.assignee_id = patch.assignee?.id ?? null;
    // Who assigns an agent wants it to answer.
    if (patch.assignee?.kind === 'agent') after.is_with_human = false;
  }
  if (patch.agent_paused_until !== undefined)
    after.agent_paused_until = patch.agent_paused_until && new Date(patch.agent_paused_until).toISOString();
  if (patch.title !== undefined) after.title = patch.title;
  if (patch.metadata !== undefined) after.metadata = patch.metadata;
  if (patch.labels) after.labels = changedLabels(row.labels, patch.labels);
  return after;
}

function snoozedUntil(
  after: ConversationRow,
  { snoozed_until }: ConversationPatch,
  now: Date,
): string | null {
  if (after.inbox_state !== 'snoozed') return null;
  const until = snoozed_until === undefined ? after.snoozed_until : snoozed_until;
  if (until == null || new Date(until) <= now)
    throw new ApiError('snooze_in_past', { path: 'body.snoozed_until' });
  return new Date(until).toISOString();
}

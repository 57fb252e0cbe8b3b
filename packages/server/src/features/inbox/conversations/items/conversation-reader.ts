// Reads one conversation for a caller. For a conversation token only its own one exists, and of that only the threads it covers.
import type { Conversation } from '@parley/contract/inbox/conversations';
import { limits } from '@parley/contract/limits';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context, ConversationScope } from '../../../../platform/http/context.ts';
import type { ConversationStore } from '../store.ts';
import type { ItemReader } from './items.ts';

type Deps = { store: Pick<ConversationStore, 'resolve' | 'find'>; items: ItemReader };

const preview_chars = 200;

export function conversationReader(deps: Deps) {
  const { store } = deps;
  const idOf = async (organization_id: string, id: string): Promise<string> => {
    const conversation_id = await store.resolve(organization_id, id);
    if (!conversation_id) throw new ApiError('not_found');
    return conversation_id;
  };
  const idFor = async ({ organization_id, caller }: Context, named: string): Promise<string> => {
    const id = await idOf(organization_id, named);
    if (caller.conversation && id !== (await store.resolve(organization_id, caller.conversation.id)))
      throw new ApiError('not_found');
    return id;
  };
  const read = async (organization_id: string, id: string): Promise<Conversation> => {
    const conversation = await store.find(organization_id, id);
    if (!conversation) throw new ApiError('not_found');
    return conversation;
  };
  return {
    idOf,
    idFor,
    read,
    async get(context: Context, named: string): Promise<Conversation> {
      const { organization_id, caller } = context;
      const conversation = await read(organization_id, await idFor(context, named));
      return caller.conversation ? narrowed(deps, conversation, caller.conversation) : conversation;
    },
  };
}

/** A token for one thread does not see what the conversation has from others. */
async function narrowed(
  { items }: Pick<Deps, 'items'>,
  conversation: Conversation,
  { id: named, thread_ids }: ConversationScope,
): Promise<Conversation> {
  const { organization_id, id } = conversation;
  if (named === id || conversation.merged_ids.includes(named)) return conversation;
  const covered_items = await items(organization_id, id, { limit: limits.page_max, thread_ids });
  const parties = new Set(covered_items.items.flatMap(({ from, to }) => [from, ...to]));
  const participants = conversation.participants.filter(({ address }) => parties.has(address));
  const [last] = covered_items.items;
  return {
    ...conversation,
    participants,
    participants_total: participants.length,
    channels: conversation.channels.filter((channel) =>
      covered_items.items.some(({ noun }) => noun === channel),
    ),
    labels: [],
    metadata: {},
    item_count: covered_items.items.length,
    unread_count: covered_items.items.filter(({ is_read }) => !is_read).length,
    last_item: last
      ? {
          noun: last.noun,
          id: last.id,
          direction: last.direction,
          at: last.at,
          preview: (last.text ?? '').slice(0, preview_chars),
        }
      : null,
    result: null,
    merged_ids: [],
  };
}

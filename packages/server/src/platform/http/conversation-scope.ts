// Limits a request with a conversation token to the records of its conversation; all other requests pass unchanged.
import type { Operation } from '@parley/contract/operation';
import { ApiError } from './api-error.ts';
import type { Context, ConversationScope } from './context.ts';

type Limited = Pick<Context, 'caller'>;

/** Only operations that name a right of tokens are open to them: a new operation is closed until somebody decides. */
export function requireConversationRight({ conversation }: Operation, { may }: ConversationScope): void {
  if (conversation && may.includes(conversation)) return;
  throw new ApiError('insufficient_scope', {
    detail: conversation
      ? `This conversation token does not have the right ${conversation}.`
      : 'A conversation token cannot be used for this operation.',
    fix: 'Use a credential of the organization, or POST /v1/conversations/{conversation_id}/tokens for a token with more rights.',
  });
}

/** The same answer for a record of another conversation and for one that does not exist. */
export function requireInConversation<T extends { conversation_id: string }>(
  { caller }: Limited,
  record: T,
): T {
  if (caller.conversation && !caller.conversation.thread_ids.includes(record.conversation_id))
    throw new ApiError('not_found');
  return record;
}

/** The threads of a conversation, whose id may be a former one. An id that is no conversation is a thread. */
export type ThreadsOf = (organization_id: string, id: string) => Promise<readonly string[]>;

/** For lists and waits: the threads of the conversation that the query names, of which a token covers some. */
export async function withinConversation<T extends { conversation_id?: string | undefined }>(
  { caller, organization_id }: Pick<Context, 'caller' | 'organization_id'>,
  threadsOf: ThreadsOf,
  { conversation_id, ...query }: T,
): Promise<Omit<T, 'conversation_id'> & { conversation_ids?: readonly string[] }> {
  const { id, thread_ids } = caller.conversation ?? {};
  if (conversation_id === undefined || conversation_id.toLowerCase() === id)
    return thread_ids ? { ...query, conversation_ids: thread_ids } : query;
  const threads = await threadsOf(organization_id, conversation_id.toLowerCase());
  if (!thread_ids) return { ...query, conversation_ids: threads };
  const conversation_ids = threads.filter((thread_id) => thread_ids.includes(thread_id));
  if (conversation_ids.length === 0) throw new ApiError('not_found');
  return { ...query, conversation_ids };
}

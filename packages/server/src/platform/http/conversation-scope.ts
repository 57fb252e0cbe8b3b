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

/** For lists and waits: only the threads of the conversation, or the one that the query names. */
export function withinConversation<T extends { conversation_id?: string | undefined }>(
  { caller }: Limited,
  query: T,
): T & { conversation_ids?: readonly string[] } {
  const { conversation } = caller;
  if (!conversation) return query;
  const { id, thread_ids } = conversation;
  const rest = { ...query, conversation_id: undefined };
  const named = query.conversation_id?.toLowerCase();
  if (named === undefined || named === id) return { ...rest, conversation_ids: thread_ids };
  if (!thread_ids.includes(named)) throw new ApiError('not_found');
  return { ...rest, conversation_ids: [named] };
}

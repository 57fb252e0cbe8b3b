// What a conversation token sees of an email.
import type { Email } from '@parley/contract/channels/emails/email-records';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { requireInConversation } from '../../../../platform/http/conversation-scope.ts';

/** A conversation token is for programs that read what strangers write: it does not see the quarantine. */
export function requireReadable<T extends Pick<Email, 'conversation_id' | 'folder'>>(
  context: Pick<Context, 'caller'>,
  email: T,
): T {
  if (context.caller.conversation && email.folder === 'quarantine') throw new ApiError('not_found');
  return requireInConversation(context, email);
}

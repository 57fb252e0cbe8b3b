// Answers in a conversation: by email to the last received email, or by text to the sender of the last received text.

import type { Email } from '@parley/contract/channels/emails/email-records';
import type { EmailReply } from '@parley/contract/channels/emails/email-requests';
import type { Sms, SmsCreate } from '@parley/contract/channels/sms/sms';
import type { ConversationReply, ConversationReplyResult } from '@parley/contract/inbox/conversations';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { answeredAs } from '../../../../platform/idempotency.ts';
import type { ConversationStore } from '../store.ts';

type ReplyContext = Pick<Context, 'organization_id' | 'caller' | 'idempotency' | 'request_id'>;

export type ReplyDeps = {
  store: ConversationStore;
  emails: {
    reply(
      organization_id: string,
      email_id: string,
      input: EmailReply,
      context: ReplyContext,
    ): Promise<{ email: Email; failure: { error: ApiError } | null }>;
  };
  texts: {
    get(organization_id: string, id: string): Promise<Sms>;
    create(context: ReplyContext, input: SmsCreate): Promise<Sms>;
  };
};

const resultOf =
  (noun: 'email' | 'sms') =>
  ({ id, status, hold }: Pick<Email | Sms, 'id' | 'status' | 'hold'>): ConversationReplyResult => ({
    noun,
    id,
    status,
    hold,
  });

export async function replyInConversation(
  deps: ReplyDeps,
  context: ReplyContext,
  conversation_id: string,
  body: ConversationReply,
): Promise<ConversationReplyResult> {
  const { organization_id } = context;
  const nouns = body.channel ? [body.channel] : ['email', 'sms'];
  const thread_ids = context.caller.conversation?.thread_ids ?? null;
  const last = await deps.store.lastReceived(organization_id, conversation_id, { nouns, thread_ids });
  if (!last) throw new ApiError('nothing_to_answer', body.channel ? { path: 'body.channel' } : {});
  return last.noun === 'email'
    ? replyByEmail(deps, context, last.id, body)
    : replyByText(deps, context, last.id, body);
}

async function replyByEmail(
  { emails }: ReplyDeps,
  context: ReplyContext,
  email_id: string,
  { body_text, recipient_consent, subject, attachment_ids }: ConversationReply,
): Promise<ConversationReplyResult> {
  const result = resultOf('email');
  const { email, failure } = await emails.reply(
    context.organization_id,
    email_id,
    { body_text, recipient_consent, subject, attachment_ids } as EmailReply,
    { ...context, idempotency: answeredAs(context.idempotency, result) },
  );
  if (failure) throw failure.error;
  return result(email);
}

async function replyByText(
  { texts, store }: ReplyDeps,
  context: ReplyContext,
  sms_id: string,
  { body_text, recipient_consent }: ConversationReply,
): Promise<ConversationReplyResult> {
  const received = await texts.get(context.organization_id, sms_id);
  const { idempotency, organization_id } = context;
  const from = (await store.hasNumber(organization_id, received.to)) ? { from: received.to } : {};
  const result = resultOf('sms');
  const sms = await texts.create({ ...context, idempotency: answeredAs(idempotency, result) }, {
    to: received.from,
    ...from,
    body: body_text,
    recipient_consent,
  } as SmsCreate);
  return result(sms);
}

// Finds out what a send needs before it is stored: its sender, its conversation and which recipients are suppressed.
import type { EmailCreate } from '@parley/contract/channels/emails/email-requests';
import { asciiDomain } from '@parley/contract/schema/mailbox';
import type { Ids } from '../../../../../platform/ids.ts';
import type { GuardedTransport } from '../../../../rules/admission/index.ts';
import type { StoredAttachment } from '../../../email-attachments/index.ts';
import type { EmailDomainService, Sender } from '../../../email-domains/index.ts';
import type { AnsweredEmail, EmailStore } from '../../store.ts';
import { isMessageId, referencesFor, threadKey } from '../../threads.ts';
import { type Recipients, replyTargetNotFound, senderRefused } from '../send-errors.ts';
import type { SendFactsStore } from '../send-facts-store.ts';

export type SendRequest = Omit<EmailCreate, 'recipient_consent'> & {
  /** The email being answered, when the caller already read it. */
  answers?: AnsweredEmail;
  /** Files beside those that `attachment_ids` names. */
  attachments?: StoredAttachment[];
} & MoreOfRequest;

/** What requests of other forms than POST /v1/emails may have besides. The code that reads them checks it. */
export type MoreOfRequest = {
  labels?: readonly string[];
  /** Header fields that POST /v1/emails does not allow, such as List-Unsubscribe. */
  list_headers?: Readonly<Record<string, string>>;
};

export type ResolvedRequest = {
  sender: Sender & { address: string };
  recipients: Recipients;
  thread_key: string;
  thread: { conversation_id: string; in_reply_to: string | null; references_ids: string[] };
  suppressed: string[];
};

type Deps = {
  ids: Ids;
  store: Pick<EmailStore, 'answered'>;
  domains: Pick<EmailDomainService, 'sender'>;
  facts: SendFactsStore;
  transport: Pick<GuardedTransport, 'isRepeatable'> | null;
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export async function resolveRequest(
  deps: Deps,
  organization_id: string,
  request: SendRequest,
): Promise<ResolvedRequest> {
  const recipients: Recipients = { to: request.to, cc: request.cc ?? [], bcc: request.bcc ?? [] };
  const sender = await senderOf(deps, organization_id, request);
  const visible = [...recipients.to, ...recipients.cc].map(({ address }) => address);
  const all = [...visible, ...recipients.bcc.map(({ address }) => address)];
  const thread_key = threadKey(request.subject, [sender.address, ...visible]);
  const answered = request.answers ?? (await answeredEmail(deps, organization_id, request.in_reply_to));
  const facts = await deps.facts.read(organization_id, {
    addresses: suppressible(deps, all),
    thread_key: answered?.conversation_id ? null : thread_key,
  });
  const thread = {
    conversation_id: answered?.conversation_id || facts.conversation_id || deps.ids.next(),
    in_reply_to: answered?.message_id ?? null,
    references_ids: answered ? referencesFor(answered) : [],
  };
  return { sender, recipients, thread_key, thread, suppressed: facts.suppressed };
}

/** Without the sandbox's test recipients: their suppression is listed, but does not block the next email. */
export const suppressible = (
  { transport }: Pick<Deps, 'transport'>,
  addresses: readonly string[],
): string[] => addresses.filter((address) => !transport?.isRepeatable?.(address));

async function senderOf({ domains }: Deps, organization_id: string, request: SendRequest) {
  const sender = await domains.sender(organization_id, {
    address: request.from ? asciiDomain(request.from.address) : undefined,
    email_domain_id: request.email_domain_id ?? undefined,
  });
  if (typeof sender === 'string') throw senderRefused(sender);
  return sender;
}

/** The email that `in_reply_to` names, by our id or by its Message-ID; null without the field. */
async function answeredEmail(
  { store }: Deps,
  organization_id: string,
  in_reply_to: string | null | undefined,
): Promise<AnsweredEmail | null> {
  const reference = in_reply_to?.trim();
  if (!reference) return null;
  if (uuid.test(reference)) {
    const answered = await store.answered(organization_id, { id: reference });
    if (!answered) throw replyTargetNotFound();
    return answered;
  }
  const message_id = reference.startsWith('<') ? reference : `<${reference}>`;
  if (!isMessageId(message_id)) throw replyTargetNotFound();
  const answered = await store.answered(organization_id, { message_id });
  return answered ?? { id: '', conversation_id: '', message_id, references_ids: [] };
}

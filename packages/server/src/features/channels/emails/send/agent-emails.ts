// What an agent needs to answer emails: reads them, asks the rules, and sends the answer to the sender of the email only.
import type { EmailReply } from '@parley/contract/channels/emails/email-requests';
import type { GuardedTransport } from '../../../rules/admission/index.ts';
import { type Admission, agentInConversation, type CreateDecision } from '../../../rules/admission/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { EmailSuppressions } from '../../email-suppressions/index.ts';
import type { TextReader } from '../read/text-reader.ts';
import type { EmailRow, EmailStore } from '../store.ts';
import { type AgentEmailStore, agentEmailStore } from './agent-email-store.ts';
import type { SendingAgent } from './prepare/prepare-email.ts';
import { replyTo } from './prepare/reply.ts';
import type { HandOverFailure, SendEmail } from './send-email.ts';

export type AgentEmailDeps = {
  store: EmailStore;
  domains: Pick<EmailDomainService, 'sender' | 'receiver'>;
  suppressions: Pick<EmailSuppressions, 'among'>;
  admission: Pick<Admission, 'admit'>;
  texts: Pick<TextReader, 'written'>;
  transport: GuardedTransport | null;
  send: SendEmail;
};

export type AgentEmail = SendingAgent & {
  /** The address that received the email. */
  own: string;
  subject?: string | undefined;
  body_text: string;
  body_html: string;
};

export const agentEmails = (
  deps: AgentEmailDeps & { db: Parameters<typeof agentEmailStore>[0] },
): AgentEmails => ({
  ...agentEmailStore(deps.db),
  find: deps.store.find,
  writtenText: deps.texts.written,
  /** No real person gets mail of the sandbox. */
  is_simulated: deps.transport?.capabilities.simulated ?? false,
  isOwnAddress: async (address) => (await deps.domains.receiver(address)) !== null,
  trial: (email, agent_id) =>
    deps.admission.admit('create', {
      organization_id: email.organization_id,
      channel: 'emails',
      origin: 'agent',
      recipients: [email.from_address],
      consent: 'inbound_message',
      principal: agentInConversation(agent_id, email.conversation_id),
      conversation_id: email.conversation_id,
      suppressed: () => deps.suppressions.among(email.organization_id, [email.from_address]),
      is_dry_run: true,
    }),
  send: (email, answer) => sendAnswer(deps, email, answer),
});

export type AgentEmails = AgentEmailStore & {
  find(organization_id: string, id: string): Promise<EmailRow | null>;
  /** What the sender of an email wrote. */
  writtenText: TextReader['written'];
  is_simulated: boolean;
  isOwnAddress(address: string): Promise<boolean>;
  trial(email: EmailRow, agent_id: string): Promise<CreateDecision>;
  /** Returns why the answer was stored but not sent; null when it was sent or waits. */
  send(email: EmailRow, answer: AgentEmail): Promise<HandOverFailure | null>;
};

/** RFC 3834 section 3.1.7: other responders must not answer it. */
const headersOf = (agent_id: string) => ({ 'Auto-Submitted': 'auto-replied', 'X-Parley-Agent': agent_id });

async function sendAnswer(
  deps: AgentEmailDeps,
  email: EmailRow,
  { own, subject, body_text, body_html, agent_id, needs_approval, commit }: AgentEmail,
): Promise<HandOverFailure | null> {
  const isOwn = async (address: string) =>
    typeof (await deps.domains.sender(email.organization_id, { address })) !== 'string';
  const reply = {
    recipient_consent: true,
    body_text,
    body_html,
    ...(subject === undefined ? {} : { subject }),
    headers: headersOf(agent_id),
    metadata: { agent_id },
    track_opens: false,
    track_clicks: false,
  } as EmailReply;
  // Reply-To is not used: with it, the words of a stranger would choose who gets the answer.
  const request = await replyTo({ ...email, reply_to: null }, reply, isOwn);
  const { failure } = await deps.send(
    email.organization_id,
    { ...request, from: { name: null, address: own } },
    { caller: null, agent: { agent_id, needs_approval, commit }, idempotency: null, request_id: email.id },
  );
  return failure;
}

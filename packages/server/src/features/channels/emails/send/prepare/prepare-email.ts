// Everything before an email is stored: checks the request, finds sender and conversation, asks the rules, builds the row.
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Transaction } from '../../../../../platform/db/database.ts';
import { ApiError } from '../../../../../platform/http/api-error.ts';
import type { IdempotencyRow } from '../../../../../platform/idempotency.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import {
  type Admission,
  type AdmissionRequest,
  type ApprovalNeed,
  admissionText,
  agentInConversation,
  type GuardedTransport,
  newTerms,
  principalOf,
  readSchedule,
  type SendingCaller,
} from '../../../../rules/admission/index.ts';
import type { EmailAttachments, StoredAttachment } from '../../../email-attachments/index.ts';
import type { EmailDomainService } from '../../../email-domains/index.ts';
import type { EmailRow, EmailStore, NewEmailOptions } from '../../store.ts';
import { emailRequest } from '../../waiting/payload.ts';
import { sendDeadline } from '../hand-over.ts';
import type { BuildOutgoing } from '../message/outgoing-message.ts';
import type { UncomposedMail } from '../message/with-message.ts';
import { recipientSuppressed } from '../send-errors.ts';
import type { SendFactsStore } from '../send-facts-store.ts';
import { newEmail } from './new-email.ts';
import { type ResolvedRequest, resolveRequest, type SendRequest } from './resolve-request.ts';

export type PrepareDeps = {
  clock: Clock;
  ids: Ids;
  store: EmailStore;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  facts: SendFactsStore;
  admission: Pick<Admission, 'admit'>;
  transport: GuardedTransport | null;
  outgoing: BuildOutgoing;
  timeout_ms: number;
};

/** An agent that answers the email of the person that it writes to. */
export type SendingAgent = {
  agent_id: string;
  /** Why a person must approve it first; null when it is sent at once. */
  needs_approval: ApprovalNeed | null;
  /** In the transaction that stores the email; what it throws stops the email. */
  commit(tx: Transaction, email_id: string): Promise<void>;
};

export type SendBy = {
  /** Null for an agent. */
  caller: SendingCaller | null;
  agent?: SendingAgent | undefined;
  /** See `AdmissionRequest`. */
  consent_by?: string | undefined;
  key: IdempotencyRow | null;
  /** The batch that the email is part of: the worker sends it. */
  batch?: { id: string; size: number };
};

export type PreparedEmail = {
  email: EmailRow;
  attachments: StoredAttachment[];
  outgoing: UncomposedMail;
  transport: GuardedTransport;
  admission: AdmissionRequest;
  /** When the facts behind the decision were read. */
  read_at_ms: number;
  /** What must be counted in the transaction that stores the email, if anything. */
  commit: ((tx: Transaction) => Promise<void>) | null;
  /** Takes back what was counted with the email, except for budgets: when it waits after all. */
  giveBack: ((tx: Transaction) => Promise<void>) | null;
};

export async function prepareEmail(
  deps: PrepareDeps,
  organization_id: string,
  request: SendRequest,
  by: SendBy,
): Promise<PreparedEmail> {
  const { clock, domains, transport } = deps;
  if (!transport) throw new ApiError('mail_not_configured');
  const read_at_ms = clock.ms();
  const scheduled_at = readSchedule(clock, request.scheduled_at);
  const [resolved, attachments] = await Promise.all([
    resolveRequest(deps, organization_id, request),
    deps.attachments.forEmail(organization_id, request.attachment_ids ?? [], request.attachments),
  ]);
  const now_ms = clock.ms();
  const email = newEmail({
    id: deps.ids.next(),
    organization_id,
    now_ms,
    send_deadline: sendDeadline(now_ms, deps.timeout_ms),
    scheduled_at,
    provider: transport.name,
    request,
    resolved,
    idempotency: by.key,
  });
  // Before the email is counted and stored, because this refuses a body that cannot be sent.
  const { sender } = resolved;
  const sent_by = {
    return_domain: domains.returnDomain(sender),
    signing: () => domains.signingKey(sender),
  };
  const outgoing = await deps.outgoing(email, sent_by, attachments);
  const admission = admissionRequest(email, attachments, request, { resolved, by });
  const decision = await admitNewEmail(deps, email, admission, {
    resolved,
    is_batch: by.batch !== undefined,
  });
  const { giveBack } = decision;
  const commit = by.agent ? agentCommit(by.agent, email, decision.commit) : decision.commit;
  return { email, attachments, outgoing, transport, admission, read_at_ms, commit, giveBack };
}

const agentCommit =
  ({ commit }: SendingAgent, { id }: EmailRow, more: PreparedEmail['commit']) =>
  async (tx: Transaction): Promise<void> => {
    await commit(tx, id);
    await more?.(tx);
  };

const admissionRequest = (
  email: EmailRow,
  attachments: StoredAttachment[],
  { purpose }: SendRequest,
  { resolved, by }: { resolved: ResolvedRequest; by: SendBy },
): AdmissionRequest => ({
  ...emailRequest(email, attachments),
  suppressed: resolved.suppressed,
  ...senderOf(email, by),
  ...(by.consent_by ? { consent_by: by.consent_by } : {}),
  scheduled_at: email.scheduled_at,
  purpose: purpose ?? default_purpose,
  ...(by.batch ? { batch: by.batch } : {}),
});

const senderOf = (
  { conversation_id }: EmailRow,
  { caller, agent }: SendBy,
): Pick<AdmissionRequest, 'principal' | 'needs_approval'> &
  Partial<Pick<AdmissionRequest, 'origin' | 'consent'>> =>
  agent
    ? {
        origin: 'agent',
        consent: 'inbound_message',
        principal: agentInConversation(agent.agent_id, conversation_id),
        needs_approval: agent.needs_approval,
      }
    : { principal: principalOf(caller!) };

/** Asks the rules, and sets the columns of an email that waits. */
async function admitNewEmail(
  deps: PrepareDeps,
  email: EmailRow,
  request: AdmissionRequest,
  { resolved, is_batch }: { resolved: ResolvedRequest; is_batch: boolean },
) {
  const decision = await deps.admission.admit('create', request);
  if (decision.outcome !== 'allow') {
    throw decision.check === 'suppression'
      ? recipientSuppressed(resolved.recipients, resolved.suppressed)
      : decision.error;
  }
  email.terms = newTerms(request, decision);
  // Replaced with the outcome by the decision of the hand-over; it stays if this process crashes before that.
  email.admission = admissionText(decision);
  if (decision.hold || is_batch) {
    email.hold = decision.hold;
    email.send_deadline = null;
    // The response is stored with the email. What happens later must not replace it.
    email.idempotency_operation = null;
    email.idempotency_key = null;
  }
  return decision;
}

export const storedWith = (
  deps: Pick<PrepareDeps, 'attachments'>,
  { attachments, commit }: PreparedEmail,
  key: IdempotencyRow | null,
): NewEmailOptions => ({
  key,
  attachment_ids: attachments.map((attachment) => attachment.id),
  attachments_expire_at: deps.attachments.expiry(),
  guard: commit,
});

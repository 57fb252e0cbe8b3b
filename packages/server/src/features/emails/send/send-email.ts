// Sends an email: check everything that can be refused, store the email, hand it to the transport, record the outcome.
import type { Email } from '@parley/contract/email-records';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { JsonText } from '../../../platform/http/json-text.ts';
import { problemResponse } from '../../../platform/http/problem.ts';
import type { IdempotentRequest } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import type { SendOutcome } from '../../../providers/mail/transport.ts';
import {
  type Admission,
  type AdmissionRequest,
  admissionText,
  type GuardedTransport,
} from '../../admission/index.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailDomainService } from '../../email-domains/index.ts';
import type { EmailRow, EmailStore } from '../store.ts';
import { handOver, sendDeadline } from './hand-over.ts';
import { newEmail } from './new-email.ts';
import type { BuildOutgoing } from './outgoing-message.ts';
import { endReasonOf, type HandOverOutcome, type RecordOutcome } from './record-outcome.ts';
import { type ResolvedRequest, resolveRequest, type SendRequest } from './resolve-request.ts';
import { emailNotAllowed, recipientSuppressed, sendFailed } from './send-errors.ts';
import type { SendFactsStore } from './send-facts-store.ts';

export type SendContext = { idempotency: IdempotentRequest | null; request_id: string };

export type SendDeps = {
  clock: Clock;
  ids: Ids;
  log: Log;
  store: EmailStore;
  domains: EmailDomainService;
  attachments: EmailAttachments;
  facts: SendFactsStore;
  admission: Pick<Admission, 'admit'>;
  transport: GuardedTransport | null;
  outgoing: BuildOutgoing;
  recordOutcome: RecordOutcome;
  /** Corrects an email that was closed as unconfirmed although the transport accepted it; false when it was not. */
  confirm(email: EmailRow, outcome: SendOutcome & { accepted: true }): Promise<boolean>;
  present(email: EmailRow, attachments: StoredAttachment[]): Email;
  timeout_ms: number;
};

export type SendEmail = ReturnType<typeof sendEmail>;

export const sendEmail =
  (deps: SendDeps) =>
  async (organization_id: string, request: SendRequest, context: SendContext): Promise<JsonText> => {
    const { clock, domains, transport } = deps;
    if (!transport) throw new ApiError('mail_not_configured');
    const read_at_ms = clock.ms();
    const [resolved, attachments] = await Promise.all([
      resolveRequest(deps, organization_id, request),
      deps.attachments.forEmail(organization_id, request.attachment_ids ?? []),
    ]);
    const key = context.idempotency?.row(null) ?? null;
    const now_ms = clock.ms();
    const email = newEmail({
      id: deps.ids.next(),
      organization_id,
      now_ms,
      send_deadline: sendDeadline(now_ms, deps.timeout_ms),
      provider: transport.name,
      request,
      resolved,
      idempotency: key,
    });
    const admission = admissionRequest(email, resolved.suppressed);
    const decision = await admitNewEmail(deps, admission, resolved);
    // Replaced with the outcome by the decision of the hand-over; it stays if this process crashes before that.
    email.admission = admissionText(decision);
    // Before the email is stored, because this refuses a body that cannot be sent.
    const { sender } = resolved;
    const sent_by = {
      return_domain: domains.returnDomain(sender),
      signing: () => domains.signingKey(sender),
    };
    const outgoing = deps.outgoing(email, sent_by, attachments);
    await deps.store.insert(email, {
      key,
      attachment_ids: attachments.map((attachment) => attachment.id),
      attachments_expire_at: deps.attachments.expiry(),
      guard: decision.commit,
    });
    const outcome = await handOver({ ...deps, transport }, email, outgoing, {
      request: admission,
      read_at_ms,
    });
    return respond(deps, email, attachments, outcome, context);
  };

const admissionRequest = (email: EmailRow, suppressed: string[]): AdmissionRequest => ({
  organization_id: email.organization_id,
  channel: 'emails',
  origin: 'api',
  recipients: [...email.to_addresses, ...email.cc_addresses, ...email.bcc_addresses],
  consent: 'warranted',
  suppressed,
});

/** Throws the response to the caller if a rule stops the email. */
async function admitNewEmail(deps: SendDeps, request: AdmissionRequest, resolved: ResolvedRequest) {
  const decision = await deps.admission.admit('create', request);
  if (decision.outcome === 'allow') return decision;
  throw decision.check === 'suppression'
    ? recipientSuppressed(resolved.recipients, resolved.suppressed)
    : decision.error;
}

/** Records the outcome and returns the email, or throws the error that is stored as the response. */
async function respond(
  deps: SendDeps,
  email: EmailRow,
  attachments: StoredAttachment[],
  outcome: HandOverOutcome,
  context: SendContext,
): Promise<JsonText> {
  const now = deps.clock.now().toISOString();
  email.last_event_at = now;
  if (outcome.accepted) return respondSent(deps, email, attachments, outcome, now);
  email.status = 'failed';
  email.failed_at = now;
  email.end_reason = endReasonOf(outcome);
  const errorFor = outcome.reason === 'not_allowed' ? emailNotAllowed : sendFailed;
  const { status, body } = problemResponse(errorFor(email), context.request_id);
  const is_stored = await deps.recordOutcome({ email, outcome, answer: { status, body } });
  throw errorFor(email, { is_stored });
}

async function respondSent(
  deps: SendDeps,
  email: EmailRow,
  attachments: StoredAttachment[],
  outcome: SendOutcome & { accepted: true },
  now: string,
): Promise<JsonText> {
  email.status = 'sent';
  email.sent_at = now;
  email.provider_message_id = outcome.provider_message_id;
  email.message_id = outcome.message_id ?? email.message_id;
  const body = JSON.stringify(deps.present(email, attachments));
  if (await deps.recordOutcome({ email, outcome, answer: { status: 201, body } })) return new JsonText(body);
  // The sweeper already closed this email, and the idempotency key holds that answer: return the same one. The record is
  // corrected, because now it is known that the transport accepted the message.
  const was_unconfirmed = await deps.confirm(email, outcome);
  email.end_reason = was_unconfirmed ? 'unconfirmed' : 'timeout';
  throw sendFailed(email);
}

// Sends an email: check everything that can be refused, store the email, hand it to the transport, record the outcome.
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { problemAnswer } from '../../../../platform/http/problem.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SendOutcome } from '../../../../providers/mail/transport.ts';
import {
  default_terms,
  refusedAtCommit,
  type SendingCaller,
  type Stopped,
} from '../../../rules/admission/index.ts';
import type { Budgets } from '../../../rules/budgets/index.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import type { EmailRow } from '../store.ts';
import { type HoldDeps, storeHold, waitingRows } from '../waiting/hold-email.ts';
import { handOver, notAllowed } from './hand-over.ts';
import {
  type PrepareDeps,
  type PreparedEmail,
  prepareEmail,
  type SendingAgent,
  storedWith,
} from './prepare/prepare-email.ts';
import type { SendRequest } from './prepare/resolve-request.ts';
import { applyOutcome, type HandOverOutcome, type RecordOutcome } from './record-outcome.ts';
import { emailNotAllowed, sendFailed } from './send-errors.ts';

export type SendContext = Pick<Context, 'idempotency' | 'request_id'> & {
  caller: SendingCaller;
  /** The credential that confirms the consent of the recipients, where the request does not. */
  consent_by?: string;
};

/** An agent answers by itself: no request waits for the response. */
export type AgentSendContext = {
  caller: null;
  agent: SendingAgent;
  idempotency: null;
  request_id: string;
  consent_by?: undefined;
};
type AnyContext = SendContext | AgentSendContext;

export type SendDeps = PrepareDeps &
  HoldDeps & {
    log: Log;
    recordOutcome: RecordOutcome;
    budgets: Pick<Budgets, 'giveBack'>;
    /** Corrects an email that was closed as unconfirmed although the transport accepted it; false when it was not. */
    confirm(email: EmailRow, outcome: SendOutcome & { accepted: true }): Promise<boolean>;
    present(email: EmailRow, attachments: StoredAttachment[]): Email;
  };

/** A stored email: it was sent, it waits, or it was not sent. */
export type SentEmail = { email: Email; hold: Hold | null; failure: HandOverFailure | null };

/** `response`: what the next mail server said. */
export type HandOverFailure = { error: ApiError; response: string | null };

/** Throws when the email was not sent. */
export function requireSent({ email, failure }: SentEmail): Email {
  if (failure) throw failure.error;
  return email;
}

export type SendEmail = ReturnType<typeof sendEmail>;

export const sendEmail =
  (deps: SendDeps) =>
  async (organization_id: string, request: SendRequest, context: AnyContext): Promise<SentEmail> => {
    const key = context.idempotency?.row(null) ?? null;
    const prepared = await prepareEmail(deps, organization_id, request, {
      caller: context.caller,
      agent: 'agent' in context ? context.agent : undefined,
      consent_by: context.consent_by,
      key,
    });
    const { email, outgoing, transport, admission, read_at_ms } = prepared;
    const options = storedWith(deps, prepared, key);
    if (email.hold) {
      const result = resultOf(deps, prepared);
      const also = waitingRows(deps, email);
      await deps.store.insert(email, { ...options, key: answerOf(context, result), also });
      return result;
    }
    await deps.store.insert(email, options);
    const outcome = await handOver({ ...deps, transport }, email, outgoing, {
      request: email.terms ? { ...admission, terms: email.terms } : admission,
      read_at_ms,
    });
    return 'deferred' in outcome
      ? holdNow(deps, prepared, outcome.deferred, context)
      : finish(deps, prepared, outcome, context);
  };

type StoredEmail = Pick<PreparedEmail, 'email' | 'attachments'>;

const resultOf = (
  { present }: SendDeps,
  { email, attachments }: StoredEmail,
  failure: HandOverFailure | null = null,
): SentEmail => ({ email: present(email, attachments), hold: email.hold, failure });

/** The response for a request that comes again with the same key. */
const answerOf = ({ idempotency }: AnyContext, { email }: SentEmail) =>
  idempotency?.row({ status: 201, body: email }) ?? null;

/** A rule that changed since the email was created holds it back: it waits, and the response says so. */
async function holdNow(
  deps: SendDeps,
  prepared: PreparedEmail,
  decision: Stopped,
  context: AnyContext,
): Promise<SentEmail> {
  const { email, attachments, admission, giveBack } = prepared;
  const { purpose = default_terms.purpose, principal = null } = admission;
  // Like every email that waits, it is counted when it is sent: it may be canceled.
  const commit = async (tx: Transaction) => {
    await deps.budgets.giveBack(email.terms?.counted ?? [], tx);
    await giveBack?.(tx);
    await decision.commit?.(tx);
  };
  const terms = email.terms ?? { ...default_terms, purpose, principal };
  const waiting_email: EmailRow = {
    ...email,
    hold: decision.hold,
    terms: { ...terms, is_counted_at_hand_over: true, counted: [] },
    released_at: deps.clock.now().toISOString(),
    send_deadline: null,
    idempotency_operation: null,
    idempotency_key: null,
  };
  const result = resultOf(deps, { email: waiting_email, attachments });
  const answer = answerOf(context, result);
  try {
    if (await storeHold(deps, email, waiting_email, { commit, answer })) return result;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return finish(deps, prepared, notAllowed(refusedAtCommit(decision, error)), context);
  }
  // The sweeper already closed this email, and the idempotency key holds that answer: return the same one.
  return closedBefore(deps, { email: { ...email, end_reason: 'unconfirmed' }, attachments });
}

/** Records the outcome, with the response for a request that comes again. */
async function finish(
  deps: SendDeps,
  record: StoredEmail,
  outcome: HandOverOutcome,
  context: AnyContext,
): Promise<SentEmail> {
  const { email } = record;
  applyOutcome(email, outcome, deps.clock.now().toISOString());
  if (outcome.accepted) return finishSent(deps, record, outcome, context);
  const errorFor = outcome.reason === 'not_allowed' ? emailNotAllowed : sendFailed;
  const answer = context.idempotency?.row(problemAnswer(errorFor(email), context.request_id)) ?? null;
  const is_stored = await deps.recordOutcome({ email, outcome, answer });
  const { response } = outcome.detail;
  return resultOf(deps, record, {
    error: errorFor(email, { is_stored }),
    response: typeof response === 'string' ? response : null,
  });
}

async function finishSent(
  deps: SendDeps,
  record: StoredEmail,
  outcome: SendOutcome & { accepted: true },
  context: AnyContext,
): Promise<SentEmail> {
  const { email } = record;
  const result = resultOf(deps, record);
  if (await deps.recordOutcome({ email, outcome, answer: answerOf(context, result) })) return result;
  // The sweeper already closed this email, and the idempotency key holds that answer: return the same one. The record is
  // corrected, because now it is known that the transport accepted the message.
  const was_unconfirmed = await deps.confirm(email, outcome);
  email.end_reason = was_unconfirmed ? 'unconfirmed' : 'timeout';
  return closedBefore(deps, record);
}

const closedBefore = (deps: SendDeps, record: StoredEmail): SentEmail =>
  resultOf(deps, record, { error: sendFailed(record.email), response: null });

// Sends an email: check everything that can be refused, store the email, hand it to the transport, record the outcome.
import type { Email } from '@parley/contract/channels/emails/email-records';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import { JsonText } from '../../../../platform/http/json-text.ts';
import { problemResponse } from '../../../../platform/http/problem.ts';
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
import { applyOutcome, type HandOverOutcome, type RecordOutcome, storedAnswer } from './record-outcome.ts';
import { emailNotAllowed, sendFailed } from './send-errors.ts';

export type SendContext = Pick<Context, 'idempotency' | 'request_id'> & {
  caller: SendingCaller;
  /** The credential that confirms the consent of the recipients, where the request does not. */
  consent_by?: string;
  /** What the response shows of the email; default: all of it. */
  shown?: (email: Email) => unknown;
};

/** An agent answers by itself: no request waits for the response. */
export type AgentSendContext = {
  caller: null;
  agent: SendingAgent;
  idempotency: null;
  request_id: string;
  consent_by?: undefined;
  shown?: undefined;
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

/** The body of the response. It is also stored under the idempotency key, so it is the same for a repeated request. */
const bodyOf = (
  deps: SendDeps,
  email: EmailRow,
  attachments: StoredAttachment[],
  { shown = (all) => all }: AnyContext,
): string => JSON.stringify(shown(deps.present(email, attachments)));

export type SendEmail = ReturnType<typeof sendEmail>;

export const sendEmail =
  (deps: SendDeps) =>
  async (organization_id: string, request: SendRequest, context: AnyContext): Promise<JsonText> => {
    const key = context.idempotency?.row(null) ?? null;
    const prepared = await prepareEmail(deps, organization_id, request, {
      caller: context.caller,
      agent: 'agent' in context ? context.agent : undefined,
      consent_by: context.consent_by,
      key,
    });
    const { email, attachments, outgoing, transport, admission, read_at_ms } = prepared;
    const options = storedWith(deps, prepared, key);
    if (email.hold) {
      const body = bodyOf(deps, email, attachments, context);
      const answer = key && { ...key, status: 201, body };
      const also = waitingRows(deps, email);
      await deps.store.insert(email, { ...options, key: answer, also });
      return new JsonText(body, email.hold.kind);
    }
    await deps.store.insert(email, options);
    const outcome = await handOver({ ...deps, transport }, email, outgoing, {
      request: email.terms ? { ...admission, terms: email.terms } : admission,
      read_at_ms,
    });
    return 'deferred' in outcome
      ? holdNow(deps, prepared, outcome.deferred, context)
      : respond(deps, email, attachments, outcome, context);
  };

/** A rule that changed since the email was created holds it back: it waits, and the response says so. */
async function holdNow(
  deps: SendDeps,
  { email, attachments, admission, giveBack }: PreparedEmail,
  decision: Stopped,
  context: AnyContext,
): Promise<JsonText> {
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
  const body = bodyOf(deps, waiting_email, attachments, context);
  const answer = storedAnswer({ email, answer: { status: 201, body } });
  try {
    if (await storeHold(deps, email, waiting_email, { commit, answer })) {
      return new JsonText(body, decision.hold!.kind);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return respond(deps, email, attachments, notAllowed(refusedAtCommit(decision, error)), context);
  }
  // The sweeper already closed this email, and the idempotency key holds that answer: return the same one.
  throw sendFailed({ ...email, end_reason: 'unconfirmed' });
}

/** Records the outcome and returns the email, or throws the error that is stored as the response. */
async function respond(
  deps: SendDeps,
  email: EmailRow,
  attachments: StoredAttachment[],
  outcome: HandOverOutcome,
  context: AnyContext,
): Promise<JsonText> {
  applyOutcome(email, outcome, deps.clock.now().toISOString());
  if (outcome.accepted) return respondSent(deps, email, attachments, outcome, context);
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
  context: AnyContext,
): Promise<JsonText> {
  const body = bodyOf(deps, email, attachments, context);
  if (await deps.recordOutcome({ email, outcome, answer: { status: 201, body } })) return new JsonText(body);
  // The sweeper already closed this email, and the idempotency key holds that answer: return the same one. The record is
  // corrected, because now it is known that the transport accepted the message.
  const was_unconfirmed = await deps.confirm(email, outcome);
  email.end_reason = was_unconfirmed ? 'unconfirmed' : 'timeout';
  throw sendFailed(email);
}

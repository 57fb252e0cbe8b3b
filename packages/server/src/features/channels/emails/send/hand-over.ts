// Hands a stored email to the transport: applies the rules once more, then waits for the outcome until a deadline.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SendOutcome } from '../../../../providers/mail/transport.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Admitted,
  admissionText,
  countHandOver,
  type GuardedTransport,
  type Stopped,
  stoppedBecause,
} from '../../../rules/admission/index.ts';
import type { EmailRow } from '../store.ts';
import { type UncomposedMail, withMessage } from './message/with-message.ts';
import { suppressible } from './prepare/resolve-request.ts';
import type { HandOverOutcome } from './record-outcome.ts';
import type { SendFactsStore } from './send-facts-store.ts';

type Deps = {
  db: Database;
  clock: Clock;
  log: Log;
  facts: SendFactsStore;
  admission: Pick<Admission, 'admit'>;
  transport: GuardedTransport;
  timeout_ms: number;
};

/** Time to record the outcome after the transport's own deadline, before the sweeper closes the email as lost. */
const record_outcome_ms = 15_000;
/** How long an aborted transport may take to say whether the message was handed over. */
const abort_grace_ms = 1000;
/** How long the suppressions that were read at the beginning of the request are still valid at the hand-over. */
const facts_max_age_ms = 2000;

const stored_too_late: SendOutcome = {
  accepted: false,
  reason: 'timeout',
  retryable: true,
  detail: { response: 'Storing the email took so long that it was not handed over' },
};

/** The time after which the sweeper closes the email as lost. */
export const sendDeadline = (now_ms: number, timeout_ms: number): Date =>
  new Date(now_ms + timeout_ms + record_outcome_ms);

/** A rule holds the email back for now. */
export type Deferred = { deferred: Stopped };

/** Sets `email.admission` to the decision of the rules. */
export async function handOver(
  deps: Deps,
  email: EmailRow,
  outgoing: UncomposedMail,
  { request, read_at_ms }: { request: AdmissionRequest; read_at_ms: number },
): Promise<HandOverOutcome | Deferred> {
  if (isTooLate(deps, email)) return stored_too_late;
  const is_outdated = deps.clock.ms() - read_at_ms > facts_max_age_ms;
  const allowed = await deps.admission.admit('hand_over', {
    ...request,
    recipients: outgoing.mail.envelope.to,
    ...(is_outdated ? { suppressed: () => readSuppressed(deps, email) } : {}),
  });
  const decision = await countHandOver(deps.db, allowed);
  email.admission = admissionText(decision);
  if (decision.outcome === 'allow') return transmit(deps, outgoing, decision.admitted);
  return decision.outcome === 'defer' ? { deferred: decision } : notAllowed(decision);
}

/** The suppressed recipients of an email as they are stored now. */
export async function readSuppressed(
  deps: Pick<Deps, 'facts'> & { transport: Parameters<typeof suppressible>[0]['transport'] },
  email: EmailRow,
): Promise<string[]> {
  const addresses = suppressible(deps, recipientsOf(email));
  return (await deps.facts.read(email.organization_id, { addresses, thread_key: null })).suppressed;
}

export const recipientsOf = ({ to_addresses, cc_addresses, bcc_addresses }: EmailRow): string[] => [
  ...to_addresses,
  ...cc_addresses,
  ...bcc_addresses,
];

/** A hand-over that starts now could end after the sweeper closed the email. */
const isTooLate = ({ clock, timeout_ms }: Deps, email: EmailRow): boolean =>
  email.send_deadline !== null &&
  clock.ms() + timeout_ms + record_outcome_ms / 2 > Date.parse(email.send_deadline);

/** Calls the transport, with a deadline. */
export async function transmit(
  deps: Pick<Deps, 'log' | 'timeout_ms' | 'transport'>,
  outgoing: UncomposedMail,
  admitted: Admitted,
): Promise<SendOutcome> {
  const abort = new AbortController();
  const no_answer: SendOutcome = {
    accepted: false,
    reason: 'timeout',
    retryable: true,
    may_be_taken: true,
    detail: { response: `No answer within ${deps.timeout_ms} ms` },
  };
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<SendOutcome>((resolve) => {
    timer = setTimeout(() => {
      timer = setTimeout(() => resolve(no_answer), abort_grace_ms);
      abort.abort();
    }, deps.timeout_ms);
  });
  try {
    const sent = withMessage(deps.transport, outgoing, (mail) =>
      deps.transport.send(mail, admitted, abort.signal),
    );
    return await Promise.race([sent, deadline]);
  } catch (error) {
    deps.log.error({ err: error, email_id: outgoing.mail.email_id }, 'mail transport failed');
    return { accepted: false, reason: 'provider_error', retryable: true, detail: {} };
  } finally {
    clearTimeout(timer);
  }
}

export const notAllowed = (decision: Stopped): HandOverOutcome => ({
  accepted: false,
  reason: 'not_allowed',
  retryable: false,
  detail: stoppedBecause(decision),
});

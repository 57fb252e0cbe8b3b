// Sends emails that waited, as background jobs: claim the email, apply the rules again, hand it over, record the outcome.
import type { HoldKind } from '@parley/contract/rules/approvals/hold';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Job, JobHandler } from '../../../../platform/jobs.ts';
import {
  type AdmissionRequest,
  admissionText,
  type GuardedTransport,
  handOverTerms,
  refusedAtCommit,
  type Stopped,
} from '../../../rules/admission/index.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import { type Deferred, handOver, notAllowed, readSuppressed, sendDeadline } from '../send/hand-over.ts';
import type { UncomposedMail } from '../send/message/with-message.ts';
import { applyOutcome, type HandOverOutcome } from '../send/record-outcome.ts';
import type { SendDeps } from '../send/send-email.ts';
import type { EmailRow } from '../store.ts';
import { composeWaitingEmail, type PreparedMail } from './compose-waiting-email.ts';
import { storeHold } from './hold-email.ts';
import { emailRequest } from './payload.ts';
import { changeWaiting } from './store.ts';
import { dueAt, isWaiting, send_waiting_job, waitingEntry } from './waiting-email.ts';

/** How long an email waits for the kill switch. */
const max_kill_switch_ms = 24 * 3_600_000;
/** Only a database or storage that fails for days ends the job: without it the email would wait forever. */
const max_attempts = 5000;

export const waitingEmailJobs = (deps: SendDeps): JobHandler[] => [
  {
    kind: send_waiting_job,
    max_attempts,
    lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 60,
    run: (job) => sendWaitingEmail(deps, job),
  },
];

async function sendWaitingEmail(deps: SendDeps, { payload }: Job): Promise<void> {
  const { organization_id, email_id } = payload as { organization_id: string; email_id: string };
  const email = await deps.store.find(organization_id, email_id);
  // It was sent or canceled, waits for something else now, or another run is sending it.
  if (!email || !isWaiting(email)) return;
  const due = dueAt(email, deps.clock);
  if (!due || due > deps.clock.now()) return;
  const { transport } = deps;
  if (!transport) throw new Error('There is no mail transport to send with');
  const attachments = await deps.attachments.ofEmail(organization_id, email_id);
  const released = releasedNow(deps, email);
  const outgoing = await outgoingOf(deps, released, attachments);
  const prepared = outgoing && (await composeWaitingEmail(transport, outgoing));
  try {
    const claimed = claimedNow(deps, released);
    if (!(await changeWaiting(deps.db, email, claimed))) return;
    const outcome = await handOverClaimed({ ...deps, transport }, claimed, attachments, prepared).catch(
      async (error) => {
        // Nothing was handed over, so a later run may try again.
        await changeWaiting(deps.db, claimed, email);
        throw error;
      },
    );
    if ('deferred' in outcome) return await defer(deps, email, claimed, outcome.deferred);
    await finish(deps, claimed, outcome, email.hold?.kind);
  } finally {
    await prepared?.dispose();
  }
}

/** An error of the transport is an outcome: what this throws was thrown before the hand-over. */
async function handOverClaimed(
  deps: SendDeps & { transport: GuardedTransport },
  email: EmailRow,
  attachments: StoredAttachment[],
  prepared: PreparedMail | null,
): Promise<HandOverOutcome | Deferred> {
  if (!prepared) return no_sender;
  const request = waitingRequest(deps, email, attachments);
  return handOver(deps, email, prepared.outgoing, { request, read_at_ms: deps.clock.ms() });
}

const releasedNow = ({ clock }: SendDeps, email: EmailRow): EmailRow => ({
  ...email,
  hold: null,
  released_at: clock.now().toISOString(),
});

/**
 * From here on no other run sends the email: if this process ends before it has recorded the outcome, the sweeper closes the
 * email as unconfirmed.
 */
const claimedNow = ({ clock, timeout_ms }: SendDeps, released: EmailRow): EmailRow => ({
  ...released,
  send_deadline: sendDeadline(clock.ms(), timeout_ms).toISOString(),
});

const no_sender: HandOverOutcome = {
  accepted: false,
  reason: 'not_allowed',
  retryable: false,
  detail: { check: 'sender', detail: 'The domain of the sender is not verified any more.' },
};

/** Null when the organization may not send from the address any more. */
async function outgoingOf(
  { domains, outgoing }: SendDeps,
  email: EmailRow,
  attachments: StoredAttachment[],
): Promise<UncomposedMail | null> {
  const sender = await domains.sender(email.organization_id, {
    email_domain_id: email.email_domain_id ?? email.id,
  });
  if (typeof sender === 'string') return null;
  const signing = () => domains.signingKey(sender);
  return outgoing(email, { return_domain: domains.returnDomain(sender), signing }, attachments);
}

/** The request for the hand-over of a stored email. */
export const waitingRequest = (
  deps: Pick<SendDeps, 'facts' | 'transport'>,
  email: EmailRow,
  attachments: StoredAttachment[],
): AdmissionRequest => ({
  ...emailRequest(email, attachments),
  suppressed: () => readSuppressed(deps, email),
  ...handOverTerms(email.terms),
});

/** Holds the email again, or ends it when the kill switch was on for too long. `before` is the email before the claim. */
async function defer(deps: SendDeps, before: EmailRow, claimed: EmailRow, decision: Stopped): Promise<void> {
  const was_stopped = before.hold?.kind === 'kill_switch';
  // The time limit of the kill switch starts when it first held the email back.
  const released_at = was_stopped ? before.released_at : claimed.released_at;
  const waited_ms = deps.clock.ms() - Date.parse(released_at ?? before.requested_at);
  const is_given_up = decision.hold?.kind === 'kill_switch' && waited_ms >= max_kill_switch_ms;
  if (is_given_up || !decision.hold) {
    claimed.admission = admissionText({ ...decision, outcome: 'refuse' });
    return finish(deps, claimed, notAllowed(decision));
  }
  const terms = decision.terms ?? claimed.terms;
  const waiting = { ...claimed, terms, hold: decision.hold, released_at, send_deadline: null };
  try {
    await storeHold(deps, claimed, waiting, { commit: decision.commit, before: before.hold });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = refusedAtCommit(decision, error);
    claimed.admission = admissionText(refused);
    await finish(deps, claimed, notAllowed(refused));
  }
}

/** `released_from`: what it waited for, when it was handed over. */
async function finish(
  deps: SendDeps,
  email: EmailRow,
  outcome: HandOverOutcome,
  released_from?: HoldKind,
): Promise<void> {
  const is_handed_over = outcome.accepted || outcome.reason !== 'not_allowed';
  const released =
    released_from && is_handed_over
      ? [waitingEntry(deps, email, { kind: 'released', detail: { kind: released_from } })]
      : [];
  applyOutcome(email, outcome, deps.clock.now().toISOString());
  const is_recorded = await deps.recordOutcome({ email, outcome, answer: null, entries: released });
  // The sweeper closed it before: now it is known that the transport accepted the message.
  if (!is_recorded && outcome.accepted) await deps.confirm(email, outcome);
}

// Sends emails that waited, as background jobs: apply the rules again, claim the email, hand it over, record the outcome.
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Job, JobHandler } from '../../../platform/jobs.ts';
import {
  type AdmissionRequest,
  admissionText,
  type HandOverDecision,
  handOverTerms,
  refusedAtCommit,
  type Stopped,
} from '../../admission/index.ts';
import type { StoredAttachment } from '../../email-attachments/index.ts';
import { notAllowed, readSuppressed, recipientsOf, sendDeadline, transmit } from '../send/hand-over.ts';
import { applyOutcome, type HandOverOutcome } from '../send/record-outcome.ts';
import type { SendDeps } from '../send/send-email.ts';
import type { UncomposedMail } from '../send/with-message.ts';
import type { EmailRow } from '../store.ts';
import { dueAt, heldEntry, isWaiting, send_held_job } from './held-email.ts';
import { storeHold } from './hold-email.ts';
import { payloadOf } from './payload.ts';
import { changeWaiting } from './store.ts';

/** How long an email waits for the kill switch. */
const max_kill_switch_ms = 24 * 3_600_000;
/** Only a database or storage that fails for days ends the job: without it the email would wait forever. */
const max_attempts = 5000;

export const heldEmailJobs = (deps: SendDeps): JobHandler[] => [
  {
    kind: send_held_job,
    max_attempts,
    lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 60,
    run: (job) => sendHeldEmail(deps, job),
  },
];

async function sendHeldEmail(deps: SendDeps, { payload }: Job): Promise<void> {
  const { organization_id, email_id } = payload as { organization_id: string; email_id: string };
  const email = await deps.store.find(organization_id, email_id);
  // It was sent or canceled, waits for something else now, or another run is sending it.
  if (!email || !isWaiting(email)) return;
  const due = dueAt(email, deps.clock);
  if (!due || due > deps.clock.now()) return;
  const { transport } = deps;
  if (!transport) throw new Error('There is no mail transport to send with');
  const attachments = await deps.attachments.ofEmail(organization_id, email_id);
  const outgoing = await outgoingOf(deps, email, attachments);
  if (!outgoing) {
    if (await claim(deps, email, null)) await finish(deps, email, no_sender);
    return;
  }
  const decision = await deps.admission.admit('hand_over', {
    ...heldRequest(deps, email, attachments),
    recipients: outgoing.mail.envelope.to,
  });
  if (decision.outcome === 'defer' && !isGivenUp(deps, email, decision)) {
    return defer(deps, email, decision);
  }
  const claimed = await claimDecided(deps, email, decision);
  if (!claimed) return;
  const outcome =
    claimed.outcome === 'allow'
      ? await transmit({ ...deps, transport }, outgoing, claimed.admitted)
      : notAllowed(claimed);
  await finish(deps, email, outcome);
}

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
export const heldRequest = (
  deps: Pick<SendDeps, 'facts' | 'transport'>,
  email: EmailRow,
  attachments: StoredAttachment[],
): AdmissionRequest => ({
  organization_id: email.organization_id,
  channel: 'emails',
  origin: 'api',
  recipients: recipientsOf(email),
  consent: 'warranted',
  suppressed: () => readSuppressed(deps, email),
  record: { noun: 'email', id: email.id },
  payload: () => payloadOf(email, attachments),
  ...handOverTerms(email.terms),
});

const isGivenUp = ({ clock }: SendDeps, email: EmailRow, { hold }: Stopped): boolean =>
  hold === null ||
  (hold.kind === 'kill_switch' &&
    email.hold?.kind === 'kill_switch' &&
    clock.ms() - Date.parse(email.released_at ?? email.requested_at) >= max_kill_switch_ms);

async function defer(deps: SendDeps, email: EmailRow, decision: Stopped): Promise<void> {
  const was_stopped = email.hold?.kind === 'kill_switch';
  const held: EmailRow = {
    ...email,
    hold: decision.hold,
    admission: admissionText(decision),
    // The time limit of the kill switch starts when it first held the email back.
    released_at: was_stopped ? email.released_at : deps.clock.now().toISOString(),
  };
  try {
    await storeHold(deps, email, held, { commit: decision.commit });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = refusedAtCommit(decision, error);
    if (await claim(deps, email, refused)) await finish(deps, email, notAllowed(refused));
  }
}

/** A limit that is reached while the hand-over is counted becomes a refusal. Null when another run claimed the email. */
async function claimDecided(
  deps: SendDeps,
  email: EmailRow,
  decision: HandOverDecision,
): Promise<HandOverDecision | null> {
  try {
    return (await claim(deps, email, decision)) ? decision : null;
  } catch (error) {
    if (!(error instanceof ApiError) || decision.outcome !== 'allow') throw error;
    const refused = refusedAtCommit(decision, error);
    return (await claim(deps, email, refused)) ? refused : null;
  }
}

/**
 * From here on the email is never sent again: if this process ends before it has recorded the outcome, the sweeper closes
 * the email as unconfirmed. `decision` is null when the rules were not asked.
 */
async function claim(deps: SendDeps, email: EmailRow, decision: HandOverDecision | null): Promise<boolean> {
  const now_ms = deps.clock.ms();
  const is_allowed = decision?.outcome === 'allow';
  const claimed: EmailRow = {
    ...email,
    hold: null,
    admission: decision ? admissionText(is_allowed ? decision : { ...decision, outcome: 'refuse' }) : null,
    released_at: new Date(now_ms).toISOString(),
    send_deadline: sendDeadline(now_ms, deps.timeout_ms).toISOString(),
  };
  const is_claimed = await deps.db.transaction(async (tx) => {
    if (!(await changeWaiting(tx, email, claimed))) return false;
    if (!is_allowed) return true;
    await decision.commit?.(tx);
    if (email.hold) {
      const { kind } = email.hold;
      await deps.timeline.add(tx, [heldEntry(deps, email, { kind: 'released', detail: { kind } })]);
    }
    return true;
  });
  if (is_claimed) Object.assign(email, claimed);
  return is_claimed;
}

async function finish(deps: SendDeps, email: EmailRow, outcome: HandOverOutcome): Promise<void> {
  applyOutcome(email, outcome, deps.clock.now().toISOString());
  const is_recorded = await deps.recordOutcome({ email, outcome, answer: null });
  // The sweeper closed it before: now it is known that the transport accepted the message.
  if (!is_recorded && outcome.accepted) await deps.confirm(email, outcome);
}

// Forwards received emails as background jobs: admit, compose, hand over to the mail transport, record the outcome.
import type { Transaction } from '../../../../../platform/db/database.ts';
import type { Job, JobHandler } from '../../../../../platform/jobs.ts';
import type { Log } from '../../../../../platform/log.ts';
import type { SendOutcome, SimulatedMail } from '../../../../../providers/mail/transport.ts';
import {
  type Admission,
  admissionText,
  type GuardedTransport,
  type HandOverDecision,
  type Payload,
} from '../../../../rules/admission/index.ts';
import type { EmailDomainService } from '../../../email-domains/index.ts';
import type { ReturnPaths } from '../../send/message/return-path.ts';
import { type ComposeForwardDeps, composeForward, outgoingForward } from './compose-forward.ts';
import {
  countOnce,
  deferOrRefuse,
  type ForwardCheckDeps,
  mayWait,
  withConfirmedRecipients,
} from './forward-checks.ts';
import { type ForwardJob, forward_job } from './forward-job.ts';
import { beginHandOver, endHandOver, type ForwardedEmail, pendingForward } from './store.ts';
import { addForwardEntry } from './timeline.ts';

export type ForwardDeps = ForwardCheckDeps &
  ComposeForwardDeps & {
    transport: GuardedTransport | null;
    admission: Pick<Admission, 'admit'>;
    domains: Pick<EmailDomainService, 'sender' | 'signingKey' | 'returnDomain' | 'forwards'>;
    suppressedAmong(organization_id: string, addresses: string[]): Promise<string[]>;
    /** Return paths of forwards only: a bounce to one of them is about a forward. */
    return_paths: ReturnPaths;
    /** For the sandbox outbox. */
    storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
    timeout_ms: number;
    log: Log;
  };

/** More than fit into `max_wait_seconds`, which ends the attempts. */
const max_attempts = 1000;

const given_up: SendOutcome = {
  accepted: false,
  reason: 'timeout',
  retryable: false,
  detail: { response: 'The forwarding process ended twice before the outcome was known' },
};

export const forwardJobs = (deps: ForwardDeps): JobHandler[] => [
  {
    kind: forward_job,
    max_attempts,
    lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 60,
    run: (job) => forwardOrFail(deps, job),
    givenUp: (tx, job) => recordGivenUp(deps, tx, job.payload as ForwardJob),
  },
];

/** Two processes ended while they forwarded it, so it is unknown whether it was sent. */
async function recordGivenUp(deps: ForwardDeps, tx: Transaction, job: ForwardJob): Promise<void> {
  const email = await pendingForward(tx, job);
  if (!email) return;
  await recordOutcome(deps, tx, email, job, {
    outcome: given_up,
    recipients: job.forward_to,
    suppressed: [],
  });
}

/** Tries again for a day, as mail servers do. Then the forward ends with an entry on the timeline, whatever the reason is. */
async function forwardOrFail(deps: ForwardDeps, { payload }: Job): Promise<void> {
  const job = payload as ForwardJob;
  const email = await pendingForward(deps.db, job);
  // It was deleted or already forwarded.
  if (!email) return;
  try {
    await forwardEmail(deps, email, job);
  } catch (error) {
    if (mayWait(deps, email)) throw error;
    deps.log.error({ email_id: email.id, err: error }, 'forward given up');
    const failed: SendOutcome = { accepted: false, reason: 'provider_error', retryable: false, detail: {} };
    const recipients = job.forward_to;
    await deps.db.transaction((tx) =>
      recordOutcome(deps, tx, email, job, { outcome: failed, recipients, suppressed: [] }),
    );
  }
}

async function forwardEmail(deps: ForwardDeps, email: ForwardedEmail, queued: ForwardJob): Promise<void> {
  const { organization_id, email_domain_id } = queued;
  const sender = await deps.domains.sender(organization_id, { email_domain_id });
  // The domain was deleted.
  if (typeof sender === 'string') return;
  if (!deps.transport) throw new Error('There is no mail transport to forward with');
  const job = await withConfirmedRecipients(deps, email, queued);
  if (!job) return;
  const suppressed = await deps.suppressedAmong(organization_id, job.forward_to);
  const { recipients, decision } = await admitForward(deps, email, job, suppressed);
  if (decision.outcome !== 'allow') return deferOrRefuse(deps, email, job, decision);
  const message = await composeForward(deps, email, job, await deps.domains.signingKey(sender));
  const return_path = deps.return_paths.write(email.id, deps.domains.returnDomain(sender));
  const mail = outgoingForward(email, { recipients, return_path, message });
  const state = await beginHandOver(deps.db, job, admissionText(decision));
  if (state === 'settled') return;
  const outcome =
    state === 'given_up'
      ? given_up
      : await deps.transport.send(mail, decision.admitted, AbortSignal.timeout(deps.timeout_ms));
  if (!outcome.accepted && outcome.retryable && mayWait(deps, email)) {
    await endHandOver(deps.db, job, null);
    throw new Error(`Forwarding failed temporarily: ${outcome.reason}`);
  }
  await deps.db.transaction((tx) => recordOutcome(deps, tx, email, job, { outcome, recipients, suppressed }));
}

/** Runs the rules at hand-over for the recipients that are not suppressed. */
async function admitForward(
  deps: ForwardDeps,
  email: ForwardedEmail,
  job: ForwardJob,
  suppressed: string[],
): Promise<{ recipients: string[]; decision: HandOverDecision }> {
  const remaining = job.forward_to.filter((address) => !suppressed.includes(address));
  const all_suppressed = remaining.length === 0;
  const recipients = all_suppressed ? job.forward_to : remaining;
  const decision = await deps.admission.admit('hand_over', {
    organization_id: job.organization_id,
    channel: 'emails',
    origin: 'forward',
    recipients,
    consent: 'configured',
    suppressed: all_suppressed ? suppressed : [],
    record: { noun: 'email', id: email.id },
    principal: null,
    was_counted: email.was_admitted,
    payload: () => forwardPayload(email, recipients),
  });
  return { recipients, decision: await countOnce(deps, email, job, decision) };
}

/** The received message, unchanged. */
const forwardPayload = (email: ForwardedEmail, to: string[]): Payload => ({
  from: email.from_address,
  to,
  cc: [],
  bcc: [],
  subject: email.subject,
  body_text: email.body_text,
  body_html: email.body_html,
  attachments: [],
  more: { message_id: email.message_id },
  scheduled_at: null,
});

async function recordOutcome(
  deps: ForwardDeps,
  tx: Transaction,
  email: ForwardedEmail,
  job: ForwardJob,
  { outcome, recipients, suppressed }: { outcome: SendOutcome; recipients: string[]; suppressed: string[] },
): Promise<void> {
  if (outcome.simulated) await deps.storeSimulatedMail(tx, outcome.simulated());
  await endHandOver(tx, job, deps.clock.now());
  const { email_domain_id } = job;
  if (outcome.accepted) {
    await addForwardEntry(deps, tx, email, {
      kind: 'forwarded',
      detail: { recipients },
      dedupe_key: `forwarded:${email_domain_id}`,
    });
  } else {
    await addForwardEntry(deps, tx, email, {
      detail: { recipients, reason: outcome.reason, ...outcome.detail },
      dedupe_key: `forward_failed:${email_domain_id}`,
    });
  }
  if (suppressed.length > 0) {
    await addForwardEntry(deps, tx, email, {
      detail: { recipients: suppressed, reason: 'not_allowed', check: 'suppression' },
      dedupe_key: `forward_suppressed:${email_domain_id}`,
    });
  }
  const reports = outcome.accepted ? outcome.reports : [];
  for (const { kind, recipients: refused, detail, report_id } of reports) {
    if (kind !== 'bounced') continue;
    await addForwardEntry(deps, tx, email, {
      detail: { recipients: refused, ...detail },
      dedupe_key: `forward_bounced:${report_id}`,
    });
  }
}

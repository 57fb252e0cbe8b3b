// System mail: mail that the service itself writes to people, such as codes and links of accounts. Stored encrypted until it is sent.
import type { Mailbox } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { SystemMail, SystemMailSender } from '../../../platform/system-mail.ts';
import type { SigningKey } from '../../../protocols/mail/dkim/sign.ts';
import type { ComposedMail, SendOutcome, SimulatedMail } from '../../../providers/mail/transport.ts';
import type { Admission, GuardedTransport, Stopped } from '../../rules/admission/index.ts';
import { type Composition, withMessage } from '../emails/index.ts';
import { type SystemMessage, systemMessage } from './message.ts';
import { type SystemMailStore, systemMailStore, type WaitingMail } from './store.ts';

const job_kind = 'send_system_mail';
/** Retries for some minutes: the codes in these mails are valid for about a quarter of an hour. */
const max_attempts = 9;
const retention_days = 30;
/** How long a mail waits for the kill switch to be released. */
const max_held_seconds = 86_400;
const max_text_chars = 20_000;

export const system_mail_sealed_columns: readonly SealedColumn[] = [
  { table: 'system_mails', column: 'message_sealed' },
];

export type SystemMailDeps = {
  db: Database;
  clock: Clock;
  /** Decides when old mails are deleted. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  sealer: Sealer;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  transport: GuardedTransport | null;
  admission: Pick<Admission, 'admit'>;
  from: Mailbox;
  /** The key that signs mail of this domain; null if the service has none for it. */
  signingKey(domain: string): Promise<SigningKey | null>;
  compose(composition: Composition, signing: SigningKey | null): Promise<ComposedMail>;
  storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
  /** Whether programs can read mail to this address through this server. No system mail is sent there. */
  isReceivedHere(address: string): Promise<boolean>;
  timeout_ms: number;
};
type WithStore = SystemMailDeps & { store: SystemMailStore };

export function systemMailFeature(options: SystemMailDeps) {
  const store = systemMailStore(options.db);
  const deps: WithStore = { ...options, store };
  const requireTransport = (): void => {
    if (!deps.transport) throw new ApiError('system_mail_not_configured');
  };
  const jobs: JobHandler[] = [
    {
      kind: job_kind,
      max_attempts,
      lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 15,
      run: (job) => run(deps, job),
      // The mail has a secret, so it is not kept.
      givenUp: (tx, { payload }) =>
        store.failed(
          tx,
          (payload as { system_mail_id: string }).system_mail_id,
          deps.clock.now(),
          'unconfirmed',
        ),
    },
    {
      kind: 'forget_system_mails',
      every_seconds: 3600,
      run: async () =>
        void (await store.deleteBefore(new Date(deps.expiry_clock.ms() - retention_days * 86_400_000))),
    },
  ];
  const port: SystemMailSender = {
    async send(tx, mail) {
      requireTransport();
      await enqueueMail(deps, tx, mail);
    },
    requireTransport,
    isReceivedHere: deps.isReceivedHere,
  };
  return {
    jobs,
    ...port,
    /** Whether one of these is the id of a system mail. */
    has: store.has,
  };
}
export type SystemMailFeature = ReturnType<typeof systemMailFeature>;

const sealContext = (id: string) => `system_mail:${id}`;

async function enqueueMail(deps: WithStore, tx: Transaction, mail: SystemMail): Promise<void> {
  if (mail.text.length > max_text_chars) throw new RangeError('a system mail is too long');
  const id = deps.ids.next();
  const message: SystemMessage = { to: mail.to, subject: mail.subject, text: mail.text };
  const is_new = await deps.store.insert(tx, mail.organization_id, {
    id,
    kind: mail.kind,
    reference: mail.reference,
    message_sealed: deps.sealer.seal(JSON.stringify(message), sealContext(id)),
    created_at: deps.clock.now(),
  });
  if (!is_new) return;
  await deps.jobs.enqueue(tx, { kind: job_kind, payload: { system_mail_id: id } });
  tx.afterCommit(() => deps.jobs.wake());
}

async function run(deps: WithStore, { payload }: Job): Promise<void> {
  const { db, clock, store, transport } = deps;
  const { system_mail_id, holds = 0 } = payload as { system_mail_id: string; holds?: number };
  const mail = await store.waiting(system_mail_id);
  if (!mail) return;
  // This process has other settings than the one that stored the mail. The mail is not kept, because it has a secret.
  if (!transport) return store.failed(db, mail.id, clock.now(), 'system_mail_not_configured');
  if (mail.attempts >= max_attempts) return store.failed(db, mail.id, clock.now(), 'unconfirmed');
  const opened = deps.sealer.open(mail.message_sealed, sealContext(mail.id));
  const unsent = JSON.parse(opened.toString()) as SystemMessage;
  // Asked again here: the domain may have been added since the mail was written.
  if (await deps.isReceivedHere(unsent.to)) return refuseOwnAddress(deps, mail);
  const message = systemMessage(deps, mail, unsent);
  const decision = await deps.admission.admit('hand_over', {
    organization_id: null,
    channel: 'emails',
    origin: 'system',
    recipients: message.mail.envelope.to,
    consent: 'service',
  });
  if (decision.outcome !== 'allow') return holdOrFail(deps, mail, decision, holds);
  if (!(await store.beginAttempt(mail.id))) return;
  const deadline = AbortSignal.timeout(deps.timeout_ms);
  const outcome = await withMessage(transport, message, (each) =>
    transport.send(each, decision.admitted, deadline),
  );
  const can_retry = !outcome.accepted && outcome.retryable && mail.attempts + 1 < max_attempts;
  if (can_retry) throw new Error(`system mail not accepted yet: ${outcome.reason}`);
  await recordOutcome(deps, mail, outcome);
}

async function refuseOwnAddress({ db, clock, store, log }: WithStore, { id, kind }: WaitingMail) {
  await store.failed(db, id, clock.now(), 'address_received_here');
  log.warn({ system_mail_id: id, kind }, 'system mail not sent: this server receives mail for the address');
}

/** The kill switch also stops system mail. It waits, and no attempt is counted. */
async function holdOrFail(deps: WithStore, mail: WaitingMail, decision: Stopped, holds: number) {
  const { db, clock, store } = deps;
  const waited_seconds = (clock.ms() - mail.created_at.getTime()) / 1000;
  if (decision.outcome === 'refuse' || waited_seconds > max_held_seconds) {
    return store.failed(db, mail.id, clock.now(), 'not_allowed');
  }
  // A unique key for each hold: the row of this run is deleted when it ends, and a run after a crash adds no second one.
  await deps.jobs.enqueue(db, {
    kind: job_kind,
    payload: { system_mail_id: mail.id, holds: holds + 1 },
    run_at: new Date(clock.ms() + decision.retry_after_seconds * 1000),
    unique_key: `${job_kind}:${mail.id}:${holds + 1}`,
  });
}

async function recordOutcome(deps: WithStore, mail: WaitingMail, outcome: SendOutcome): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (outcome.simulated) await deps.storeSimulatedMail(tx, outcome.simulated());
    if (outcome.accepted) await deps.store.sent(tx, mail.id, deps.clock.now());
    else await deps.store.failed(tx, mail.id, deps.clock.now(), outcome.reason);
  });
  if (!outcome.accepted)
    deps.log.warn({ system_mail_id: mail.id, kind: mail.kind, reason: outcome.reason }, 'system mail failed');
}

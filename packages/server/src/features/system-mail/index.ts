// System mail: what the service itself writes to people, such as codes and links of accounts. Durable, sealed while it waits.
import { nil_uuid } from '@parley/contract/limits';
import { asciiDomain, type Mailbox } from '@parley/contract/mailbox';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { SealedColumn } from '../../platform/db/rewrap.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { ComposedMail, OutgoingMail, SimulatedMail } from '../../providers/mail/transport.ts';
import type { Admission, GuardedTransport, Stopped } from '../admission/index.ts';
import type { SigningKey } from '../email-domains/index.ts';
import type { Composition } from '../emails/index.ts';
import { systemMailStore, type WaitingMail } from './store.ts';

const job_kind = 'send_system_mail';
/** Some minutes of trying again: codes in these mails are good for about a quarter of an hour. */
const max_attempts = 9;
const kept_days = 30;
/** How long a mail waits for the kill switch to be lifted. */
const held_seconds = 86_400;
const max_text_chars = 20_000;

export type SystemMail = {
  /** One plain address that was checked before. */
  to: string;
  /** What sort of mail it is, such as verify_address. */
  kind: string;
  subject: string;
  text: string;
  organization_id: string | null;
  /** What it is about; a second mail of the same kind about the same reference is not sent. */
  reference: string;
};

export const system_mail_sealed_columns: readonly SealedColumn[] = [
  { table: 'system_mails', column: 'message_sealed' },
];

export type SystemMailDeps = {
  db: Database;
  clock: Clock;
  /** Old mails are deleted by it. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  sealer: Sealer;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  transport: GuardedTransport | null;
  admission: Pick<Admission, 'admit'>;
  from: Mailbox;
  /** The key that signs mail of this domain; null when the service has none for it. */
  signingKey(domain: string): Promise<SigningKey | null>;
  compose(composition: Composition, signing: SigningKey | null): Promise<ComposedMail>;
  storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
  timeout_ms: number;
};

type Message = Pick<SystemMail, 'to' | 'subject' | 'text'>;

const sealContext = (id: string) => `system_mail:${id}`;

export function systemMailFeature(deps: SystemMailDeps) {
  const { db, clock, ids, transport } = deps;
  const store = systemMailStore(db);

  /** Part of the caller's transaction: the mail goes out when that commits. */
  async function send(tx: Transaction, mail: SystemMail): Promise<void> {
    if (!transport) throw new ApiError('system_mail_not_configured');
    if (mail.text.length > max_text_chars) throw new RangeError('a system mail is too long');
    const id = ids.next();
    const message: Message = { to: mail.to, subject: mail.subject, text: mail.text };
    const is_new = await store.insert(tx, mail.organization_id, {
      id,
      kind: mail.kind,
      reference: mail.reference,
      message_sealed: deps.sealer.seal(JSON.stringify(message), sealContext(id)),
      created_at: clock.now(),
    });
    if (!is_new) return;
    await deps.jobs.enqueue(tx, { kind: job_kind, payload: { system_mail_id: id } });
    tx.afterCommit(() => deps.jobs.wake());
  }

  /** The kill switch stops mail of the service too: it waits, without an attempt being counted. */
  async function stopAtRule(mail: WaitingMail, decision: Stopped, holds: number): Promise<void> {
    const waited_seconds = (clock.ms() - mail.created_at.getTime()) / 1000;
    if (decision.outcome === 'refuse' || waited_seconds > held_seconds) {
      return store.failed(db, mail.id, clock.now(), 'not_allowed');
    }
    // Under a key of its own: this run's row is removed when it ends, and a run after a crash adds no second one.
    await deps.jobs.enqueue(db, {
      kind: job_kind,
      payload: { system_mail_id: mail.id, holds: holds + 1 },
      run_at: new Date(clock.ms() + decision.retry_after_seconds * 1000),
      unique_key: `${job_kind}:${mail.id}:${holds + 1}`,
    });
  }

  async function run({ payload }: Job): Promise<void> {
    const { system_mail_id, holds = 0 } = payload as { system_mail_id: string; holds?: number };
    const mail = await store.waiting(system_mail_id);
    if (!mail) return;
    // This process has other settings than the one that wrote the mail; it is not kept with the secret in it.
    if (!transport) return store.failed(db, mail.id, clock.now(), 'system_mail_not_configured');
    if (mail.attempts >= max_attempts) return store.failed(db, mail.id, clock.now(), 'unconfirmed');
    const opened = deps.sealer.open(mail.message_sealed, sealContext(mail.id));
    const message = JSON.parse(opened.toString()) as Message;
    const leaving = outgoing(deps, mail, message);
    const decision = await deps.admission.admit('hand_over', {
      organization_id: null,
      channel: 'emails',
      origin: 'system',
      recipients: leaving.envelope.to,
      consent: 'service',
    });
    if (decision.outcome !== 'allow') return stopAtRule(mail, decision, holds);
    if (!(await store.beginAttempt(mail.id))) return;
    const deadline = AbortSignal.timeout(deps.timeout_ms);
    const outcome = await transport.send(leaving, decision.admitted, deadline);
    const can_retry = !outcome.accepted && outcome.retryable && mail.attempts + 1 < max_attempts;
    if (can_retry) throw new Error(`system mail was not taken for now: ${outcome.reason}`);
    await db.transaction(async (tx) => {
      if (outcome.simulated) await deps.storeSimulatedMail(tx, outcome.simulated());
      if (outcome.accepted) await store.sent(tx, mail.id, clock.now());
      else await store.failed(tx, mail.id, clock.now(), outcome.reason);
    });
    if (!outcome.accepted)
      deps.log.warn(
        { system_mail_id: mail.id, kind: mail.kind, reason: outcome.reason },
        'system mail failed',
      );
  }

  const jobs: JobHandler[] = [
    { kind: job_kind, max_attempts, lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 15, run },
    {
      kind: 'forget_system_mails',
      every_seconds: 3600,
      run: async () =>
        void (await store.forgetBefore(new Date(deps.expiry_clock.ms() - kept_days * 86_400_000))),
    },
  ];

  return {
    send,
    jobs,
    /** Throws what `send` would throw, before anything else is done. */
    requireTransport(): void {
      if (!transport) throw new ApiError('system_mail_not_configured');
    },
    /** Whether a report of the mail provider is about one of these. */
    has: store.has,
  };
}
export type SystemMailFeature = ReturnType<typeof systemMailFeature>;
/** What other features need of it. */
export type SystemMailSender = Pick<SystemMailFeature, 'send' | 'requireTransport'>;

function outgoing(deps: SystemMailDeps, mail: WaitingMail, message: Message): OutgoingMail {
  const { from } = deps;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const message_id = `<${mail.id}@${asciiDomain(`x@${domain}`).slice(2)}>`;
  const shown_from = from.name ? `${from.name} <${from.address}>` : from.address;
  // RFC 3834 section 5: no automatic answers, please.
  const headers = { 'Auto-Submitted': 'auto-generated' };
  return {
    email_id: mail.id,
    organization_id: mail.organization_id ?? nil_uuid,
    envelope: { from: () => asciiDomain(from.address), to: [asciiDomain(message.to)] },
    message_id,
    shown: () => ({
      from: shown_from,
      to: [message.to],
      cc: [],
      reply_to: null,
      subject: message.subject,
      text: message.text,
      html: null,
      headers,
      attachments: [],
    }),
    firstLink: () => null,
    compose: async () =>
      deps.compose(
        {
          email_id: mail.id,
          message_id,
          date: mail.created_at,
          from: { name: from.name ?? '', address: asciiDomain(from.address) },
          to: [{ name: '', address: asciiDomain(message.to) }],
          cc: [],
          reply_to: null,
          subject: message.subject,
          text: message.text,
          html: null,
          in_reply_to: null,
          references: [],
          headers,
          attachments: [],
        },
        await deps.signingKey(domain.toLowerCase()),
      ),
  };
}

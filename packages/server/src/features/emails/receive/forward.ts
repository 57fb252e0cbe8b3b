// Passes received mail on: a return path of our own, a seal over what the checks found, and a mark that shows a circle.
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Job, JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import { forward_mark_header } from '../../../protocols/mail/mime/parse-message.ts';
import type { OutgoingMail, SendOutcome, SimulatedMail } from '../../../providers/mail/transport.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import {
  type Admission,
  admissionText,
  type GuardedTransport,
  type HandOverDecision,
  type Stopped,
  stoppedBecause,
} from '../../admission/index.ts';
import type { EmailDomainService, SigningKey } from '../../email-domains/index.ts';
import type { ReportIntake } from '../delivery-reports/intake.ts';
import type { StoreUnreadableReport } from '../delivery-reports/unreadable.ts';
import type { ReturnPaths } from '../send/return-path.ts';
import type { TimelineEntry } from '../timeline-store.ts';
import { forward_job } from './commit-messages.ts';
import type { MessageExaminer } from './examination/examiner.ts';
import type { ForwardedEmail, InboundStore } from './store.ts';

const max_attempts = 10;
/** How long a forward waits for the kill switch to be lifted. */
const held_seconds = 86_400;

const lost: SendOutcome = {
  accepted: false,
  reason: 'timeout',
  retryable: false,
  detail: { response: 'The forwarding process ended twice before the outcome was known' },
};

type Forward = {
  organization_id: string;
  email_id: string;
  email_domain_id: string;
  forward_to: string[];
  /** How often the kill switch held it back. */
  holds?: number;
};

export function forwarding(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  store: InboundStore;
  storage: ObjectStorage;
  transport: GuardedTransport | null;
  admission: Pick<Admission, 'admit'>;
  suppressedAmong(organization_id: string, addresses: string[]): Promise<string[]>;
  enqueue: Jobs['enqueue'];
  domains: Pick<EmailDomainService, 'sender' | 'signingKey' | 'returnDomain' | 'forwards'>;
  seal: MessageExaminer['seal'];
  readReport: ReportIntake['read'];
  /** Made for forwarded mail alone. */
  return_paths: ReturnPaths;
  addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
  storeUnreadableReport: StoreUnreadableReport;
  storeSimulatedMail(tx: Transaction, mail: SimulatedMail): Promise<void>;
  mail_host: string;
  timeout_ms: number;
}) {
  const { store, clock } = deps;

  const note = (
    tx: Transaction,
    { organization_id, id: email_id }: { organization_id: string; id: string },
    kind: 'forwarded' | 'forward_failed',
    detail: Record<string, unknown>,
    dedupe_key: string,
  ) =>
    deps.addToTimeline(tx, [
      {
        id: deps.ids.next(),
        organization_id,
        email_id,
        kind,
        occurred_at: clock.now().toISOString(),
        detail,
        dedupe_key,
        counted: [],
      },
    ]);

  /** The message as it arrived, below what we say about it; not one byte of it is changed, so its signatures hold. */
  const composed = async (
    email: ForwardedEmail,
    forward: Forward,
    signing: SigningKey | null,
  ): Promise<Buffer> => {
    const read = async () => {
      const content = await deps.storage.open(email.raw_key);
      if (!content) throw new Error(`The raw message of ${email.id} is gone`);
      return buffer(content);
    };
    const { arrival } = email;
    const from = arrival.remote_address
      ? `from ${token(arrival.helo)} ([${arrival.remote_address}])\r\n `
      : '';
    const own = [
      `${forward_mark_header}: ${forward.email_domain_id}`,
      `Received: ${from}by ${deps.mail_host} with ESMTP id ${email.id};\r\n ${clock.now().toUTCString().replace('GMT', '+0000')}`,
    ];
    const { raw, sealed } = signing
      ? await deps.seal(
          await read(),
          {
            domain: signing.domain,
            selector: signing.selector,
            private_key: signing.key.export({ type: 'pkcs8', format: 'pem' }) as string,
            authentication_results: arrival.authentication_results ?? `${deps.mail_host}; none`,
            arc: arrival.arc,
          },
          read,
        )
      : { raw: await read(), sealed: new Uint8Array() };
    return Buffer.concat([Buffer.from(`${own.join('\r\n')}\r\n`), sealed, raw]);
  };

  /** Counted once, however often it is tried; a full cap is a refusal like any other. */
  const counted = async (
    email: ForwardedEmail,
    forward: Forward,
    decision: HandOverDecision,
  ): Promise<HandOverDecision> => {
    if (decision.outcome !== 'allow' || !decision.commit || email.was_admitted) return decision;
    const { commit } = decision;
    try {
      await deps.db.transaction(async (tx) => {
        await commit(tx);
        const admission = admissionText(decision);
        await store.markAdmitted(tx, forward.organization_id, { ...forward, admission });
      });
      return decision;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const checks = [{ name: 'velocity', outcome: 'refuse', detail: error.code } as const];
      return {
        outcome: 'refuse',
        check: 'velocity',
        reason: 'not_allowed',
        error,
        retry_after_seconds: 0,
        checks,
      };
    }
  };

  /** Suppressed addresses are left out; the rest gets the message. */
  const mayLeave = async (email: ForwardedEmail, forward: Forward, suppressed: string[]) => {
    const left = forward.forward_to.filter((address) => !suppressed.includes(address));
    const recipients = left.length > 0 ? left : forward.forward_to;
    const decision = await deps.admission.admit('hand_over', {
      organization_id: forward.organization_id,
      channel: 'emails',
      origin: 'forward',
      recipients,
      consent: 'configured',
      suppressed: left.length > 0 ? [] : suppressed,
    });
    return { recipients, decision: await counted(email, forward, decision) };
  };

  const stopAtRule = async (email: ForwardedEmail, forward: Forward, decision: Stopped): Promise<void> => {
    const waited_seconds = (clock.ms() - email.forwarded_at.getTime()) / 1000;
    if (decision.outcome === 'defer' && waited_seconds < held_seconds) {
      // Under a key of its own: this run's row is removed when it ends, and a run after a crash adds no second one.
      const holds = (forward.holds ?? 0) + 1;
      await deps.enqueue(deps.db, {
        kind: forward_job,
        payload: { ...forward, holds },
        run_at: new Date(clock.ms() + decision.retry_after_seconds * 1000),
        unique_key: `${forward_job}:${forward.email_id}:${forward.email_domain_id}:${holds}`,
      });
      return;
    }
    const key = forward.email_domain_id;
    const detail = {
      recipients: forward.forward_to,
      reason: 'not_allowed',
      ...stoppedBecause(decision),
    };
    await deps.db.transaction(async (tx) => {
      const admission = admissionText(decision);
      await store.endHandover(tx, forward.organization_id, { ...forward, admission }, clock.now());
      await note(tx, email, 'forward_failed', detail, `forward_failed:${key}`);
    });
  };

  /**
   * The forward without those who stopped it, or were removed, since the message came in; null when nobody is left.
   * Asked at each attempt: what the queue holds may be hours old.
   */
  const stillConfirmed = async (email: ForwardedEmail, forward: Forward): Promise<Forward | null> => {
    const { organization_id, email_domain_id: key } = forward;
    const confirmed = new Set(await deps.domains.forwards.confirmed(organization_id, key));
    const gone = forward.forward_to.filter((address) => !confirmed.has(address));
    if (gone.length === 0) return forward;
    const left = forward.forward_to.filter((address) => confirmed.has(address));
    await deps.db.transaction(async (tx) => {
      if (left.length === 0) await store.endHandover(tx, organization_id, forward, clock.now());
      const detail = { recipients: gone, reason: 'not_allowed', check: 'confirmation' };
      await note(tx, email, 'forward_failed', detail, `forward_unconfirmed:${key}`);
    });
    return left.length === 0 ? null : { ...forward, forward_to: left };
  };

  const run = async ({ payload, attempts }: Job): Promise<void> => {
    const queued = payload as Forward;
    const { organization_id } = queued;
    const email = await store.forwarded(organization_id, queued);
    const sender = await deps.domains.sender(organization_id, { email_domain_id: queued.email_domain_id });
    // Removed meanwhile, passed on, or no longer ours.
    if (!email || typeof sender === 'string') return;
    if (!deps.transport) throw new Error('There is no mail transport to forward with');
    const forward = await stillConfirmed(email, queued);
    if (!forward) return;
    const suppressed = await deps.suppressedAmong(organization_id, forward.forward_to);
    const { recipients, decision } = await mayLeave(email, forward, suppressed);
    if (decision.outcome !== 'allow') return stopAtRule(email, forward, decision);
    const return_domain = deps.domains.returnDomain(sender);
    const message = await composed(email, forward, await deps.domains.signingKey(sender));
    const from = deps.return_paths.write(email.id, return_domain);
    const mail = outgoing(email, recipients, message, from);
    const admission = admissionText(decision);
    const begun = await store.beginHandover(organization_id, { ...forward, admission });
    if (begun === 'settled') return;
    const outcome =
      begun === 'given_up'
        ? lost
        : await deps.transport.send(mail, decision.admitted, AbortSignal.timeout(deps.timeout_ms));
    if (!outcome.accepted && outcome.retryable && attempts + 1 < max_attempts) {
      await store.endHandover(deps.db, organization_id, forward, null);
      throw new Error(`Forwarding failed for now: ${outcome.reason}`);
    }
    await deps.db.transaction(async (tx) => {
      if (outcome.simulated) await deps.storeSimulatedMail(tx, outcome.simulated());
      await store.endHandover(tx, organization_id, forward, clock.now());
      const key = forward.email_domain_id;
      if (outcome.accepted) await note(tx, email, 'forwarded', { recipients }, `forwarded:${key}`);
      else {
        const detail = { recipients, reason: outcome.reason, ...outcome.detail };
        await note(tx, email, 'forward_failed', detail, `forward_failed:${key}`);
      }
      if (suppressed.length > 0) {
        const detail = { recipients: suppressed, reason: 'not_allowed', check: 'suppression' };
        await note(tx, email, 'forward_failed', detail, `forward_suppressed:${key}`);
      }
      const refused = outcome.accepted ? outcome.reports.filter(({ kind }) => kind === 'bounced') : [];
      for (const { recipients: whom, detail, report_id } of refused) {
        await note(
          tx,
          email,
          'forward_failed',
          { recipients: whom, ...detail },
          `forward_bounced:${report_id}`,
        );
      }
    });
  };

  const jobs: JobHandler[] = [
    { kind: forward_job, max_attempts, lease_seconds: Math.ceil(deps.timeout_ms / 1000) + 60, run },
  ];

  return {
    jobs,
    isReturnPath: (address: string): boolean => deps.return_paths.read(address) !== null,

    /** A bounce of what was passed on: told on the timeline, and never sent on to the writer, who did not write there. */
    async takeReport(recipient: string, raw: Buffer): Promise<void> {
      const id = deps.return_paths.read(recipient);
      const email = id && (await store.locate(id));
      if (!email) return;
      const message = await deps.readReport(raw, { recipient });
      const { report } = message;
      if (!report) {
        if (!message.is_understood) await deps.storeUnreadableReport(email, { ...message, raw });
        return;
      }
      await deps.db.transaction(async (tx) => {
        for (const { kind, recipients, detail, report_id } of report.reports) {
          if (kind !== 'bounced') continue;
          await note(tx, email, 'forward_failed', { recipients, ...detail }, `forward_bounced:${report_id}`);
        }
      });
    },
  };
}

/** Words of a stranger, made fit for a header. */
const token = (text: string | null) => (text ?? '').replaceAll(/[^\w.:[\]-]/g, '').slice(0, 255) || 'unknown';

const outgoing = (
  email: ForwardedEmail,
  forward_to: string[],
  message: Buffer,
  from: string,
): OutgoingMail => ({
  email_id: email.id,
  organization_id: email.organization_id,
  envelope: { from: () => from, to: forward_to },
  message_id: email.message_id ?? `<${email.id}@forwarded.invalid>`,
  shown: () => ({
    from: email.from_name ? `${email.from_name} <${email.from_address}>` : email.from_address,
    to: forward_to,
    cc: [],
    reply_to: null,
    subject: email.subject,
    text: email.body_text,
    html: email.body_html,
    headers: {},
    attachments: [],
  }),
  firstLink: () => null,
  compose: async () => ({ size_bytes: message.length, content: () => message, dispose: async () => {} }),
});

// Puts everything about mail together: domains, attachments, sending, receiving.
import { readFileSync } from 'node:fs';
import { readMailbox } from '@parley/contract/mailbox';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { systemMailFrom } from '../config/mail.ts';
import type { Admission, GuardedTransport } from '../features/admission/index.ts';
import { emailAttachmentFeature } from '../features/email-attachments/index.ts';
import { addForwardPages, emailDomainRoutes, emailDomainService } from '../features/email-domains/index.ts';
import { emailSuppressionFeature } from '../features/email-suppressions/index.ts';
import { emailFeature } from '../features/emails/index.ts';
import type { Funds } from '../features/funds/index.ts';
import { mailObjectSweep } from '../features/mail-objects/index.ts';
import { type OutboxSource, sandboxOutboxFeature } from '../features/sandbox-outbox/index.ts';
import type { StorageQuota } from '../features/storage-quota/index.ts';
import { systemMailFeature } from '../features/system-mail/index.ts';
import { type Clock, type MovableClock, systemClock } from '../platform/clock.ts';
import type { Sealer } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import { dnsResolver } from '../platform/dns.ts';
import { untilCut } from '../platform/drain.ts';
import type { Idempotency } from '../platform/idempotency.ts';
import type { Ids } from '../platform/ids.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { CountOutcome } from '../platform/metrics.ts';
import type { Outbox } from '../platform/outbox.ts';
import type { UnitOfWork } from '../platform/unit-of-work/unit-of-work.ts';
import { selfSignedCertificate } from '../protocols/self-signed-certificate.ts';
import type { SpamScanner } from '../providers/spam/spam-scanner.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import type { VirusScanner } from '../providers/virus/virus-scanner.ts';

const certificate_days = 3650;
const buffered_bytes = 512 * 1024 * 1024;

export function mailFeatures(deps: {
  config: Config;
  db: Database;
  clock: MovableClock;
  /** Uploads and other leftovers are deleted by it. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  countOutcome: CountOutcome;
  outbox: Outbox;
  unitOfWork: UnitOfWork;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  enqueue: Jobs['enqueue'];
  storage: ObjectStorage;
  quota: StorageQuota;
  transport: GuardedTransport | null;
  scanners: { spam: SpamScanner | null; virus: VirusScanner | null };
  sealer: Sealer;
  idempotency: Idempotency;
  admission: Pick<Admission, 'admit'>;
  funds: Pick<Funds, 'charging' | 'charge'>;
  /** Aborted when a stop begins. */
  draining: AbortSignal;
  /** The domain of addresses that need no set-up while the transport is simulated. */
  sandbox_domain: string;
  /** The sandbox outbox of the other channels. */
  outbox_sources: readonly OutboxSource[];
  baseUrl(): string;
  keyFor(purpose: string): Buffer;
}) {
  const { config, transport } = deps;
  const service_mail_domain = config.PARLEY_SERVICE_MAIL_DOMAIN;
  const mail_host = config.PARLEY_MAIL_HOST ?? service_mail_domain;
  const dns_servers = config.PARLEY_DNS_SERVERS?.split(',').map((each) => each.trim()) ?? [];
  const timeout_ms = config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000;

  const suppressions = emailSuppressionFeature(deps);
  const domains = emailDomainService({
    ...deps,
    forward_per_hour_max: config.PARLEY_FORWARD_PER_HOUR_MAX,
    suppressedAmong: suppressions.among,
    mail: { can_send: transport !== null, send: (tx, mail) => system_mail.send(tx, mail) },
    dns: dnsResolver({ servers: dns_servers }),
    service_mail: {
      domain: service_mail_domain,
      prefix_user: config.PARLEY_SERVICE_MAIL_PREFIX_USER,
      prefix_org: config.PARLEY_SERVICE_MAIL_PREFIX_ORG,
    },
    mail_host,
    spf: config.PARLEY_MAIL_SPF ?? `v=spf1 a:${mail_host} ~all`,
    provider: transport?.name ?? 'none',
    sandbox_domain: transport?.capabilities.simulated ? deps.sandbox_domain : null,
  });
  const attachments = emailAttachmentFeature({
    ...deps,
    clock: deps.expiry_clock,
    max_bytes: config.PARLEY_ATTACHMENT_MAX_BYTES,
    email_max_bytes: config.PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES,
    kept_days: config.PARLEY_ATTACHMENT_KEPT_DAYS,
  });
  const emails = emailFeature({
    ...deps,
    ...deps.scanners,
    domains,
    attachments,
    suppressions,
    keys: {
      tracking: deps.keyFor('tracking links'),
      return_path: deps.keyFor('return paths'),
      forward_path: deps.keyFor('forward paths'),
      preview: deps.keyFor('mail previews'),
    },
    isSystemMail: (id) => system_mail.has(id),
    storeSimulatedMail: (tx, mail) => sandbox_outbox.storeSimulatedMail(tx, mail),
    has_sandbox: config.sandbox,
    mail_host,
    timeout_ms,
    dns_servers,
    max_bytes: config.PARLEY_INBOUND_MAX_BYTES,
    emails_per_minute: config.PARLEY_INBOUND_EMAILS_PER_MINUTE,
    peer_limits: {
      connections: config.PARLEY_INBOUND_PEER_CONNECTIONS,
      messages_per_minute: config.PARLEY_INBOUND_PEER_MESSAGES_PER_MINUTE,
    },
  });
  const sandbox_outbox = sandboxOutboxFeature({
    ...deps,
    is_on: config.sandbox,
    sources: [...deps.outbox_sources, { channel: 'email', page: emails.sandboxOutbox }],
  });
  const system_mail = systemMailFeature({
    ...deps,
    from: readMailbox(systemMailFrom(config))!,
    signingKey: domains.serviceMailKey,
    compose: emails.compose,
    storeSimulatedMail: sandbox_outbox.storeSimulatedMail,
    timeout_ms,
  });
  const certificate = () => {
    const { PARLEY_INBOUND_TLS_CERT: cert, PARLEY_INBOUND_TLS_KEY: key } = config;
    if (cert !== null && key !== null) {
      return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    }
    return selfSignedCertificate({ host: mail_host, now: new Date(), days: certificate_days });
  };
  let listener: ReturnType<typeof emails.smtpListener> | null = null;

  return {
    domains,
    system_mail,
    reports: emails.reports,
    jobs: [
      ...emails.jobs,
      ...system_mail.jobs,
      ...attachments.jobs,
      ...sandbox_outbox.jobs,
      ...domains.forwards.jobs,
      mailObjectSweep({ ...deps, wall_clock: systemClock() }),
    ],
    routes: [
      ...emails.routes,
      attachments.routes,
      emailDomainRoutes(domains),
      suppressions.routes,
      sandbox_outbox.routes,
    ],
    /** Says what must stand in DNS before others can verify mail of composed addresses. */
    async prepare(): Promise<void> {
      if (!transport && config.PARLEY_MANAGED === 'on') {
        deps.log.warn(
          'managed mode has no mail transport: nobody can prove an address, make an account or reset a password; set PARLEY_SMTP_URL or PARLEY_MAIL_TRANSPORT',
        );
      }
      if (!transport || transport.capabilities.simulated) return;
      const { name, type, value } = await domains.serviceMailRecord();
      deps.log.info(
        { dns_name: name, dns_type: type, dns_value: value },
        'service_mail mail is signed: publish this record in DNS',
      );
    },
    addHttp(http: FastifyInstance): void {
      emails.addHttp(http);
      addForwardPages(http, domains.forwards);
    },
    smtp: {
      /** The port it listens on. */
      listen(): Promise<number> {
        listener = emails.smtpListener({
          host: config.SMTP_HOST ?? config.HOST,
          port: config.SMTP_PORT ?? (config.PORT === 0 ? 0 : 2525),
          name: mail_host,
          tls: certificate(),
          max_bytes: config.PARLEY_INBOUND_MAX_BYTES,
          max_connections: config.PARLEY_INBOUND_CONNECTIONS,
          max_buffered_bytes: buffered_bytes,
        });
        return listener.listen();
      },
      /** Messages under way may finish, until the cut. */
      async close(cut?: AbortSignal): Promise<void> {
        if (listener) await untilCut(listener.close(), cut);
      },
    },
    async close(): Promise<void> {
      await transport?.close();
      await emails.close();
    },
  };
}
export type MailFeatures = ReturnType<typeof mailFeatures>;

// Puts the service together: the only file that knows every feature and every vendor.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { contactRoutes, contactService } from './features/contacts/index.ts';
import { emailAttachmentFeature } from './features/email-attachments/index.ts';
import { emailDomainRoutes, emailDomainService } from './features/email-domains/index.ts';
import { emailSuppressionFeature } from './features/email-suppressions/index.ts';
import { emailFeature, type ReportIntake } from './features/emails/index.ts';
import { eventLog } from './features/events/index.ts';
import { identityRoutes, sharedKeyAuthenticator } from './features/identity/index.ts';
import { addReferenceRoutes } from './features/reference/index.ts';
import { sandboxTools } from './features/sandbox/index.ts';
import { sandboxOutboxFeature } from './features/sandbox-outbox/index.ts';
import { addStatusRoutes } from './features/status/index.ts';
import { type WebhookDeps, webhooks } from './features/webhooks/index.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { derivedKey, type MasterKey, sealer } from './platform/crypto.ts';
import type { Database } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import { dnsResolver } from './platform/dns.ts';
import type { Authenticator } from './platform/http/context.ts';
import { httpServer } from './platform/http/server.ts';
import { idempotency } from './platform/idempotency.ts';
import { type Ids, uuidv7Ids } from './platform/ids.ts';
import { type JobHandler, type Jobs, jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { makeMetrics } from './platform/metrics.ts';
import { outbox } from './platform/outbox.ts';
import { rateLimiter } from './platform/rate-limit.ts';
import { type KeptMail, sandbox_domain, sandboxTransport } from './providers/mail/sandbox/index.ts';
import { sesTransport } from './providers/mail/ses/index.ts';
import { smtpTransport } from './providers/mail/smtp/index.ts';
import type { MailTransport } from './providers/mail/transport.ts';
import { folderStorage } from './providers/storage/folder/index.ts';
import { s3Storage } from './providers/storage/s3/index.ts';
import type { ObjectStorage } from './providers/storage/storage.ts';

export const migrations_folder = fileURLToPath(new URL('../migrations', import.meta.url));

export type AppOptions = {
  config: Config;
  db: Database;
  log: Log;
  shared_key: string | null;
  /** Seals the secrets in the database; the first seals, all open. */
  master_keys: readonly MasterKey[];
  /** Further ways to recognise a caller. */
  authenticators?: Authenticator[];
  check_answers?: boolean;
  /** The network's edge of webhooks, for tests. */
  webhook_network?: WebhookDeps['network'];
};

export type App = {
  http: FastifyInstance;
  /** Bounces and complaints that arrive at a return path. */
  mail_reports: ReportIntake;
  jobs: ReturnType<typeof jobs>;
  /** What every role needs before it begins. */
  prepare(): Promise<void>;
  /** Background work of every kind. */
  workers: { start(): Promise<void>; stop(): Promise<void> };
  close(): Promise<void>;
  /** The public address, known for certain once the server listens. */
  baseUrl(): string;
  listening(port: number): void;
};

export function buildApp(options: AppOptions): App {
  const { config, db, log } = options;
  const clock = systemClock();
  const ids = uuidv7Ids(clock);
  const metrics = makeMetrics();
  const limiter = rateLimiter({ db, limit_per_minute: config.PARLEY_REQUESTS_PER_MINUTE });
  const remembered = idempotency({ db, clock });

  let port = config.PORT;
  const baseUrl = () =>
    config.PARLEY_BASE_URL ??
    `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;

  const base = { db, clock, ids, log };
  const sealed = sealer(options.master_keys);
  const keyFor = (purpose: string) => derivedKey(options.master_keys[0]!.key, purpose);
  // Features put work in the queue that is made below, when all their handlers are known.
  const enqueue: Jobs['enqueue'] = async (on, job) => {
    await background.enqueue(on, job);
    background.wake();
  };
  const events = eventLog({ db, log, heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000 });
  const hooks = webhooks({
    ...base,
    sealer: sealed,
    private_targets: config.WEBHOOK_PRIVATE_TARGETS,
    is_managed: false,
    timeout_ms: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    enqueue: (on, job) => background.enqueue(on, job),
    ...(options.webhook_network ? { network: options.webhook_network } : {}),
  });
  const written = outbox({
    clock,
    ids,
    fan_out: {
      statement: hooks.fan_out.statement,
      committed(rows, stored) {
        hooks.fan_out.committed(rows, stored);
        events.wake(stored.map((event) => event.organization_id));
      },
    },
  });
  const storage = objectStorage(config, { ...base, key: keyFor('object links'), baseUrl });

  const contacts = contactService(base);
  const sandbox_outbox = sandboxOutboxFeature({ ...base, is_on: config.sandbox });
  const transport = mailTransport(config, {
    clock,
    keep: ({ organization_id, email_id, from, to, message }) =>
      sandbox_outbox.keep({
        organization_id,
        channel: 'email',
        resource_id: email_id,
        sender: from,
        recipients: to,
        message,
      }),
  });
  const mail_host = config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN;
  const email_domains = emailDomainService({
    ...base,
    sealer: sealed,
    dns: dnsResolver({ servers: config.PARLEY_DNS_SERVERS?.split(',').map((each) => each.trim()) ?? [] }),
    service_mail: {
      domain: config.PARLEY_SERVICE_MAIL_DOMAIN,
      prefix_user: config.PARLEY_SERVICE_MAIL_PREFIX_USER,
      prefix_org: config.PARLEY_SERVICE_MAIL_PREFIX_ORG,
    },
    mail_host,
    spf: config.PARLEY_MAIL_SPF ?? `v=spf1 a:${mail_host} ~all`,
    provider: transport?.name ?? 'none',
    pretended_domain: transport?.capabilities.pretends ? sandbox_domain : null,
  });
  const suppressions = emailSuppressionFeature(base);
  const attachments = emailAttachmentFeature({
    ...base,
    storage,
    max_bytes: config.PARLEY_ATTACHMENT_MAX_BYTES,
    email_max_bytes: config.PARLEY_EMAIL_ATTACHMENTS_MAX_BYTES,
    kept_days: config.PARLEY_ATTACHMENT_KEPT_DAYS,
  });
  const emails = emailFeature({
    ...base,
    outbox: written,
    idempotency: remembered,
    enqueue,
    storage,
    transport,
    domains: email_domains,
    attachments,
    suppressions,
    baseUrl,
    tracking_key: keyFor('tracking links'),
    return_path_key: keyFor('return paths'),
    service_mail_domain: config.PARLEY_SERVICE_MAIL_DOMAIN,
    timeout_ms: config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000,
  });

  const handlers: JobHandler[] = [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await remembered.forgetExpired()),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
    ...emails.jobs,
    ...attachments.jobs,
    ...sandbox_outbox.jobs,
    ...hooks.job_handlers,
  ];
  const background = jobs({ ...base, handlers });
  const sandbox = config.sandbox
    ? sandboxTools({ db, clock, log, outbox: written, waiters: [hooks.sender, background] })
    : null;

  const http = httpServer(
    {
      log,
      clock,
      ids,
      metrics,
      limiter,
      idempotency: remembered,
      authenticators: [
        ...(options.shared_key ? [sharedKeyAuthenticator(options.shared_key)] : []),
        ...(options.authenticators ?? []),
      ],
      check_answers: options.check_answers ?? false,
    },
    [
      identityRoutes(),
      contactRoutes(contacts),
      emails.routes,
      attachments.routes,
      emailDomainRoutes(email_domains),
      suppressions.routes,
      hooks.routes,
      events.routes,
      ...(sandbox ? [sandbox.routes] : []),
      sandbox_outbox.routes,
    ],
  );
  addStatusRoutes(http, {
    metrics,
    readiness: [
      { name: 'database', check: async () => void (await db.rows(sql`select 1`)) },
      { name: 'storage', check: () => storage.check() },
    ],
  });
  addReferenceRoutes(http, { baseUrl });
  storage.addRoutes?.(http);
  emails.addPublicRoutes(http);
  http.addHook('onClose', async () => transport?.close());

  return {
    http,
    mail_reports: emails.reports,
    jobs: background,
    prepare: async () => sandbox?.clock.start(),
    workers: {
      async start() {
        hooks.sender.start();
        await background.start();
      },
      async stop() {
        await Promise.all([hooks.sender.stop(), background.stop()]);
      },
    },
    close: async () => sandbox?.clock.stop(),
    baseUrl,
    listening(actual) {
      port = actual;
    },
  };
}

function objectStorage(
  config: Config,
  deps: { clock: Clock; ids: Ids; key: Buffer; baseUrl(): string },
): ObjectStorage & { addRoutes?(http: FastifyInstance): void } {
  if (config.PARLEY_STORAGE === 'folder') {
    return folderStorage({ ...deps, folder: join(config.data_dir, 'objects') });
  }
  return s3Storage({
    endpoint: config.PARLEY_S3_ENDPOINT!,
    region: config.PARLEY_S3_REGION,
    bucket: config.PARLEY_S3_BUCKET!,
    access_key_id: config.PARLEY_S3_ACCESS_KEY_ID!,
    secret_access_key: config.PARLEY_S3_SECRET_ACCESS_KEY!,
    clock: deps.clock,
  });
}

function mailTransport(
  config: Config,
  deps: { clock: Clock; keep(mail: KeptMail): Promise<void> },
): MailTransport | null {
  const timeout_ms = config.PARLEY_EMAIL_TIMEOUT_SECONDS * 1000;
  const chosen =
    config.PARLEY_MAIL_TRANSPORT ?? (config.PARLEY_SMTP_URL ? 'smtp' : config.sandbox ? 'sandbox' : null);
  if (chosen === 'sandbox') return sandboxTransport(deps);
  if (chosen === 'smtp') {
    return smtpTransport({
      url: config.PARLEY_SMTP_URL!,
      max_connections: config.PARLEY_SMTP_CONNECTIONS,
      tls: config.PARLEY_SMTP_TLS,
      hostname: config.PARLEY_MAIL_HOST ?? config.PARLEY_SERVICE_MAIL_DOMAIN,
      timeout_ms,
    });
  }
  if (chosen === 'ses') {
    return sesTransport({
      region: config.PARLEY_SES_REGION!,
      access_key_id: config.PARLEY_SES_ACCESS_KEY_ID!,
      secret_access_key: config.PARLEY_SES_SECRET_ACCESS_KEY!,
      configuration_set: config.PARLEY_SES_CONFIGURATION_SET,
      topic_arn: config.PARLEY_SES_TOPIC_ARN,
      endpoint: config.PARLEY_SES_ENDPOINT,
      clock: deps.clock,
      timeout_ms,
    });
  }
  return null;
}

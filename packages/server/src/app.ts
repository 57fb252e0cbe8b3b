// Puts the service together: the only file that knows every feature and every vendor.
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { managedMode } from './features/accounts/index.ts';
import { auditLog, auditRoutes } from './features/audit/index.ts';
import { contactRoutes, contactService } from './features/contacts/index.ts';
import { eventLog } from './features/events/index.ts';
import { fundsRoutes, fundsService } from './features/funds/index.ts';
import { identityRoutes, sharedKeyAuthenticator } from './features/identity/index.ts';
import { channelLimits, killSwitchRoutes } from './features/limits/index.ts';
import { egressProbe, providerRoutes, providerSettings } from './features/provider-settings/index.ts';
import { addReferenceRoutes } from './features/reference/index.ts';
import { sandboxTools } from './features/sandbox/index.ts';
import { addStatusRoutes } from './features/status/index.ts';
import { targetPolicy, type WebhookDeps, webhooks } from './features/webhooks/index.ts';
import { systemClock } from './platform/clock.ts';
import { type MasterKey, sealer } from './platform/crypto.ts';
import type { Database } from './platform/db/database.ts';
import type { SealedColumn } from './platform/db/rewrap.ts';
import { sql } from './platform/db/sql.ts';
import type { Authenticator } from './platform/http/context.ts';
import { httpServer } from './platform/http/server.ts';
import { idempotency } from './platform/idempotency.ts';
import { uuidv7Ids } from './platform/ids.ts';
import { type JobHandler, jobs } from './platform/jobs.ts';
import type { Log } from './platform/log.ts';
import { makeMetrics } from './platform/metrics.ts';
import { outbox } from './platform/outbox.ts';
import { rateLimiter } from './platform/rate-limit.ts';
import { openaiCompatibleLlm } from './providers/llm/openai-compatible/manifest.ts';
import { deepgramStt } from './providers/stt/deepgram/manifest.ts';
import { openaiCompatibleStt } from './providers/stt/openai-compatible/manifest.ts';
import { cartesiaTts } from './providers/tts/cartesia/manifest.ts';
import { elevenlabsTts } from './providers/tts/elevenlabs/manifest.ts';
import { openaiCompatibleTts } from './providers/tts/openai-compatible/manifest.ts';

export const migrations_folder = fileURLToPath(new URL('../migrations', import.meta.url));

/** Every column that holds values sealed with the master key. */
export const sealed_columns: readonly SealedColumn[] = [
  { table: 'webhook_subscriptions', column: 'secret_sealed' },
  { table: 'webhook_subscriptions', column: 'previous_secret_sealed' },
  { table: 'provider_settings', column: 'key_sealed' },
];

/** Providers an organization may bring its own keys for. */
const provider_manifests = [
  openaiCompatibleLlm,
  openaiCompatibleStt,
  deepgramStt,
  openaiCompatibleTts,
  elevenlabsTts,
  cartesiaTts,
];

export type AppOptions = {
  config: Config;
  db: Database;
  log: Log;
  shared_key: string | null;
  /** Needed in managed mode. */
  auth_secret?: string | null;
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

  const is_managed = config.PARLEY_MANAGED === 'on';
  const sealing = sealer(options.master_keys);
  const audit = auditLog({ db, clock, ids });
  const contacts = contactService({ db, clock, ids });
  const limits = channelLimits({
    db,
    clock,
    audit,
    agent_caps: {
      calls: config.PARLEY_AGENT_CALLS_PER_HOUR,
      emails: config.PARLEY_AGENT_EMAILS_PER_HOUR,
      sms: config.PARLEY_AGENT_SMS_PER_HOUR,
    },
  });
  const funds = fundsService({ db, clock, ids, audit, charging: config.PARLEY_FUNDS === 'on' });
  const policy = targetPolicy(config.WEBHOOK_PRIVATE_TARGETS, { is_managed });
  const egress = egressProbe({ policy });
  const providers = providerSettings({
    db,
    clock,
    sealer: sealing,
    audit,
    known: provider_manifests,
    policy,
    probe: egress.probe,
  });
  const managed = managedMode({
    db,
    clock,
    wall_clock: systemClock(),
    ids,
    log,
    contacts,
    audit,
    baseUrl,
    managed: is_managed,
    outside_issuer: config.PARLEY_JWT_ISSUER
      ? { issuer: config.PARLEY_JWT_ISSUER, jwks_url: config.PARLEY_JWT_JWKS_URL! }
      : null,
    audiences: () =>
      config.PARLEY_JWT_AUDIENCES.length > 0
        ? config.PARLEY_JWT_AUDIENCES
        : [baseUrl(), config.PARLEY_MCP_URL],
    secret: options.auth_secret ?? '',
    sign_up: config.PARLEY_SIGN_UP,
    mcp_url: config.PARLEY_MCP_URL,
  });
  const events = eventLog({ db, log, heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000 });
  const hooks = webhooks({
    db,
    clock,
    ids,
    log,
    sealer: sealing,
    private_targets: config.WEBHOOK_PRIVATE_TARGETS,
    is_managed,
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

  const sweepers: JobHandler[] = [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await remembered.forgetExpired()),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
    ...limits.jobs,
    ...managed.jobs,
    ...hooks.job_handlers,
  ];
  const background = jobs({ db, clock, ids, log, handlers: sweepers });
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
        ...managed.authenticators,
        ...(options.authenticators ?? []),
      ],
      trusted_proxies: config.PARLEY_TRUSTED_PROXIES,
      check_answers: options.check_answers ?? false,
    },
    [
      identityRoutes(),
      contactRoutes(contacts),
      providerRoutes(providers),
      fundsRoutes(funds),
      killSwitchRoutes(limits),
      auditRoutes(audit),
      ...managed.routes,
      hooks.routes,
      events.routes,
      ...(sandbox ? [sandbox.routes] : []),
    ],
  );
  http.addHook('onClose', () => egress.close());
  managed.addAccountRoutes(http);
  addStatusRoutes(http, {
    metrics,
    readiness: [{ name: 'database', check: async () => void (await db.rows(sql`select 1`)) }],
  });
  addReferenceRoutes(http, { baseUrl });

  return {
    http,
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

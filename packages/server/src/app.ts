// Puts the service together: the only file that knows every feature and every vendor.
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { agentRoutes, agentService } from './features/agents/index.ts';
import { addCarrierCallbacks } from './features/carriers/index.ts';
import { contactRoutes, contactService } from './features/contacts/index.ts';
import { eventLog } from './features/events/index.ts';
import { identityRoutes, sharedKeyAuthenticator } from './features/identity/index.ts';
import { numbersFeature } from './features/numbers/index.ts';
import { addReferenceRoutes } from './features/reference/index.ts';
import { sandboxTools } from './features/sandbox/index.ts';
import { smsFeature } from './features/sms/index.ts';
import { addStatusRoutes } from './features/status/index.ts';
import { verificationJobs, verificationRoutes, verificationService } from './features/verifications/index.ts';
import { type WebhookDeps, webhooks } from './features/webhooks/index.ts';
import { type MovableClock, systemClock } from './platform/clock.ts';
import { type MasterKey, sealer } from './platform/crypto.ts';
import type { Database } from './platform/db/database.ts';
import { sql } from './platform/db/sql.ts';
import type { Authenticator } from './platform/http/context.ts';
import { httpServer } from './platform/http/server.ts';
import { idempotency } from './platform/idempotency.ts';
import { uuidv7Ids } from './platform/ids.ts';
import { type JobHandler, type Jobs, jobs } from './platform/jobs.ts';
import { mover } from './platform/lifecycle.ts';
import type { Log } from './platform/log.ts';
import { makeMetrics } from './platform/metrics.ts';
import { outbox } from './platform/outbox.ts';
import { rateLimiter } from './platform/rate-limit.ts';
import type { Carrier, News } from './providers/carrier/carrier.ts';
import { carrierRegistry } from './providers/carrier/registry.ts';
import { default_sms_sender, poolNumbers, sandboxCarrier } from './providers/carrier/sandbox/index.ts';
import { telnyxCarrier } from './providers/carrier/telnyx/index.ts';
import { twilioCarrier } from './providers/carrier/twilio/index.ts';
import { sandboxBrain } from './providers/llm/sandbox/index.ts';

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
  jobs: Jobs;
  /** What every role needs before it begins; safe to repeat. */
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

  const events = eventLog({ db, log, heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000 });
  const hooks = webhooks({
    db,
    clock,
    ids,
    log,
    sealer: sealer(options.master_keys),
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
  const move = mover({ outbox: written });
  // Features put jobs in the queue that is built from their handlers further down.
  const queue: Pick<Jobs, 'enqueue' | 'wake'> = {
    enqueue: (on, job) => background.enqueue(on, job),
    wake: () => background.wake(),
  };
  const base = { db, clock, ids, log, move, outbox: written, jobs: queue, enqueue: queue.enqueue };

  const hear = (carrier: string, news: News[]) => sms.hear(carrier, news);
  const carriers = carrierRegistry(carriersOf(config, { hear, baseUrl, clock }), config.carrier);
  const brain = sandboxBrain();

  const contacts = contactService(base);
  const agents = agentService(base);
  const verifications = verificationService({ ...base, carriers });
  const numbers = numbersFeature({
    ...base,
    carriers,
    agents,
    verifications,
    idempotency: remembered,
    pool_grace_seconds: config.PARLEY_POOL_GRACE_SECONDS,
  });
  const sms = smsFeature({
    ...base,
    carriers,
    numbers,
    agents,
    brain: async () => brain,
    default_sender:
      config.PARLEY_SMS_DEFAULT_SENDER ?? (config.carrier === 'sandbox' ? default_sms_sender : null),
    automatic_replies: config.PARLEY_SMS_AUTOMATIC_REPLIES,
    sends: config.PARLEY_ROLES.includes('worker'),
  });

  const sweepers: JobHandler[] = [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await remembered.forgetExpired()),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
    ...hooks.job_handlers,
  ];
  const background = jobs({
    ...base,
    handlers: [...sweepers, ...verificationJobs(verifications), ...numbers.jobs, ...sms.jobs],
  });
  const sandbox = config.sandbox
    ? sandboxTools({ ...base, waiters: [sms.dispatcher, background, hooks.sender] })
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
      agentRoutes(agents),
      verificationRoutes(verifications),
      ...numbers.routes,
      ...sms.routes,
      hooks.routes,
      events.routes,
      ...(sandbox ? [sandbox.routes, sms.sandbox_routes] : []),
    ],
  );
  addStatusRoutes(http, {
    metrics,
    readiness: [{ name: 'database', check: async () => void (await db.rows(sql`select 1`)) }],
  });
  addReferenceRoutes(http, { baseUrl });
  addCarrierCallbacks(http, { carriers, hear, log, baseUrl });

  return {
    http,
    jobs: {
      ...background,
      async drain() {
        await sms.dispatcher.drain();
        await background.drain();
      },
    },
    async prepare() {
      await sandbox?.clock.start();
      if (config.sandbox) await numbers.pool.seed('sandbox', poolNumbers);
    },
    workers: {
      async start() {
        hooks.sender.start();
        await background.start();
      },
      async stop() {
        await Promise.all([hooks.sender.stop(), sms.dispatcher.stop(), background.stop()]);
      },
    },
    close: async () => sandbox?.clock.stop(),
    baseUrl,
    listening(actual) {
      port = actual;
    },
  };
}

/** The carriers whose credentials are set, and the sandbox where it is on. */
function carriersOf(
  config: Config,
  deps: { hear(carrier: string, news: News[]): Promise<void>; baseUrl(): string; clock: MovableClock },
): Carrier[] {
  const carriers: Carrier[] = [];
  const callbackUrl = (carrier: string) => () => `${deps.baseUrl()}/v1/carriers/${carrier}/callbacks`;
  if (config.sandbox) carriers.push(sandboxCarrier({ hear: (news) => deps.hear('sandbox', news) }));
  if (config.TWILIO_ACCOUNT_SID !== null && config.TWILIO_AUTH_TOKEN !== null) {
    carriers.push(
      twilioCarrier({
        account_sid: config.TWILIO_ACCOUNT_SID,
        auth_token: config.TWILIO_AUTH_TOKEN,
        base_url: config.TWILIO_BASE_URL,
        callbackUrl: callbackUrl('twilio'),
      }),
    );
  }
  const { TELNYX_API_KEY, TELNYX_PUBLIC_KEY, TELNYX_MESSAGING_PROFILE_ID } = config;
  if (TELNYX_API_KEY !== null && TELNYX_PUBLIC_KEY !== null && TELNYX_MESSAGING_PROFILE_ID !== null) {
    carriers.push(
      telnyxCarrier({
        api_key: TELNYX_API_KEY,
        public_key: TELNYX_PUBLIC_KEY,
        messaging_profile_id: TELNYX_MESSAGING_PROFILE_ID,
        connection_id: config.TELNYX_CONNECTION_ID,
        base_url: config.TELNYX_BASE_URL,
        callbackUrl: callbackUrl('telnyx'),
        // The carrier lives in the world’s time, however far the sandbox has moved ours.
        now_ms: () => deps.clock.ms() - deps.clock.offset_ms(),
      }),
    );
  }
  return carriers;
}

// Puts the service together: the only file that knows every feature and every vendor.
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { contactRoutes, contactService } from './features/contacts/index.ts';
import { eventLog } from './features/events/index.ts';
import { identityRoutes, sharedKeyAuthenticator } from './features/identity/index.ts';
import { addReferenceRoutes } from './features/reference/index.ts';
import { sandboxTools } from './features/sandbox/index.ts';
import { addStatusRoutes } from './features/status/index.ts';
import { type WebhookDeps, webhooks } from './features/webhooks/index.ts';
import { systemClock } from './platform/clock.ts';
import { type MasterKey, sealer } from './platform/crypto.ts';
import type { Database } from './platform/db/database.ts';
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

  const contacts = contactService({ db, clock, ids });
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

  const sweepers: JobHandler[] = [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await remembered.forgetExpired()),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
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
        ...(options.authenticators ?? []),
      ],
      check_answers: options.check_answers ?? false,
    },
    [
      identityRoutes(),
      contactRoutes(contacts),
      hooks.routes,
      events.routes,
      ...(sandbox ? [sandbox.routes] : []),
    ],
  );
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

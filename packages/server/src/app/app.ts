// Puts the service together: the only file that knows every feature and every vendor.
import { fileURLToPath } from 'node:url';
import { organizationCeiling } from '../config/identity.ts';
import { mcpAccess } from '../config/mcp.ts';
import { managedMode } from '../features/accounts/index.ts';
import { admissionFeature, guardTransport } from '../features/admission/index.ts';
import { agentRoutes, agentService } from '../features/agents/index.ts';
import { auditLog, auditRoutes } from '../features/audit/index.ts';
import { callFeature } from '../features/calls/index.ts';
import { addConsoleRoutes } from '../features/console/index.ts';
import { contactRoutes, contactService } from '../features/contacts/index.ts';
import { eventLog } from '../features/events/index.ts';
import { fundsRoutes, fundsService } from '../features/funds/index.ts';
import { identityRoutes, sharedKeyAuthenticator } from '../features/identity/index.ts';
import { channelLimits, killSwitchRoutes } from '../features/limits/index.ts';
import { numbersFeature } from '../features/numbers/index.ts';
import { egressProbe, providerRoutes, providerSettings } from '../features/provider-settings/index.ts';
import { addReferenceRoutes } from '../features/reference/index.ts';
import { sandboxTools } from '../features/sandbox/index.ts';
import { smsFeature } from '../features/sms/index.ts';
import { statusFeature } from '../features/status/index.ts';
import { storageQuota } from '../features/storage-quota/index.ts';
import {
  verificationJobs,
  verificationRoutes,
  verificationService,
} from '../features/verifications/index.ts';
import { webhooks } from '../features/webhooks/index.ts';
import { systemClock } from '../platform/clock.ts';
import { derivedKey, sealer } from '../platform/crypto.ts';
import type { SealedColumn } from '../platform/db/rewrap.ts';
import { diskSpace } from '../platform/disk-space.ts';
import { makeDrain } from '../platform/drain.ts';
import { guardedAgent } from '../platform/egress/guarded-agent.ts';
import { targetPolicy } from '../platform/egress/target-policy.ts';
import { authentication } from '../platform/http/authenticate.ts';
import { ceilings } from '../platform/http/ceilings.ts';
import { failedCredentials } from '../platform/http/failed-credentials.ts';
import { httpServer } from '../platform/http/server.ts';
import { idempotency } from '../platform/idempotency.ts';
import { uuidv7Ids } from '../platform/ids.ts';
import { type JobHandler, type Jobs, jobs } from '../platform/jobs.ts';
import { mover } from '../platform/lifecycle.ts';
import { makeMetrics } from '../platform/metrics.ts';
import { outbox } from '../platform/outbox.ts';
import { rateLimiter } from '../platform/rate-limit.ts';
import type { CarrierEvent } from '../providers/carrier/carrier.ts';
import { default_sms_sender, poolNumbers } from '../providers/carrier/sandbox/index.ts';
import { sandboxLlm } from '../providers/llm/sandbox/index.ts';
import { sandbox_domain } from '../providers/mail/sandbox/index.ts';
import type { App, AppOptions } from './interface.ts';
import { mailFeatures } from './mail.ts';
import { telephony } from './telephony.ts';
import { mailScanners, mailTransport, objectStorage, ownEngines, provider_manifests } from './vendors.ts';

export type { App, AppOptions } from './interface.ts';

export const migrations_folder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Every column that holds values sealed with the master key. */
export const sealed_columns: readonly SealedColumn[] = [
  { table: 'webhook_subscriptions', column: 'secret_sealed' },
  { table: 'webhook_subscriptions', column: 'previous_secret_sealed' },
  { table: 'provider_settings', column: 'key_sealed' },
  { table: 'email_domains', column: 'dkim_private_key' },
  { table: 'service_mail_keys', column: 'private_key' },
  { table: 'calls', column: 'brain_key_sealed' },
  { table: 'system_mails', column: 'message_sealed' },
  { table: 'master_key', column: 'signing_key_sealed' },
];

export function buildApp(options: AppOptions): App {
  const { config, db, log } = options;
  const clock = systemClock();
  const wall_clock = options.wall_clock ?? systemClock();
  const is_managed = config.PARLEY_MANAGED === 'on';
  // Deletions, the expiry of credentials and caps go by it: where tenants share the process, a sandbox clock that was
  // moved must not delete or end what belongs to others.
  const expiry_clock = is_managed ? wall_clock : clock;
  const ids = uuidv7Ids(clock);
  const metrics = makeMetrics();
  const limiter = ceilings({
    credentials: rateLimiter({ db, limit_per_minute: config.PARLEY_REQUESTS_PER_MINUTE }),
    organizations: rateLimiter({ db, limit_per_minute: organizationCeiling(config) }),
  });
  const remembered = idempotency({ db, clock: expiry_clock });

  let mcp_listening: string | null = null;
  const mcp = () => mcpAccess(config, mcp_listening);
  let port = config.PORT;
  const baseUrl = () =>
    config.PARLEY_BASE_URL ??
    `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;

  const drain = makeDrain();
  const { countOutcome, countAttempt, observeTurn } = metrics;
  const core = { db, clock, expiry_clock, ids, log, countOutcome, draining: drain.signal };
  const sealed = sealer(options.master_keys);
  const keyFor = (purpose: string) => derivedKey(options.signing_key ?? options.master_keys[0]!.key, purpose);
  // Features put jobs in the queue that is built from their handlers further down.
  const queue: Pick<Jobs, 'enqueue' | 'wake'> = {
    async enqueue(on, job) {
      await background.enqueue(on, job);
      background.wake();
    },
    wake: () => background.wake(),
  };
  const events = eventLog({
    ...core,
    heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000,
    kept_days: config.PARLEY_EVENTS_KEPT_DAYS,
    forgetDependents: (before) => hooks.forgetBefore(before),
  });
  const hooks = webhooks({
    ...core,
    countAttempt,
    sealer: sealed,
    private_targets: config.WEBHOOK_PRIVATE_TARGETS,
    is_managed,
    timeout_ms: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    hasEmailDomain: (organization_id, id) => mail.domains.has(organization_id, id),
    enqueue: queue.enqueue,
    ...(options.webhook_network ? { network: options.webhook_network } : {}),
  });
  const written = outbox({
    clock,
    ids,
    fan_out: {
      parts: hooks.fan_out.parts,
      committed(rows, stored) {
        const is_leaving = hooks.fan_out.committed(rows, stored);
        events.wake(stored.map((event) => event.organization_id));
        return is_leaving;
      },
    },
  });
  const base = {
    ...core,
    move: mover({ outbox: written }),
    outbox: written,
    jobs: queue,
    enqueue: queue.enqueue,
  };
  // Elsewhere the disk of this machine holds nothing that lasts.
  const disk =
    config.DATABASE_URL === null || config.PARLEY_STORAGE === 'folder'
      ? diskSpace({ folder: config.data_dir, min_bytes: config.PARLEY_STORAGE_MIN_FREE_MB * 1024 * 1024 })
      : null;
  const storage = objectStorage(config, { ...core, wall_clock, key: keyFor('object links'), baseUrl, disk });
  const quota = storageQuota({ db, quota_mb: config.PARLEY_STORAGE_QUOTA_MB });

  const handleEvents = async (carrier: string, events: CarrierEvent[]) => {
    await Promise.all([sms.handleEvents(carrier, events), calls.handleEvents(carrier, events)]);
  };
  const phones = telephony(config, {
    ...core,
    handleEvents,
    baseUrl,
    speech: options.speech,
    phoneChanged: (call) => calls.phoneChanged(call),
    endCalls: (cut) => calls.dispatcher.stop(cut),
  });
  const { carriers } = phones;

  const contacts = contactService(base);
  const audit = auditLog(base);
  const switched = () => sms.dispatcher.switched();
  const limits = channelLimits({ ...base, clock: expiry_clock, audit, config, switched });
  const funds = fundsService({ ...base, audit, charging: config.PARLEY_FUNDS === 'on' });
  const policy = targetPolicy(config.WEBHOOK_PRIVATE_TARGETS, { is_managed });
  const egress = egressProbe({ policy });
  const providers = providerSettings({
    ...base,
    sealer: sealed,
    audit,
    known: provider_manifests,
    policy,
    probe: egress.probe,
  });
  const managed = managedMode({
    ...base,
    clock: expiry_clock,
    wall_clock,
    contacts,
    audit,
    mail: {
      send: (...given) => mail.system_mail.send(...given),
      requireTransport: () => mail.system_mail.requireTransport(),
    },
    baseUrl,
    config,
    secret: options.auth_secret ?? '',
  });
  const agents = agentService(base);
  const verifications = verificationService({ ...base, carriers });
  const numbers = numbersFeature({
    ...base,
    carriers,
    agents,
    verifications,
    funds,
    idempotency: remembered,
    pool_grace_seconds: config.PARLEY_POOL_GRACE_SECONDS,
    openCalls: (call_ids) => calls.openCalls(call_ids),
  });
  const admission = admissionFeature({ ...core, config, limits, funds, carriers, numbers, providers });
  const llm_agent = guardedAgent({ policy });
  const own_engines = ownEngines(llm_agent);
  const sms = smsFeature({
    ...base,
    carriers,
    numbers,
    agents,
    admission,
    providers,
    openLlm: own_engines.llm,
    sandbox_llm: sandboxLlm(),
    default_sender:
      config.PARLEY_SMS_DEFAULT_SENDER ?? (config.carrier === 'sandbox' ? default_sms_sender : null),
    automatic_replies: config.PARLEY_SMS_AUTOMATIC_REPLIES,
    sends: config.PARLEY_ROLES.includes('worker'),
  });
  const calls = callFeature({
    ...base,
    carriers,
    numbers,
    agents,
    admission,
    funds,
    storage,
    quota,
    sealer: sealed,
    speech: phones.speech,
    sandbox_line: phones.sandbox_line,
    own_engines,
    providers,
    llm_url_policy: policy,
    baseUrl,
    observeTurn,
    at_once: config.PARLEY_ROLES.includes('worker') ? config.PARLEY_CALLS_AT_ONCE : 0,
    queue_seconds: config.PARLEY_CALL_QUEUE_SECONDS,
    lease_seconds: config.PARLEY_CALL_LEASE_SECONDS,
  });

  const transport = mailTransport(config, wall_clock, options.mail_network);
  const mail = mailFeatures({
    ...base,
    config,
    storage,
    quota,
    transport: transport && guardTransport(transport),
    scanners: mailScanners(config),
    sealer: sealed,
    idempotency: remembered,
    admission,
    funds,
    sandbox_domain,
    outbox_sources: [
      { channel: 'sms', page: sms.sandboxOutbox },
      { channel: 'call', page: calls.sandboxOutbox },
    ],
    baseUrl,
    keyFor,
  });

  const handlers: JobHandler[] = [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await remembered.forgetExpired()),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
    ...limits.jobs,
    ...managed.jobs,
    ...mail.jobs,
    ...verificationJobs(verifications),
    ...numbers.jobs,
    ...sms.jobs,
    ...calls.jobs,
    ...hooks.job_handlers,
    ...events.jobs,
  ];
  const background = jobs({ ...core, handlers });
  const sandbox = config.sandbox
    ? sandboxTools({
        ...base,
        is_shared: is_managed,
        waiters: [sms.dispatcher, calls.dispatcher, ...phones.ringing, background, hooks.sender],
      })
    : null;

  const access = {
    authenticators: [
      ...(options.shared_key ? [sharedKeyAuthenticator(options.shared_key)] : []),
      ...managed.authenticators,
      ...(options.authenticators ?? []),
    ],
    failures: failedCredentials({ limit_per_minute: config.PARLEY_FAILED_CREDENTIALS_PER_MINUTE }),
  };
  const http = httpServer(
    {
      log,
      clock,
      ids,
      metrics,
      limiter,
      ...access,
      idempotency: remembered,
      trusted_proxies: config.PARLEY_TRUSTED_PROXIES,
      check_answers: options.check_answers ?? false,
      drain,
      stall_ms: config.PARLEY_CLIENT_STALL_SECONDS * 1000,
    },
    [
      identityRoutes(),
      contactRoutes(contacts),
      providerRoutes(providers),
      fundsRoutes(funds),
      killSwitchRoutes(limits),
      auditRoutes(audit),
      ...managed.routes,
      ...mail.routes,
      agentRoutes(agents),
      verificationRoutes(verifications),
      ...numbers.routes,
      ...sms.routes,
      ...calls.routes,
      hooks.routes,
      events.routes,
      ...(sandbox ? [sandbox.routes, sms.sandbox_routes, mail.sandbox_routes] : []),
    ],
  );
  managed.addAccountRoutes(http);
  const status = statusFeature(http, {
    ...core,
    metrics,
    metrics_access: config.PARLEY_METRICS,
    authenticate: authentication(access),
    callsInProgress: calls.leading,
    mailConnections: transport?.pool,
    readiness: [
      { name: 'storage', check: () => storage.check() },
      ...(disk ? [{ name: 'disk', check: disk.check }] : []),
      ...phones.readiness,
    ],
  });
  addReferenceRoutes(http, { baseUrl, mcp });
  addConsoleRoutes(http, {
    config,
    baseUrl,
    mcp,
    has_shared_key: options.shared_key !== null,
    objects_url: config.PARLEY_STORAGE === 's3' ? config.PARLEY_S3_ENDPOINT : null,
  });
  storage.addRoutes?.(http);
  mail.addPublicRoutes(http);
  phones.addRoutes(http);

  return {
    http,
    status,
    mail_reports: mail.reports,
    smtp: mail.smtp,
    jobs: { ...background, drain: () => sms.dispatcher.drain().then(() => background.drain()) },
    async prepare() {
      await sandbox?.clock.start();
      if (config.sandbox) await numbers.pool.seed('sandbox', poolNumbers);
      await mail.prepare();
      await admission.prepare();
    },
    workers: {
      async start() {
        await phones.start();
        hooks.sender.start();
        calls.dispatcher.start();
        await background.start();
      },
      async stop(cut) {
        await calls.dispatcher.stop(cut);
        await Promise.all([hooks.sender.stop(cut), sms.dispatcher.stop(cut), background.stop(cut)]);
        await phones.stop();
      },
    },
    async drain(cut) {
      drain.begin();
      await calls.dispatcher.stop(cut);
    },
    async close() {
      sandbox?.clock.stop();
      await Promise.all([mail.close(), llm_agent.destroy(), egress.close()]);
    },
    baseUrl,
    listening(actual) {
      port = actual;
    },
    mcpListening(url) {
      mcp_listening = url;
    },
  };
}

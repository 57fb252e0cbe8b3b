// Builds the service from its parts: folds the list of features into one HTTP server and one job queue.

import { operatorKeyAuthenticator, sharedKeyAuthenticator } from '../features/access/identity/index.ts';
import { compatibleEndpoints } from '../features/channels/compatible-endpoints/index.ts';
import { mailFeatures } from '../features/channels/mail/index.ts';
import { answerRequests } from '../features/channels/message-agents/index.ts';
import { callReadiness, callsAtOnce, mailReadiness } from '../features/channels/phones/readiness.ts';
import { buildSubmission } from '../features/channels/submission/submission-servers.ts';
import { consoleFeature } from '../features/operations/console/index.ts';
import { buildGoLive } from '../features/operations/go-live/service-facts.ts';
import { referenceFeature } from '../features/operations/reference/index.ts';
import { sandboxFeature } from '../features/operations/sandbox/index.ts';
import { setAsideWorkFeature } from '../features/operations/set-aside-work/index.ts';
import { cachedCheck, type Readiness, statusFeature } from '../features/operations/status/index.ts';
import { guardTransport } from '../features/rules/admission/index.ts';
import { storageQuota } from '../features/rules/storage-quota/index.ts';
import type { Feature } from '../platform/feature.ts';
import { authentication } from '../platform/http/authenticate.ts';
import type { Routes } from '../platform/http/context.ts';
import { failedCredentials } from '../platform/http/failed-credentials.ts';
import type { LogRequest } from '../platform/http/handled-request.ts';
import { openHolds } from '../platform/http/holds.ts';
import { type HttpDeps, httpServer } from '../platform/http/server.ts';
import { type Jobs, jobs } from '../platform/jobs.ts';
import { sandbox_domain } from '../providers/mail/sandbox/index.ts';
import type { MailTransport } from '../providers/mail/transport.ts';
import type { ObjectStorage } from '../providers/storage/storage.ts';
import { buildCore, type Core, coreFeature } from './core.ts';
import { buildErasures } from './erasures.ts';
import { type Base, buildEvents } from './events.ts';
import { buildExplain, buildRequestLog } from './explain.ts';
import type { App, AppOptions } from './interface.ts';
import type { Parts, TelephonyParts, TenancyParts } from './parts.ts';
import { buildRetention } from './retention.ts';
import { buildTelephony } from './telephony.ts';
import { buildTenancy } from './tenancy.ts';
import { mailScanners, mailTransport, objectStorage } from './vendors.ts';
import { buildViews } from './views.ts';

export type { App, AppOptions } from './interface.ts';

/** A check writes to the disk, and anybody may ask for readiness. */
const storage_check_ms = 2000;

export function buildApp(options: AppOptions): App {
  const core = buildCore(options);
  const parts = {} as Parts;
  const { base, ...events } = buildEvents(core, parts);
  const storage = objectStorage(core.config, { ...core, key: core.keyFor('object links') });
  const quota = storageQuota({ db: core.db, quota_mb: core.config.PARLEY_STORAGE_QUOTA_MB });
  const tenancy = buildTenancy(base, parts);
  const scanners = mailScanners(base.config);
  const telephony = buildTelephony({ ...base, tenancy, storage, quota, virus: scanners.virus }, parts);
  const transport = replaced(mailTransport(core.config, core.wall_clock, options.mail_network), options);
  const mail = buildMail({ ...base, storage, quota, transport, scanners }, tenancy, telephony);
  Object.assign(parts, events, tenancy, telephony, { mail });
  Object.assign(parts, buildViews(base, parts));

  const request_log = buildRequestLog(core);
  const features: Feature[] = [
    ...featuresOf(core, parts),
    buildErasures(base, parts, storage),
    buildRetention(base, parts, storage),
    setAsideWorkFeature({ ...base, ...parts, audit: parts.audit.log }),
    { routes: quota.routes, jobs: quota.jobs },
    buildExplain(parts, request_log),
    request_log,
  ];
  const background = jobs({
    ...core,
    handlers: features.flatMap((feature) => feature.jobs ?? []),
    delay_recurring: options.delay_recurring_jobs ?? false,
  });
  core.queue.bind(background);
  // First: the others must see the sandbox's time from their first statement on.
  if (core.config.sandbox) features.unshift(buildSandbox(base, parts, background));

  const access = buildAccess(core, parts);
  const mail_readiness = mailReadiness(transport);
  const submission = buildSubmission(core, parts, access);
  const status = buildStatus(core, parts, {
    access,
    storage,
    transport,
    mail_readiness,
    submission: submission.readiness,
  });
  features.push(submission.feature, buildCompatibleEndpoints(core, parts, access));
  features.push(buildGoLive(core, parts, { transport, mail: mail_readiness }));
  const web_console = buildConsole(core);
  features.push(status, referenceFeature(core), web_console, {
    addHttp: (http) => storage.addRoutes?.(http),
  });
  const routes = features.flatMap(({ routes }) => routes ?? []);
  const { logRequest } = request_log;
  const { admitExit } = tenancy.approvals;
  const http = buildHttp(core, access, { features, routes, logRequest, admitExit });

  return {
    http,
    internalHttp: () => buildHttp(core, access, { features: [telephony.phones], routes: [] }),
    async finishCalls(cut) {
      core.drain.begin();
      await telephony.phones.finishCalls(cut);
    },
    loadSpeech: telephony.phones.load,
    status: status.process,
    mail_reports: mail.reports,
    waiting_emails: mail.waiting_emails,
    waiting_sms: telephony.sms.waiting_sms,
    waiting_calls: telephony.calls.waiting_calls,
    smtp: mail.smtp,
    submission: submission.servers,
    jobs: { ...background, drain: () => drainAll(background, parts) },
    projector: parts.projector,
    storeLateRecordings: telephony.calls.storeLateRecordings,
    ...lifecycleOf(core, features, background),
    baseUrl: core.baseUrl,
    signInLink: web_console.signInLink,
    listening: core.listening,
    mcpListening: core.mcpListening,
  };
}

/** Does everything in the background that is due: for tests. */
async function drainAll(background: Jobs, parts: Parts): Promise<void> {
  await parts.sms.dispatcher.drain();
  await background.drain();
  await parts.projector.drain();
  await parts.waits.follower.drain();
  await parts.receipts.issuer.drain();
}

const replaced = (transport: MailTransport | null, { replace_providers }: AppOptions) =>
  transport && (replace_providers?.transport(transport) ?? transport);

/** The features of the product, in the order in which they start. */
const featuresOf = (core: Core, parts: Parts): Feature[] => [
  coreFeature(core),
  parts.phones,
  parts.identity,
  parts.contacts,
  parts.providers,
  parts.funds,
  parts.sending_rules,
  parts.consents,
  parts.budgets,
  parts.limits,
  parts.audit,
  parts.quiet_hours,
  parts.known_parties,
  parts.recipient_limits,
  parts.approvals,
  parts.conversation_tokens,
  parts.receive_rules,
  parts.accounts,
  parts.mail,
  parts.agents,
  parts.tools,
  parts.mcp_servers,
  parts.agent_runtime,
  parts.verifications,
  parts.numbers,
  parts.admission,
  parts.webhooks,
  parts.events,
  parts.sms,
  parts.calls,
  parts.conversations,
  parts.search,
  parts.waits,
  parts.receipts,
  parts.message_agents,
  // Its `drain` writes everything that is due, and is not a step of a stop.
  { jobs: parts.projector.jobs, start: parts.projector.start, stop: parts.projector.stop },
];

function buildMail(
  base: Base &
    Pick<Parameters<typeof mailFeatures>[0], 'storage' | 'quota' | 'scanners'> & {
      transport: ReturnType<typeof mailTransport>;
    },
  tenancy: TenancyParts,
  { sms, calls, admission, agents }: TelephonyParts,
) {
  return mailFeatures({
    ...base,
    transport: base.transport && guardTransport(base.transport, base.tracing),
    admission,
    requestAnswer: answerRequests(base),
    hasAgent: async (organization_id, id) => (await agents.service.find(organization_id, id)) !== null,
    funds: tenancy.funds.service,
    audit: tenancy.audit.log,
    rules: tenancy.receive_rules,
    revocations: tenancy.consents.revocations,
    withdrawApproval: tenancy.approvals.withdraw,
    budgets: tenancy.budgets,
    approvals: tenancy.approvals.gate,
    sandbox_domain,
    outbox_sources: [
      { channel: 'sms', page: sms.sandboxOutbox },
      { channel: 'call', page: calls.sandboxOutbox },
    ],
  });
}

const buildSandbox = (
  base: Base,
  { sms, calls, phones, webhooks, projector, waits }: Parts,
  background: Jobs,
) =>
  sandboxFeature({
    ...base,
    is_shared: base.is_managed,
    waiters: [
      sms.dispatcher,
      calls.dispatcher,
      ...phones.ringing,
      background,
      projector,
      waits.follower,
      webhooks.sender,
    ],
  });

const sharedKeys = ({ options, config }: Core) => {
  const { shared_key } = options;
  // With accounts, agents have keys of their own, and the shared key is the operator's.
  const beside_operator_key = Boolean(options.operator_key) && config.PARLEY_MANAGED === 'off';
  const previous = config.PARLEY_SHARED_KEY_PREVIOUS;
  const grants_consent = config.PARLEY_SHARED_KEY_GRANTS_CONSENT === 'on';
  return [
    ...(shared_key ? [sharedKeyAuthenticator(shared_key, { grants_consent, beside_operator_key })] : []),
    ...(previous
      ? [
          sharedKeyAuthenticator(previous, {
            credential_id: 'shared_key:previous',
            grants_consent,
            beside_operator_key,
          }),
        ]
      : []),
  ];
};

function buildAccess(core: Core, { accounts, conversation_tokens, identity }: Parts) {
  const authenticators = [
    ...sharedKeys(core),
    ...(core.options.operator_key ? [operatorKeyAuthenticator(core.options.operator_key)] : []),
    conversation_tokens.authenticator,
    ...accounts.authenticators,
    ...(core.options.authenticators ?? []),
  ];
  return {
    authenticators,
    holds: openHolds({ ...core, authenticators, refresh: identity.changes.refresh }),
    failures: failedCredentials({ limit_per_minute: core.config.PARLEY_FAILED_CREDENTIALS_PER_MINUTE }),
  };
}
type Access = ReturnType<typeof buildAccess>;

const buildStatus = (
  core: Core,
  { calls, phones }: Parts,
  more: {
    access: Access;
    storage: ObjectStorage;
    transport: ReturnType<typeof mailTransport>;
    mail_readiness: Readiness;
    submission: readonly Readiness[];
  },
) =>
  statusFeature({
    ...core,
    metrics_access: core.config.PARLEY_METRICS,
    authenticate: authentication(more.access),
    callsInProgress: calls.runningCount,
    calls_at_once: callsAtOnce(core.config),
    mailConnections: more.transport?.pool,
    readiness: [
      { name: 'storage', check: cachedCheck(() => more.storage.check(), storage_check_ms) },
      ...(core.disk ? [{ name: 'disk', check: core.disk.check }] : []),
      ...phones.readiness,
      more.mail_readiness,
      ...more.submission,
      ...callReadiness(core.config, {
        enginesProblem: phones.enginesProblem,
        runningCount: calls.runningCount,
        isBehind: () => phones.speech.stt.isBehind(),
      }),
    ],
  });

const buildCompatibleEndpoints = (core: Core, { mail }: Parts, access: Access) =>
  compatibleEndpoints({
    ...core,
    authenticate: authentication(access),
    limiter: core.request_limits,
    emails: mail.requests,
    storeFile: mail.attachments.storeContent,
  });

const buildConsole = (core: Core) =>
  consoleFeature({ ...core, shared_key: core.options.shared_key, objects_url: objectsUrl(core.config) });

const objectsUrl = (config: Core['config']): string | null =>
  config.PARLEY_STORAGE === 's3' ? (config.PARLEY_S3_PUBLIC_ENDPOINT ?? config.PARLEY_S3_ENDPOINT) : null;

function buildHttp(
  core: Core,
  access: Access,
  {
    features,
    routes,
    logRequest,
    admitExit,
  }: Pick<HttpDeps, 'admitExit'> & {
    features: Feature[];
    routes: Routes[];
    logRequest?: LogRequest | undefined;
  },
): App['http'] {
  const { config, options } = core;
  const http = httpServer(
    {
      ...core,
      ...access,
      limiter: core.request_limits,
      trusted_proxies: config.PARLEY_TRUSTED_PROXIES,
      check_answers: options.check_answers ?? false,
      stall_ms: config.PARLEY_CLIENT_STALL_SECONDS * 1000,
      logRequest,
      admitExit,
    },
    routes,
  );
  for (const feature of features) feature.addHttp?.(http);
  return http;
}

/** Start and stop of all features. Calls end in `drain`, so that phone lines are still open for them. */
function lifecycleOf(
  core: Core,
  features: Feature[],
  background: Jobs,
): Pick<App, 'prepare' | 'workers' | 'drain' | 'close'> {
  const drain = async (cut?: AbortSignal) => {
    await Promise.all(features.map((feature) => feature.drain?.(cut)));
  };
  return {
    async prepare() {
      for (const feature of features) await feature.prepare?.();
    },
    workers: {
      async start() {
        for (const feature of features) await feature.start?.();
        await background.start();
      },
      async stop(cut) {
        await drain(cut);
        await Promise.all([...features.map((feature) => feature.stop?.(cut)), background.stop(cut)]);
      },
    },
    async drain(cut) {
      core.drain.begin();
      await drain(cut);
    },
    async close() {
      await Promise.all(features.map((feature) => feature.close?.()));
    },
  };
}

// Builds the service: the wings in their order, and one list of features that becomes one HTTP server and one job queue.
import type { FastifyInstance } from 'fastify';
import { callsAtOnce } from '../config/config.ts';
import { sandboxFeature } from '../features/operations/sandbox/index.ts';
import { statusFeature } from '../features/operations/status/index.ts';
import { lifecycleOf } from '../platform/feature.ts';
import { authentication } from '../platform/http/authenticate.ts';
import { type HttpDeps, httpServer } from '../platform/http/server.ts';
import { type Jobs, jobs } from '../platform/jobs.ts';
import { latePorts } from '../platform/late-ports.ts';
import type { FanOut } from '../platform/outbox.ts';
import { platformFeature } from '../platform/platform.ts';
import { accessWing, type Doors, doorsOf } from './access.ts';
import { agentsWing } from './agents.ts';
import { channelsWing } from './channels.ts';
import { inboxWing } from './inbox.ts';
import type { LatePorts } from './late-ports.ts';
import { operationsWing } from './operations.ts';
import type { AppOptions } from './options.ts';
import { rulesWing } from './rules.ts';
import { buildService, type Service, type ServiceFeature } from './service.ts';
import { openStores } from './vendors.ts';

export type { AppOptions } from './options.ts';

export function buildApp(options: AppOptions) {
  const late = latePorts<LatePorts>();
  const features: ServiceFeature[] = [];
  const on = buildService(options, late.ports, features);
  const wings = buildWings(on);
  const { phones, mail, sms, calls, doors } = wings;
  features.push(...featuresOf(on, wings));
  const background = jobs({
    ...on,
    handlers: features.flatMap((feature) => feature.jobs ?? []),
    delay_recurring: options.delay_recurring_jobs ?? false,
  });
  const status = buildStatus(on, wings, features);
  features.push(status);
  // First: the others must see the sandbox's time from their first statement on.
  if (on.config.sandbox)
    features.unshift(
      sandboxFeature({
        ...on,
        is_shared: on.is_managed,
        waiters: features.flatMap(({ waiters }) => waiters ?? []),
      }),
    );
  late.bind(latePortsOf(wings, background, features));
  const { drain, ...lifecycle } = lifecycleOf(features, background);
  return {
    http: buildHttp(on, doors, features, {
      logRequest: wings.request_log.logRequest,
      admitExit: wings.approvals.admitExit,
    }),
    /** For a process without the API: only the audio and the callbacks of carriers, which other processes pass on. */
    internalHttp: () => buildHttp(on, doors, [{ addHttp: phones.addHttp }]),
    /** The first step of a stop: no new requests and calls; resolves when the calls that run here are over, or at the cut. */
    async finishCalls(cut: AbortSignal): Promise<void> {
      on.drain.begin();
      await phones.finishCalls(cut);
    },
    /**
     * The second step of a stop: new requests are refused, waiting ones respond, streams and calls end. The listener stays
     * open until the calls have ended, because carriers report their end here.
     */
    async drain(cut?: AbortSignal): Promise<void> {
      on.drain.begin();
      await drain(cut);
    },
    ...lifecycle,
    /** Loads the speech engines, which the first call would wait for. Rejects when one cannot be loaded. */
    loadSpeech: phones.load,
    /** Health and metrics, for the health port. */
    status: status.process,
    /** Bounces and complaints that arrive at a return path. */
    mail_reports: mail.reports,
    waiting_emails: mail.waiting_records.email,
    waiting_sms: sms.waiting_records.sms,
    waiting_calls: calls.waiting_records.call,
    /** The mail server; started only in the role smtp. */
    smtp: mail.smtp,
    /** SMTP submission; started only in the role submission. */
    submission: wings.submission.servers,
    jobs: {
      ...background,
      drain: () => drainDue(wings, background),
    },
    /** Keeps search and conversations current. */
    projector: { drain: wings.projector.drainDue },
    /** Stores the recordings that are still in files of this machine. */
    storeLateRecordings: calls.storeLateRecordings,
    /** The public address, known for certain once the server listens. */
    baseUrl: on.baseUrl,
    /** A link that signs in to the console once, for a person at this machine; null where there may be none. */
    signInLink: wings.web_console.signInLink,
    listening: on.listening,
    /** The address of the MCP server in this process. */
    mcpListening: on.mcpListening,
  };
}
export type App = ReturnType<typeof buildApp>;

/** Each wing gets those that are built before it. */
function buildWings(on: Service) {
  const stores = openStores(on);
  const access = accessWing(on);
  const rules = rulesWing(on, access);
  const lower = { ...stores, ...access, ...rules, doors: doorsOf(on, { ...access, ...rules }) };
  const agents = agentsWing(on, lower);
  const channels = channelsWing(on, { ...lower, ...agents });
  const inbox = inboxWing(on, { ...lower, ...agents, ...channels });
  const most = { ...lower, ...agents, ...channels, ...inbox };
  return { ...most, ...operationsWing(on, most) };
}
type Wings = ReturnType<typeof buildWings>;

/** The features of the product, in the order in which they start and in which the sandbox clock runs their work. */
const featuresOf = (on: Service, wings: Wings): ServiceFeature[] => [
  platformFeature(on),
  wings.phones,
  wings.identity,
  wings.contacts,
  wings.providers,
  wings.funds,
  wings.sending_rules,
  wings.consents,
  wings.budgets,
  wings.limits,
  wings.audit,
  wings.quiet_hours,
  wings.known_parties,
  wings.recipient_limits,
  wings.quota,
  wings.approvals,
  wings.conversation_tokens,
  wings.receive_rules,
  wings.accounts,
  wings.mail,
  wings.agents,
  wings.tools,
  wings.mcp_servers,
  wings.agent_runtime,
  wings.verifications,
  wings.numbers,
  wings.admission,
  wings.sms,
  wings.calls,
  { waiters: [...wings.phones.ringing, on.late.jobs] },
  wings.conversations,
  wings.search,
  wings.receipts,
  wings.message_agents,
  wings.projector,
  wings.waits,
  wings.webhooks,
  wings.events,
  wings.sandbox_outbox,
  wings.erasures,
  wings.retention,
  wings.set_aside_work,
  wings.explain,
  wings.request_log,
  wings.submission,
  wings.compatible_endpoints,
  wings.go_live,
  wings.reference,
  wings.web_console,
  wings.stored_objects,
];

/** Does everything in the background that is due: for tests. */
async function drainDue({ sms, projector, waits, receipts }: Wings, background: Jobs): Promise<void> {
  await sms.drainDue();
  await background.drain();
  for (const feature of [projector, waits, receipts]) await feature.drainDue();
}

const latePortsOf = (wings: Wings, background: Jobs, features: readonly ServiceFeature[]): LatePorts => ({
  jobs: background,
  fan_out: fanOut(wings.webhooks.fan_out, features),
  search: wings.search.service,
  mail: wings.mail.system_mail,
  email_suppressions: wings.mail,
  sms_suppressions: wings.sms,
  attachments: wings.mail.attachments,
  calls: wings.calls,
  numbers: wings.numbers,
  messages: wings.messages,
  projector: wings.projector,
  sandbox_outbox: wings.sandbox_outbox,
});

/** Webhooks first: their deliveries leave in the next turn of the event loop. */
function fanOut({ parts, committed }: FanOut, features: readonly ServiceFeature[]): FanOut {
  const listeners = features.flatMap(({ eventsStored }) => eventsStored ?? []);
  return {
    parts,
    committed(rows, stored) {
      const is_leaving = committed(rows, stored);
      for (const eventsStored of listeners) eventsStored(stored);
      return is_leaving;
    },
  };
}

const buildStatus = (on: Service, wings: Wings, features: readonly ServiceFeature[]) =>
  statusFeature({
    ...on,
    metrics_access: on.config.PARLEY_METRICS,
    authenticate: authentication(wings.doors),
    callsInProgress: wings.calls.runningCount,
    calls_at_once: callsAtOnce(on.config),
    mailConnections: wings.transport?.pool,
    readiness: [
      ...(on.disk ? [{ name: 'disk', check: on.disk.check }] : []),
      ...features.flatMap(({ readiness }) => readiness ?? []),
    ],
  });

function buildHttp(
  on: Service,
  doors: Doors,
  features: readonly ServiceFeature[],
  hooks: Pick<HttpDeps, 'logRequest' | 'admitExit'> = {},
): FastifyInstance {
  const { config, options } = on;
  const http = httpServer(
    {
      ...on,
      ...doors,
      ...hooks,
      trusted_proxies: config.PARLEY_TRUSTED_PROXIES,
      check_answers: options.check_answers ?? false,
      stall_ms: config.PARLEY_CLIENT_STALL_SECONDS * 1000,
    },
    features.flatMap(({ routes }) => routes ?? []),
  );
  for (const feature of features) feature.addHttp?.(http);
  return http;
}

// Starts the service in the order of its dependencies, and registers how each part is stopped.
import { type App, buildApp } from '../app/app.ts';
import type { Config } from '../config/config.ts';
import { healthAddress } from '../config/health.ts';
import { issuerOf } from '../features/access/accounts/index.ts';
import { type HealthServer, startHealthServer } from '../features/operations/status/index.ts';
import { systemClock } from '../platform/clock.ts';
import { sealer } from '../platform/crypto.ts';
import { closeHttp } from '../platform/http/server.ts';
import { uuidv7Ids } from '../platform/ids.ts';
import { agreedSigningKey } from '../platform/master-keys.ts';
import { StartError } from '../platform/start-error.ts';
import type { Tracing } from '../platform/tracing/trace.ts';
import { type AccessKeys, accessKeys, authSecret, masterKeys, storeAccessKeys } from './key-files.ts';
import { listen, listenForMail, listenForSubmission, localUrl } from './listen.ts';
import { mcpStatus, startMcpRole } from './mcp/mcp-role.ts';
import { openMigrated } from './open-database.ts';
import { preloadSpeech } from './preload-speech.ts';
import type { StartOptions } from './start-options.ts';
import { startTracing } from './start-traces.ts';

export type Started = {
  /** Null where only the MCP server runs. */
  app: App | null;
  mcp_url: string | null;
  /** The port that receives mail; null where this process has no mail server. */
  smtp_port: number | null;
  /** The ports that accept mail of programs; null where this process does not. */
  submission_ports: { starttls: number; tls: number } | null;
  /** The health port; null where the API port serves health, or it is off. */
  health_url: string | null;
  keys: AccessKeys;
};

export async function start(options: StartOptions): Promise<Started> {
  const { config, say, signal } = options;
  const health = await startHealth(options);
  const health_url = health?.url ?? null;
  const tracing = await startTracing(config, options.log);
  // Stops after everything that makes spans.
  if (tracing) options.stops.push('traces', tracing.stop);
  if (config.PARLEY_ROLES.every((role) => role === 'mcp')) {
    const mcp_url = await startMcpAlone(options, health, tracing);
    const keys = { shared: null, operator: null };
    return { app: null, mcp_url, smtp_port: null, submission_ports: null, health_url, keys };
  }
  requireCredentials(config);
  const db = await openMigrated(options);
  const keys = await accessKeys(config);
  const shared_key = keys.shared?.key ?? null;
  const master_keys = await masterKeys(config, db, say);
  const app = buildApp({
    config,
    db,
    log: options.log,
    tracing,
    shared_key,
    operator_key: keys.operator?.key ?? null,
    master_keys,
    signing_key: await agreedSigningKey(db, sealer(master_keys)),
    auth_secret: await authSecret(config),
  });
  const addresses = await startRoles(app, shared_key, { ...options, tracing });
  await storeAccessKeys(config, keys);
  signal.throwIfAborted();
  health?.serve(app.status);
  return { app, ...addresses, health_url, keys };
}

/** With an external database several processes share credentials, so none is generated. */
function requireCredentials(config: Config): void {
  if (config.DATABASE_URL === null) return;
  if (config.PARLEY_SHARED_KEY === null && config.PARLEY_MANAGED === 'off') {
    throw new StartError(
      'With DATABASE_URL a credential must be set too: give PARLEY_SHARED_KEY a long random value, or set PARLEY_MANAGED=on.',
    );
  }
  if (config.PARLEY_MANAGED === 'on' && config.PARLEY_AUTH_SECRET === null) {
    throw new StartError(
      'With DATABASE_URL and PARLEY_MANAGED=on a secret for sessions must be set too: give PARLEY_AUTH_SECRET what `openssl rand -base64 32` prints, the same on every process.',
    );
  }
}

const finishCalls = (app: App, seconds: number, cut: AbortSignal): Promise<void> =>
  app.finishCalls(AbortSignal.any([cut, AbortSignal.timeout(seconds * 1000)]));

/** Starts first, so that a slow start is visible, and stops last. */
async function startHealth({ config, log, say, signal, stops }: StartOptions): Promise<HealthServer | null> {
  const address = healthAddress(config);
  if (!address) return null;
  const health = await startHealthServer(address, {
    log,
    ids: uuidv7Ids(systemClock()),
    say,
    stopping: signal,
  });
  stops.push('health', health.close);
  return health;
}

async function startMcpAlone(
  options: StartOptions,
  health: HealthServer | null,
  tracing: Tracing | null,
): Promise<string> {
  const { config, log, signal, stops } = options;
  const mcp = await startMcpRole({ config, log, tracing, beside: null });
  stops.push('mcp', mcp.close);
  health?.serve(mcpStatus({ api_url: config.PARLEY_BASE_URL!, stopping: signal }));
  return mcp.url;
}

/** Starts the roles of this process. They stop in reverse order, after a drain of all of them. */
export async function startRoles(
  app: App,
  shared_key: string | null,
  options: StartOptions & { tracing: Tracing | null },
): Promise<Pick<Started, 'smtp_port' | 'submission_ports' | 'mcp_url'>> {
  const { config, log, signal, stops, tracing } = options;
  const hasRole = (role: Config['PARLEY_ROLES'][number]) => config.PARLEY_ROLES.includes(role);
  stops.push('app', app.close);
  await app.prepare();
  signal.throwIfAborted();
  if (hasRole('worker')) {
    stops.push('workers', app.workers.stop);
    await app.workers.start();
  }
  if (hasRole('api')) {
    stops.push('http', (cut) => closeHttp(app.http, cut));
    app.listening(await listen(app.http, config));
  }
  if (hasRole('worker') && !hasRole('api') && config.PARLEY_INTERNAL_URL !== null) {
    const internal = app.internalHttp();
    stops.push('internal http', (cut) => closeHttp(internal, cut));
    await listen(internal, config);
  }
  let smtp_port: number | null = null;
  if (hasRole('smtp')) {
    stops.push('smtp', app.smtp.close);
    smtp_port = await listenForMail(app, config);
  }
  let submission_ports: Started['submission_ports'] = null;
  if (hasRole('submission')) {
    stops.push('submission', app.submission.close);
    submission_ports = await listenForSubmission(app, config);
  }
  let mcp_url: string | null = null;
  if (hasRole('mcp')) {
    const issuer = config.PARLEY_MANAGED === 'on' ? issuerOf(app.baseUrl()) : null;
    const beside = hasRole('api') ? { url: localUrl(app), shared_key, issuer } : null;
    const mcp = await startMcpRole({ config, log, tracing, beside });
    stops.push('mcp', mcp.close);
    mcp_url = mcp.url;
    app.mcpListening(mcp.url);
  }
  stops.push('drain', app.drain);
  const seconds = config.PARLEY_STOP_CALLS_SECONDS;
  if (seconds > 0) stops.push('calls', (cut) => finishCalls(app, seconds, cut), { is_before_grace: true });
  preloadSpeech(app, { config, log, stops });
  return { smtp_port, submission_ports, mcp_url };
}

// Starts the service in the order things need each other, and says how each of them is stopped.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type App, buildApp, migrations_folder } from '../app/app.ts';
import { mcpStatus, startMcpRole } from '../app/mcp-role.ts';
import { sealed_columns } from '../app/sealed-columns.ts';
import { authSecretFile, type Config, masterKeyFile, sharedKeyFile } from '../config/config.ts';
import { healthPlace } from '../config/health.ts';
import { issuerOf } from '../features/accounts/index.ts';
import { type HealthServer, startHealthServer } from '../features/status/index.ts';
import { type MasterKey, sealer } from '../platform/crypto.ts';
import { type Database, DatabaseUnavailable, openDatabase } from '../platform/db/database.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { rewrapSealed } from '../platform/db/rewrap.ts';
import { sql } from '../platform/db/sql.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/index.ts';
import { closeHttp } from '../platform/http/server.ts';
import type { Log } from '../platform/log.ts';
import {
  agreedMasterKeys,
  agreedSigningKey,
  keptMasterKeys,
  nameMasterKey,
} from '../platform/master-keys.ts';
import { StartError } from '../platform/start-error.ts';
import type { StopStack } from '../platform/stop-stack.ts';

/** A fast stop, then an immediate one: the embedded server gives up each after some seconds of its own. */
const postgres_stop_limit_ms = 20_000;

export type Started = {
  /** Null where only the MCP server runs. */
  app: App | null;
  mcp_url: string | null;
  /** Where mail is received; null where this process does not. */
  smtp_port: number | null;
  /** Where health and metrics of this process are; null where its API port answers for them, or nothing does. */
  health_url: string | null;
  new_shared_key: string | null;
  shared_key: string | null;
};

export type StartOptions = {
  config: Config;
  log: Log;
  say(line: string): void;
  /** Aborting gives the start up. */
  signal: AbortSignal;
  /** Gets the step that stops each thing as soon as it is started. */
  stops: StopStack;
};

export async function start(options: StartOptions): Promise<Started> {
  const { config, say, signal } = options;
  const health = await startHealth(options);
  const health_url = health?.url ?? null;
  if (config.PARLEY_ROLES.every((role) => role === 'mcp')) {
    const mcp_url = await startMcpAlone(options, health);
    return { app: null, mcp_url, smtp_port: null, health_url, shared_key: null, new_shared_key: null };
  }
  const embedded = config.DATABASE_URL === null;
  if (!embedded && config.PARLEY_SHARED_KEY === null && config.PARLEY_MANAGED === 'off') {
    throw new StartError(
      'With DATABASE_URL a credential must be set too: give PARLEY_SHARED_KEY a long random value, or set PARLEY_MANAGED=on.',
    );
  }
  if (!embedded && config.PARLEY_MANAGED === 'on' && config.PARLEY_AUTH_SECRET === null) {
    throw new StartError(
      'With DATABASE_URL and PARLEY_MANAGED=on a secret for sessions must be set too: give PARLEY_AUTH_SECRET what `openssl rand -base64 32` prints, the same on every process.',
    );
  }
  const db = await openMigrated(options);
  const kept_key = config.PARLEY_SHARED_KEY ?? (embedded ? await readSharedKey(config) : null);
  // With a database of its own the operator decides whether there is one.
  const made_key = embedded && !kept_key ? `parley_sk_${randomBytes(32).toString('base64url')}` : null;
  const shared_key = kept_key ?? made_key;
  const master_keys = await masterKeys(config, db, say);
  const app = buildApp({
    config,
    db,
    log: options.log,
    shared_key,
    master_keys,
    signing_key: await agreedSigningKey(db, sealer(master_keys)),
    auth_secret: await authSecret(config),
  });
  const addresses = await startRoles(app, shared_key, options);
  // Kept only now: a start that fails shows no key, and the next one must still have one to show.
  if (made_key) await writeFile(sharedKeyFile(config), `${made_key}\n`, { mode: 0o600 });
  signal.throwIfAborted();
  health?.serve(app.status);
  return { app, ...addresses, health_url, shared_key, new_shared_key: made_key };
}

/** Before everything else, so that a slow start can be seen; it is the last to stop. */
async function startHealth({ config, log, say, signal, stops }: StartOptions): Promise<HealthServer | null> {
  const place = healthPlace(config);
  if (!place) return null;
  const health = await startHealthServer(place, { log, say, stopping: signal });
  stops.push('health', health.close);
  return health;
}

async function startMcpAlone(options: StartOptions, health: HealthServer | null): Promise<string> {
  const { config, log, signal, stops } = options;
  const mcp = await startMcpRole({ config, log, beside: null });
  stops.push('mcp', mcp.close);
  health?.serve(mcpStatus({ api_url: config.PARLEY_BASE_URL!, stopping: signal }));
  return mcp.url;
}

/** The roles of this process. They are stopped in the reverse order, after a drain that concerns all of them. */
async function startRoles(
  app: App,
  shared_key: string | null,
  options: StartOptions,
): Promise<Pick<Started, 'smtp_port' | 'mcp_url'>> {
  const { config, log, signal, stops } = options;
  const plays = (role: Config['PARLEY_ROLES'][number]) => config.PARLEY_ROLES.includes(role);
  stops.push('app', app.close);
  await app.prepare();
  signal.throwIfAborted();
  if (plays('worker')) {
    stops.push('workers', app.workers.stop);
    await app.workers.start();
  }
  if (plays('api')) {
    stops.push('http', (cut) => closeHttp(app.http, cut));
    await listen(app, config);
  }
  let smtp_port: number | null = null;
  if (plays('smtp')) {
    stops.push('smtp', app.smtp.close);
    smtp_port = await listenForMail(app, config);
  }
  let mcp_url: string | null = null;
  if (plays('mcp')) {
    const issuer = config.PARLEY_MANAGED === 'on' ? issuerOf(app.baseUrl()) : null;
    const beside = plays('api') ? { url: localUrl(app), shared_key, issuer } : null;
    const mcp = await startMcpRole({ config, log, beside });
    stops.push('mcp', mcp.close);
    mcp_url = mcp.url;
    app.mcpListening(mcp.url);
  }
  stops.push('drain', app.drain);
  return { smtp_port, mcp_url };
}

/** The database, up and with the newest schema. */
async function openMigrated(options: StartOptions): Promise<Database> {
  const { config, log, say, signal, stops } = options;
  const embedded = config.DATABASE_URL === null;
  if (embedded) await prepareDataFolder(config.data_dir);
  const postgres = embedded ? await startEmbeddedPostgres({ data_dir: config.data_dir, say }) : null;
  if (postgres) stops.push('embedded postgres', postgres.stop, { limit_ms: postgres_stop_limit_ms });
  signal.throwIfAborted();
  const db = openDatabase({
    url: postgres?.url ?? config.DATABASE_URL!,
    max_connections: config.PARLEY_DATABASE_CONNECTIONS,
    query_timeout_ms: config.PARLEY_DATABASE_TIMEOUT_SECONDS * 1000,
    onError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  stops.push('database', db.close);
  await waitForDatabase(db, { patience_seconds: config.PARLEY_DATABASE_PATIENCE_SECONDS, say, signal });
  const applied = await migrate(db, await readMigrations(migrations_folder));
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  return db;
}

/**
 * Moves every sealed value to the first key of PARLEY_MASTER_KEY, or, where the key is kept in the data folder, to a new
 * one. Until all are moved the folder keeps both keys, so that it may be interrupted and run again.
 */
export async function rotateMasterKey(options: StartOptions): Promise<number> {
  const { config, say } = options;
  const in_folder = config.DATABASE_URL === null && config.PARLEY_MASTER_KEY === null;
  if (!in_folder && config.PARLEY_MASTER_KEY === null) {
    throw new StartError(
      'Set PARLEY_MASTER_KEY to the new key, a comma and the old one, on every process first.',
    );
  }
  const db = await openMigrated(options);
  if (in_folder) {
    const kept = (await fileMasterKeys(config)).map(({ key }) => key.toString('base64'));
    await replaceMasterKeyFile(config, [randomBytes(32).toString('base64'), ...kept].join(','));
  }
  const keys = await masterKeys(config, db, say);
  const [newest] = keys as [MasterKey];
  const moved = await rewrapSealed(db, {
    sealer: sealer(keys),
    current_key_id: newest.id,
    columns: sealed_columns,
  });
  await nameMasterKey(db, newest);
  if (in_folder) await replaceMasterKeyFile(config, newest.key.toString('base64'));
  return moved;
}

/** Never half written: without the old key the secrets would be lost. */
async function replaceMasterKeyFile(config: Config, text: string): Promise<void> {
  const file = masterKeyFile(config);
  const next = await open(`${file}.new`, 'w', 0o600);
  try {
    await next.writeFile(`${text}\n`);
    await next.sync();
  } finally {
    await next.close();
  }
  await rename(`${file}.new`, file);
}

/** Made at the first start in managed mode and kept: another one would sign everybody out. */
async function authSecret(config: Config): Promise<string | null> {
  if (config.PARLEY_MANAGED === 'off' || config.PARLEY_AUTH_SECRET !== null) return config.PARLEY_AUTH_SECRET;
  const file = authSecretFile(config);
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept) return kept;
  const secret = randomBytes(32).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

async function masterKeys(config: Config, db: Database, say: (line: string) => void): Promise<MasterKey[]> {
  const embedded = config.DATABASE_URL === null;
  if (!embedded && config.PARLEY_MASTER_KEY === null) {
    say(
      'The key that seals stored secrets is kept in the database beside them; set PARLEY_MASTER_KEY to keep it apart.',
    );
  }
  const given = config.PARLEY_MASTER_KEY ?? (embedded ? await fileMasterKeys(config) : null);
  const keys = await agreedMasterKeys(db, given);
  if (keys) return keys;
  throw new StartError(
    'The secrets in this database are sealed with another master key. Set PARLEY_MASTER_KEY to the one they were sealed with.',
  );
}

const fileMasterKeys = (config: Config): Promise<MasterKey[]> =>
  keptMasterKeys(masterKeyFile(config)).catch((error: Error) => {
    throw new StartError(`The master key in ${masterKeyFile(config)} cannot be used: ${error.message}.`);
  });

async function prepareDataFolder(folder: string): Promise<void> {
  try {
    // Others may pass through to the database's own folder, but not look around.
    await mkdir(folder, { recursive: true, mode: 0o711 });
    const probe = join(folder, '.writable');
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} cannot be used (${(error as Error).message}). Set PARLEY_DATA_DIR to a folder this user may write.`,
    );
  }
}

async function waitForDatabase(
  db: Database,
  options: { patience_seconds: number; say(line: string): void; signal: AbortSignal },
): Promise<void> {
  const { patience_seconds, say, signal } = options;
  const deadline = Date.now() + patience_seconds * 1000;
  for (let tries = 1; ; tries++) {
    try {
      await db.rows(sql`select 1`);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) {
        throw new StartError(`The database refuses us: ${(error as Error).message}. Check DATABASE_URL.`);
      }
      if (Date.now() > deadline) {
        throw new StartError(
          `The database did not answer within ${patience_seconds} s (${error.message}). Check DATABASE_URL and that the server runs.`,
        );
      }
      if (tries % 5 === 1) say(`Waiting for the database (${error.message}) ...`);
      await wait(1000, undefined, { signal });
    }
  }
}

/** The key that an earlier start made; null when none did. */
async function readSharedKey(config: Config): Promise<string | null> {
  const kept = await readFile(sharedKeyFile(config), 'utf8').catch(() => '');
  return kept.trim() || null;
}

/** The API as this machine reaches it, whatever its public address is. */
function localUrl({ http }: App): string {
  const { address, family, port } = http.server.address() as AddressInfo;
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}

async function listenForMail(app: App, config: Config): Promise<number> {
  try {
    return await app.smtp.listen();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new StartError(
        `The mail server cannot listen on port ${config.SMTP_PORT ?? 2525} (${code}). Set SMTP_HOST and SMTP_PORT to a free place, or leave smtp out of PARLEY_ROLES.`,
      );
    }
    if (code === 'ENOENT' || code?.startsWith('ERR_OSSL')) {
      throw new StartError(
        `The certificate of the mail server cannot be used: ${(error as Error).message}. Check PARLEY_INBOUND_TLS_CERT and PARLEY_INBOUND_TLS_KEY.`,
      );
    }
    throw error;
  }
}

async function listen(app: App, config: Config): Promise<void> {
  try {
    await app.http.listen({ port: config.PORT, host: config.HOST });
    app.listening((app.http.server.address() as AddressInfo).port);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${config.PORT} on ${config.HOST} is taken by another program. Stop it, or set PORT to a free one.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new StartError(
        `Cannot listen on ${config.HOST} port ${config.PORT} (${code}). Set HOST and PORT to an address of this machine.`,
      );
    }
    throw error;
  }
}

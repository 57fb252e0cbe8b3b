// Starts the embedded PostgreSQL, restarts it after a crash, and stops it.

import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseAccounts } from './account.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { ensureCluster, ensurePassword } from './cluster.ts';
import { chooseDataDir, linkDataDir } from './data-dir.ts';
import { requireSameVersion } from './data-version.ts';
import { EmbeddedPostgresError, own_database_hint, reasonOf } from './error.ts';
import { createServer } from './server.ts';
import { lockServer, type Owner, urlOf } from './server-lock.ts';

/** Long enough for a recovery from a full write-ahead log. */
const ready_timeout_ms = 120_000;
/** PostgreSQL releases the lock of a killed process when it notices the closed socket, which takes a moment. */
const owner_timeout_ms = 3_000;
const max_recovery_delay_ms = 5_000;

export type EmbeddedPostgres = { url: string; location: string; stop(): Promise<void> };
export type StartOptions = {
  data_dir: string;
  say(line: string): void;
  settings?: Record<string, string>;
};
export type Installation = { findBinaries(): Promise<Binaries>; relocation_root: string };

export async function startWith(
  installation: Installation,
  options: StartOptions,
): Promise<EmbeddedPostgres> {
  try {
    return await start(installation, options);
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    const { message } = cause as Error;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL could not start (${message}); put that right, or ${own_database_hint}.`,
      { cause },
    );
  }
}

async function start(installation: Installation, options: StartOptions): Promise<EmbeddedPostgres> {
  const supervised = await prepare(installation, options);
  const { owner, port } = await claim(supervised).catch(async (error) => {
    await supervised.server.stopLaunched();
    throw error;
  });
  superviseOwner(supervised, owner, port);
  let stopped: Promise<void> | null = null;
  return {
    url: urlOf(port, supervised.password),
    location: supervised.location,
    stop: () => {
      stopped ??= stop(supervised);
      return stopped;
    },
  };
}

/** A server that is restarted when it crashes, until `stopping` is aborted. */
type Supervised = {
  server: ReturnType<typeof createServer>;
  data_dir: string;
  location: string;
  data: string;
  password: string;
  say(line: string): void;
  stopping: AbortController;
  recovering: Promise<void>;
};

/** Creates the cluster on the first start. Launches nothing yet. */
async function prepare(installation: Installation, options: StartOptions): Promise<Supervised> {
  const { say, settings = {} } = options;
  const binaries = await installation.findBinaries();
  await mkdir(options.data_dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const data_dir = realpathSync(resolve(options.data_dir));
  const accounts = await chooseAccounts(data_dir, join(data_dir, 'postgres'));
  const account = accounts?.server ?? null;
  const { relocation_root } = installation;
  const chosen = await chooseDataDir({ data_dir, accounts, relocation_root, say });
  const { location, data } = chosen;
  await requireSameVersion({ data, link: join(data_dir, 'postgres'), version: binaries.version });
  const { postgres, initdb } = await prepareBinaries({ found: binaries, accounts, location });
  const password = await ensurePassword(join(data_dir, 'postgres-password'), data);
  await ensureCluster({ data, initdb, accounts, password, durable: settings.fsync !== 'off' });
  await linkDataDir(data_dir, chosen);
  const server = createServer({ postgres, data, log: join(location, 'postgres.log'), account, settings });
  const stopping = new AbortController();
  return { server, data_dir, location, data, password, say, stopping, recovering: Promise.resolve() };
}

/** Waits until the server runs and its lock is ours. */
async function claim(supervised: Supervised, port?: number): Promise<{ owner: Owner; port: number }> {
  const { signal } = supervised.stopping;
  const ready_deadline = Date.now() + ready_timeout_ms;
  let owner_deadline: number | null = null;
  for (;;) {
    const running = await supervised.server.ensureRunning(signal, port);
    try {
      const owner = await lockServer(running.port, supervised.password);
      if (owner) return { owner, port: running.port };
      owner_deadline ??= Date.now() + owner_timeout_ms;
      if (Date.now() > owner_deadline) {
        throw new EmbeddedPostgresError(
          `Another Parley already runs on the folder ${supervised.data_dir}; to run several processes, give them one PostgreSQL with DATABASE_URL.`,
        );
      }
    } catch (error) {
      if (error instanceof EmbeddedPostgresError) throw error;
      if ((error as { code?: string }).code === '28P01') {
        throw new EmbeddedPostgresError(
          `The PostgreSQL in ${supervised.data} does not accept the password in ${join(supervised.data_dir, 'postgres-password')}.`,
          { cause: error },
        );
      }
      // The server is starting or stopping: check again.
      if (Date.now() > ready_deadline) throw error;
    }
    await sleep(100, undefined, { signal });
  }
}

/** A lost connection shows a crashed server, also one that another process launched. */
function superviseOwner(supervised: Supervised, owner: Owner, port: number): void {
  owner.unref();
  void owner.closed.then(() => {
    if (!supervised.stopping.signal.aborted) supervised.recovering = recover(supervised, port);
  });
}

async function recover(supervised: Supervised, port: number): Promise<void> {
  const { signal } = supervised.stopping;
  const { say } = supervised;
  say('The connection to the embedded PostgreSQL was lost; bringing it up again.');
  for (let delay_ms = 100; !signal.aborted; delay_ms = Math.min(delay_ms * 2, max_recovery_delay_ms)) {
    try {
      const claimed = await claim(supervised, port);
      superviseOwner(supervised, claimed.owner, port);
      say('The embedded PostgreSQL runs again.');
      return;
    } catch (error) {
      if (!signal.aborted) say(`The embedded PostgreSQL is not up yet: ${reasonOf(error)}`);
    }
    await sleep(delay_ms, undefined, { signal, ref: false }).catch(() => {});
  }
}

async function stop(supervised: Supervised): Promise<void> {
  supervised.stopping.abort();
  await supervised.recovering;
  await supervised.server.stop();
}

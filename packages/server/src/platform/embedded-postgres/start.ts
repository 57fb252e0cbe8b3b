// Brings the embedded PostgreSQL up, keeps it up, and takes it down.

import { realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseAccounts } from './account.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { ensureCluster, ensurePassword } from './cluster.ts';
import { choosePlace, linkPlace } from './data-dir.ts';
import { EmbeddedPostgresError, reasonOf, way_out } from './error.ts';
import { connectAsOwner, type Owner, urlOf } from './os-user.ts';
import { createServer } from './server.ts';

/** Long enough for a recovery from a full write-ahead log. */
const ready_timeout_ms = 120_000;
/** A killed owner's lock vanishes with its socket, which the server notices at once or a little later. */
const owner_timeout_ms = 3_000;
const longest_recovery_delay_ms = 5_000;

export type EmbeddedPostgres = { url: string; location: string; stop(): Promise<void> };
export type StartOptions = {
  data_dir: string;
  say(line: string): void;
  settings?: Record<string, string>;
};
export type Surroundings = { findBinaries(): Promise<Binaries>; relocation_root: string };

export async function startIn(surroundings: Surroundings, options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(surroundings, options);
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    const { message } = cause as Error;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL could not start (${message}); put that right, or ${way_out}.`,
      { cause },
    );
  }
}

async function start(surroundings: Surroundings, options: StartOptions): Promise<EmbeddedPostgres> {
  const { say, settings = {} } = options;
  const found = await surroundings.findBinaries();
  await mkdir(options.data_dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const data_dir = realpathSync(resolve(options.data_dir));
  const accounts = await chooseAccounts(data_dir, join(data_dir, 'postgres'));
  const account = accounts?.server ?? null;
  const { relocation_root } = surroundings;
  const place = await choosePlace({ data_dir, accounts, relocation_root, say });
  const { location, data } = place;
  const { postgres, initdb } = await prepareBinaries({ found, accounts, location });
  const password = await ensurePassword(join(data_dir, 'postgres-password'), data);
  await ensureCluster({ data, initdb, accounts, password, durable: settings.fsync !== 'off' });
  await linkPlace(data_dir, place);

  const log = join(location, 'postgres.log');
  const server = createServer({ postgres, data, log, account, settings });
  const stopping = new AbortController();
  const { signal } = stopping;

  async function claim(port?: number): Promise<{ owner: Owner; port: number }> {
    const ready_deadline = Date.now() + ready_timeout_ms;
    let owner_deadline: number | null = null;
    for (;;) {
      const running = await server.bringUp(signal, port);
      try {
        const owner = await connectAsOwner(running.port, password);
        if (owner) return { owner, port: running.port };
        owner_deadline ??= Date.now() + owner_timeout_ms;
        if (Date.now() > owner_deadline) {
          throw new EmbeddedPostgresError(
            `Another Parley already runs on the folder ${data_dir}; to run several processes, give them one PostgreSQL with DATABASE_URL.`,
          );
        }
      } catch (error) {
        if (error instanceof EmbeddedPostgresError) throw error;
        if ((error as { code?: string }).code === '28P01') {
          throw new EmbeddedPostgresError(
            `The PostgreSQL in ${data} does not accept the password in ${join(data_dir, 'postgres-password')}.`,
            { cause: error },
          );
        }
        // It is still starting, or just stopping: the next look at the folder tells.
        if (Date.now() > ready_deadline) throw error;
      }
      await sleep(100, undefined, { signal });
    }
  }

  let recovering = Promise.resolve();
  function keepUp(owner: Owner, port: number): void {
    owner.unref();
    void owner.closed.then(() => {
      if (!signal.aborted) recovering = recover(port);
    });
  }

  /** Losing the owner's connection is how a dead server shows, whether we launched it or took it over. */
  async function recover(port: number): Promise<void> {
    say('The connection to the embedded PostgreSQL was lost; bringing it up again.');
    for (let delay_ms = 100; !signal.aborted; delay_ms = Math.min(delay_ms * 2, longest_recovery_delay_ms)) {
      try {
        const claimed = await claim(port);
        keepUp(claimed.owner, port);
        say('The embedded PostgreSQL runs again.');
        return;
      } catch (error) {
        if (!signal.aborted) say(`The embedded PostgreSQL is not up yet: ${reasonOf(error)}`);
      }
      await sleep(delay_ms, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const { owner, port } = await claim().catch(async (error) => {
    await server.stopLaunched();
    throw error;
  });
  keepUp(owner, port);

  async function stop(): Promise<void> {
    stopping.abort();
    await recovering;
    await server.stop();
  }
  let stopped: Promise<void> | null = null;
  return {
    url: urlOf(port, password),
    location,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

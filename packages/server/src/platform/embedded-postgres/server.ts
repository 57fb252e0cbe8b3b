// The server of a data directory: launched if it is down, found if it already runs.

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { chownAll } from './account.ts';
import { EmbeddedPostgresError, own_database_hint } from './error.ts';
import {
  findFreePort,
  findPostmaster,
  type Launched,
  launchPostmaster,
  type Postmaster,
  stopPostmaster,
} from './postmaster.ts';
import type { Account } from './reachability.ts';

/** Long enough for a recovery from a full write-ahead log. */
const ready_timeout_ms = 120_000;
/** Sessions of a killed server may run a little longer, and a new server refuses to start meanwhile. */
const relaunch_delays_ms = [100, 200, 400, 800, 1_600];

const default_settings = {
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements, parameters and error details may contain personal data. We get every error in full and log it ourselves,
  // so the log of the server contains only messages about the server.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** Earlier versions ran the server as `nobody`, and data may come from another machine. No server runs on it now. */
async function takeOwnership(data: string, account: Account): Promise<void> {
  if ((await stat(data)).uid !== account.uid) await chownAll(data, account);
}

export function createServer(deps: {
  postgres: string;
  data: string;
  log: string;
  account: Account | null;
  settings: Record<string, string>;
}) {
  const { data, log } = deps;
  let launched: Launched | null = null;

  async function launch(port: number): Promise<Launched> {
    const settings = {
      ...default_settings,
      ...deps.settings,
      // Last, so that nothing opens the server to more than this machine.
      listen_addresses: '127.0.0.1',
      // Tests use a socket in the data folder, which no other user can open.
      unix_socket_directories: deps.settings.unix_socket_directories === '.' ? '.' : '',
      port: String(port),
    };
    if (deps.account) await takeOwnership(data, deps.account);
    launched = await launchPostmaster({ ...deps, settings });
    return launched;
  }

  /** Resolves when a server accepts connections. A launched server gets `port`, or any free port. */
  async function ensureRunning(signal: AbortSignal, port?: number): Promise<Postmaster> {
    const deadline = Date.now() + ready_timeout_ms;
    const delays_ms = relaunch_delays_ms.values();
    let attempt: Launched | null = null;
    while (Date.now() < deadline) {
      signal.throwIfAborted();
      const postmaster = await findPostmaster(data);
      if (postmaster?.ready) return postmaster;
      if (!postmaster && (!attempt || attempt.hasExited())) {
        if (attempt) {
          const delay_ms = delays_ms.next().value;
          if (delay_ms === undefined) throw await refusal(attempt);
          await sleep(delay_ms, undefined, { signal });
        }
        attempt = await launch(port ?? (await findFreePort()));
      }
      await sleep(20, undefined, { signal });
    }
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL takes too long to start; see ${log}, or ${own_database_hint}.`,
    );
  }

  async function refusal(attempt: Launched): Promise<EmbeddedPostgresError> {
    const complaint = await attempt.complaint();
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL does not start (${complaint}); see ${log}, or ${own_database_hint}.`,
    );
  }

  /** Also stops a launched server that has not written its pid file yet. */
  async function stopLaunched(): Promise<void> {
    if (launched && !launched.hasExited()) await stopPostmaster(launched.pid, data);
  }

  async function stop(): Promise<void> {
    const postmaster = await findPostmaster(data);
    if (postmaster) await stopPostmaster(postmaster.pid, data);
    await stopLaunched();
  }

  return { ensureRunning, stopLaunched, stop };
}

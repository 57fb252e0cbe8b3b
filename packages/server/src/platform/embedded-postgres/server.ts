// The one server of a data folder: brought up when it is down, found when it already runs.

import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveTo } from './account.ts';
import { EmbeddedPostgresError, way_out } from './error.ts';
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
/** A killed server's sessions may live on for a moment, and a new one refuses to start beside them. */
const relaunch_delays_ms = [100, 200, 400, 800, 1_600];

const default_settings = {
  max_connections: '100',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements, their parameters and the values that a failed one names may be people's numbers, addresses and words. We
  // get every error in full and log it ourselves, so the server's own log holds only what concerns the server.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** Earlier versions ran the server as `nobody`, and data may come from another machine; no server runs on it now. */
async function takeOver(data: string, account: Account): Promise<void> {
  if ((await stat(data)).uid !== account.uid) await giveTo(data, account);
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
      unix_socket_directories: '',
      port: String(port),
    };
    if (deps.account) await takeOver(data, deps.account);
    launched = await launchPostmaster({ ...deps, settings });
    return launched;
  }

  /** Resolves when a server takes connections; one that is launched gets `port`, or any free one. */
  async function bringUp(signal: AbortSignal, port?: number): Promise<Postmaster> {
    const deadline = Date.now() + ready_timeout_ms;
    const delays_ms = relaunch_delays_ms.values();
    let attempt: Launched | null = null;
    while (Date.now() < deadline) {
      signal.throwIfAborted();
      const found = await findPostmaster(data);
      if (found?.ready) return found;
      if (!found && (!attempt || attempt.hasExited())) {
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
      `The embedded PostgreSQL takes too long to start; see ${log}, or ${way_out}.`,
    );
  }

  async function refusal(attempt: Launched): Promise<EmbeddedPostgresError> {
    const complaint = await attempt.complaint();
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL does not start (${complaint}); see ${log}, or ${way_out}.`,
    );
  }

  /** Also a launched one that has not yet put its mark on the folder. */
  async function stopLaunched(): Promise<void> {
    if (launched && !launched.hasExited()) await stopPostmaster(launched.pid, data);
  }

  async function stop(): Promise<void> {
    const found = await findPostmaster(data);
    if (found) await stopPostmaster(found.pid, data);
    await stopLaunched();
  }

  return { bringUp, stopLaunched, stop };
}

// Starts, finds and stops the server process of a data folder.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './error.ts';
import { isAlive, isServerOf, minimal_environment } from './processes.ts';
import type { Account } from './reachability.ts';

const log_limit_bytes = 10 * 1024 * 1024;
const fast_stop_ms = 8_000;
const immediate_stop_ms = 10_000;

export type Postmaster = { pid: number; port: number; ready: boolean };
export type Launched = { pid: number; hasExited(): boolean; complaint(): Promise<string> };

/** The server that runs on the directory, also when another process started it. */
export async function findPostmaster(data: string): Promise<Postmaster | null> {
  const note = join(data, 'postmaster.pid');
  const lines = (await readFile(note, 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!(pid > 0)) return null;
  if (await isServerOf(pid, data)) {
    return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  }
  // A new server would mistake the process that has this id now for the old server, and refuse to start. If no process
  // has the id, the file stays: PostgreSQL reads from it whether sessions of the old server still run.
  if (isAlive(pid)) await rm(note, { force: true });
  return null;
}

export async function launchPostmaster(deps: {
  postgres: string;
  data: string;
  log: string;
  account: Account | null;
  settings: Record<string, string>;
}): Promise<Launched> {
  const { postgres, data, log, account, settings } = deps;
  const log_size = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  if (log_size > log_limit_bytes) await rename(log, `${log}.old`);
  const output = await open(log, 'a', 0o600);
  try {
    const { size: log_start } = await output.stat();
    const child = spawn(
      postgres,
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...account,
        cwd: data,
        env: minimal_environment,
        // Its own process group: Ctrl-C in a terminal must not stop it before we have finished with it.
        detached: true,
        windowsHide: true,
        stdio: ['ignore', output.fd, output.fd],
      },
    );
    await once(child, 'spawn');
    child.unref();
    return {
      pid: child.pid!,
      hasExited: () => child.exitCode !== null || child.signalCode !== null,
      async complaint() {
        const lines = (await readFile(log)).subarray(log_start).toString().trim().split('\n');
        const worst = lines.findLast((line) => /FATAL|PANIC|error/.test(line)) ?? lines.at(-1) ?? '';
        return worst.replace(/^.*?(FATAL|PANIC): +/, '');
      },
    };
  } finally {
    await output.close();
  }
}

/** SIGINT is PostgreSQL's fast shutdown. SIGQUIT is the immediate one, after which the next start recovers. */
export async function stopPostmaster(pid: number, data: string): Promise<void> {
  if (!(await isServerOf(pid, data))) return;
  for (const [signal, patience_ms] of [
    ['SIGINT', fast_stop_ms],
    ['SIGQUIT', immediate_stop_ms],
  ] as const) {
    const deadline = Date.now() + patience_ms;
    signalIfAlive(pid, signal);
    while (Date.now() < deadline) {
      if (!(await isServerOf(pid, data))) return;
      await sleep(10);
    }
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not stop.`);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Below the ephemeral ports: otherwise an outgoing connection could get the server's port while the server restarts.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + randomInt(12_000);
    const probe = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

// The processes and folders of a measurement, which are stopped and deleted when the stage is closed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SideProcess, startSideProcess } from './side-process.ts';

// One key for the whole run: a service that starts again must open what it sealed before.
const master_key = randomBytes(32).toString('base64');
const main_file = fileURLToPath(new URL('../packages/server/bin/parley-server.js', import.meta.url));
const start_patience_ms = 60_000;
const stop_patience_ms = 40_000;

export type Service = {
  url: string;
  /** The shared key. */
  key: string;
  pid: number;
  /** The port that receives mail; 0 if the service receives none. */
  smtp_port: number;
  /** The port of SMTP submission with TLS; 0 without that role. */
  submission_port: number;
  database_url: string;
  /** From the start of the process to its first 200 on /readyz. */
  ready_ms: number;
  stop(): Promise<void>;
};

export type ServiceOptions = {
  data_dir: string;
  /** Without it the service starts the embedded PostgreSQL in the data folder. */
  database_url?: string;
  /** Further settings. */
  environment?: Record<string, string>;
  /** Flags of Node, such as --cpu-prof. */
  node_flags?: string[];
  /** The program that Node runs, with its arguments. Default: the sources. */
  program?: string[];
};

export function openStage() {
  const undo: (() => Promise<unknown>)[] = [];
  let closed = false;
  // A row that still runs when the run is stopped must not start anything.
  const mustBeOpen = () => {
    if (closed) throw new Error('the run was stopped');
  };

  return {
    /** An empty folder, removed at the end. */
    makeFolder(): string {
      mustBeOpen();
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    },

    /** The real service, as a user runs it. */
    async startService(options: ServiceOptions): Promise<Service> {
      mustBeOpen();
      const launched = launchService(options);
      undo.push(launched.stop);
      return launched.ready();
    },

    /** A process of the benchmark itself: see side-process.ts. */
    startSide<In, Out>(file: URL): SideProcess<In, Out> {
      mustBeOpen();
      const side = startSideProcess<In, Out>(file);
      undo.push(side.stop);
      return side;
    },

    /** Runs at the end, before earlier steps are undone. */
    atClose: (step: () => Promise<unknown>) => void undo.push(step),

    async close(): Promise<void> {
      closed = true;
      for (const step of undo.splice(0).reverse()) {
        await step().catch((error: Error) => console.error(`Not cleaned up: ${error.message}`));
      }
    },
  };
}
export type Stage = ReturnType<typeof openStage>;

function launchService(options: ServiceOptions) {
  const { data_dir } = options;
  const key = randomBytes(24).toString('base64url');
  const started_at = performance.now();
  const child = spawn(
    process.execPath,
    [...(options.node_flags ?? []), ...(options.program ?? [main_file])],
    {
      // Also the working directory, so that no .env of the developer is read.
      cwd: data_dir,
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        MCP_PORT: '0',
        PARLEY_DATA_DIR: data_dir,
        PARLEY_SHARED_KEY: key,
        PARLEY_MASTER_KEY: master_key,
        PARLEY_REQUESTS_PER_MINUTE: '1000000000',
        PARLEY_LOG_LEVEL: 'warn',
        ...(options.program ? {} : { PARLEY_SPEECH_PRELOAD: 'off' }),
        ...(options.database_url ? { DATABASE_URL: options.database_url } : {}),
        ...options.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'exit');
  let output = '';
  const announced = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000);
        const url = /^ {2}API +(http:\S+)\/v1$/m.exec(output)?.[1];
        if (url) resolve(url);
      });
    }
  });

  async function ready(): Promise<Service> {
    const patience = new AbortController();
    const url = await Promise.race([
      announced,
      ended.then(() => {
        throw new Error(`the service ended while starting: ${output}`);
      }),
      sleep(start_patience_ms, undefined, { signal: patience.signal }).then(() => {
        throw new Error(`the service was not ready within ${start_patience_ms} ms: ${output}`);
      }),
    ]).finally(() => patience.abort());
    while ((await statusOf(`${url}/readyz`)) !== 200) await sleep(5);
    const ready_ms = performance.now() - started_at;
    const database_url = options.database_url ?? (await embeddedDatabaseUrl(data_dir));
    const submission_port = Number(/^ {2}SMTP submission .* and (\d+) \(TLS\)$/m.exec(output)?.[1] ?? 0);
    const smtp_port = Number(/^ {2}SMTP +port (\d+)$/m.exec(output)?.[1] ?? 0);
    return { url, key, pid: child.pid!, smtp_port, submission_port, database_url, ready_ms, stop };
  }

  /** Prints warnings of the service and a failed stop, because the values are then unreliable. */
  async function end(): Promise<void> {
    const complaints = output.split('\n').filter((line) => line.startsWith('{'));
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), stop_patience_ms);
    const [code, signal] = await ended;
    clearTimeout(patience);
    if (signal === 'SIGKILL' && !options.database_url) await killPostgres(data_dir);
    if (code !== 0 || complaints.length > 0) {
      console.error(`The service ended with ${signal ?? code}. ${complaints.slice(0, 5).join('\n')}`);
    }
  }
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= end();
    return stopped;
  };

  return { ready, stop };
}

const statusOf = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    }).on('error', reject);
  });

/** The first line of this file is the process id of PostgreSQL, the fourth its port. */
const postmasterNote = async (data_dir: string) =>
  (await readFile(join(data_dir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');

async function embeddedDatabaseUrl(data_dir: string): Promise<string> {
  const port = (await postmasterNote(data_dir))[3];
  const password = (await readFile(join(data_dir, 'postgres-password'), 'utf8')).trim();
  return `postgres://parley:${password}@127.0.0.1:${port}/parley`;
}

/** A service that had to be killed leaves its database running. */
async function killPostgres(data_dir: string): Promise<void> {
  const pid = Number((await postmasterNote(data_dir).catch(() => []))[0]);
  if (pid > 0) process.kill(pid, 'SIGQUIT');
}

// Runs the service as users do: a real process in its own folder, with only the settings of the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { copyCluster } from '../../packages/server/testing/prepared-cluster.ts';
import { waitFor } from '../../packages/server/testing/wait-for.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** scripts/test.ts bundles the sources for a faster start. `npm start` and the test of the packages load every module. */
export const current_main = process.env.PARLEY_TEST_MAIN ?? fileOf('packages/server/src/main.ts');
/** The only variables that a process inherits. The compile cache halves the time of a start. */
const environment = {
  PATH: process.env.PATH,
  SystemRoot: process.env.SystemRoot,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? fileOf('node_modules/.cache/parley-tests/compiled'),
};
/** scripts/test.ts names a folder in memory where there is one: a cluster is a thousand files, and tests start about eighty. */
const homes_folder = process.env.PARLEY_TEST_FOLDER ?? tmpdir();
/** With a larger young generation a start takes a tenth less processor time. */
const start_flags = ['--min-semi-space-size=16'];
/** Generous, because a loaded machine starts a process slowly. */
const patience_ms = 120_000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Answer<T = Record<string, unknown>> = { status: number; headers: Headers; body: T; text: string };

export type Request = <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer<T>>;

export type Launched = {
  pid: number;
  /** The output so far, of both streams. */
  output(): string;
  /** Resolves with the first match in the output; rejects when the process ends without one. */
  prints(pattern: RegExp): Promise<RegExpExecArray>;
  exited: Promise<Exit>;
  /** Asks the process to end and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
  kill(): Promise<Exit>;
};

export type Service = Launched & {
  /** The base URL of the API. */
  url: string;
  key: string;
  /** Sends the key, unless `headers` has another credential. */
  request: Request;
};

export type Home = {
  /** The folder the service is started in; its data is in `data` below it. */
  folder: string;
  data_dir: string;
  /** Starts the process without waiting. */
  launch(settings?: Record<string, string>, args?: string[]): Launched;
  /** Starts it as the documentation says, with `npm start`: the process is npm, in a group of its own. */
  launchByNpm(settings?: Record<string, string>): Launched;
  /** Starts the process and waits until it is ready. */
  start(settings?: Record<string, string>): Promise<Service>;
  /** The embedded server and its child processes. */
  postgresProcesses(): number[];
  /** Resolves when no process of the embedded PostgreSQL is left. One that ends is still listed for some milliseconds. */
  noPostgresLeft(): Promise<void>;
};

/**
 * At the end of the test the processes are stopped and the folder is removed. The folder starts with a prepared database
 * cluster, unless `first_start` requests an empty one: initdb and the migrations take seconds. `main` starts another version.
 */
export function makeHome(
  t: { after(done: () => Promise<void>): void },
  { first_start = false, main = current_main }: { first_start?: boolean; main?: string } = {},
): Home {
  const folder = realpathSync(mkdtempSync(join(homes_folder, 'parley-journey-')));
  // The mode of an ordinary folder: others may pass through it.
  chmodSync(folder, 0o755);
  const data_dir = join(folder, 'data');
  const cluster = process.env.PARLEY_TEST_CLUSTER;
  const copy = () => {
    if (cluster && !first_start && !existsSync(data_dir)) copyCluster(cluster, data_dir);
  };
  const all: Launched[] = [];

  const launch = (settings: Record<string, string> = {}, args: string[] = []) => {
    if (!settings.DATABASE_URL && !settings.PARLEY_DATA_DIR) copy();
    const child = spawn(process.execPath, [...start_flags, main, ...args], {
      cwd: folder,
      env: {
        ...environment,
        // Five seconds of processor time for every process. An older release refuses settings that it does not have.
        ...(main === current_main ? { PARLEY_SPEECH_PRELOAD: 'off' } : {}),
        HOME: folder,
        PORT: '0',
        MCP_PORT: '0',
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const launched = follow(child);
    all.push(launched);
    return launched;
  };

  const launchByNpm = (settings: Record<string, string> = {}) => {
    copy();
    const child = spawn('npm', ['start'], {
      cwd: fileOf('.'),
      env: {
        ...environment,
        ...{
          HOME: folder,
          PORT: '0',
          MCP_PORT: '0',
          PARLEY_DATA_DIR: data_dir,
          PARLEY_SPEECH_PRELOAD: 'off',
          npm_config_update_notifier: 'false',
        },
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const launched = follow(child);
    all.push({ ...launched, kill: () => killGroup(child.pid!, launched) });
    return launched;
  };

  const start = async (settings: Record<string, string> = {}): Promise<Service> => {
    const launched = launch(settings);
    // The empty line comes after the key, if one is printed.
    const [, url] = await launched.prints(/^ {2}API +(\S+)\/v1\n[\s\S]*?\n\n/m);
    const key = settings.PARLEY_SHARED_KEY ?? readFileSync(join(data_dir, 'shared-key'), 'utf8').trim();
    return { ...launched, url: url!, key, request: requester(url!, key) };
  };

  const postgresProcesses = () => processesBelow(data_dir);
  const noPostgresLeft = async () => {
    await waitFor('PostgreSQL has ended', () => postgresProcesses().length === 0, { timeout_ms: 10_000 });
  };

  t.after(async () => {
    for (const launched of all) await launched.kill();
    for (const pid of postgresProcesses()) signal(pid, 'SIGKILL');
    await until(() => postgresProcesses().length === 0);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { folder, data_dir, launch, launchByNpm, start, postgresProcesses, noPostgresLeft };
}

/** Settings for a database of the server that all tests share. A service starts faster with it than with its own server. */
export async function sharedDatabase(t: { after(done: () => Promise<void>): void }) {
  const database = await createDatabase();
  t.after(database.drop);
  return {
    DATABASE_URL: database.url,
    PARLEY_SHARED_KEY: 'a-long-key-that-only-this-test-knows',
    PARLEY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_SANDBOX: 'on',
  };
}

/**
 * Calls of this service then load no recognition and no voice, which takes seconds of processor time in each process: for calls
 * that nobody answers. The service needs WEBHOOK_PRIVATE_TARGETS, because the engines are on loopback.
 */
export async function useRemoteSpeech({ request }: Pick<Service, 'request'>): Promise<void> {
  for (const layer of ['stt', 'tts']) {
    const settings = { provider: 'openai-compatible', params: { base_url: 'http://127.0.0.1:9/v1' } };
    const { status, text } = await request('PUT', `/v1/providers/${layer}`, {
      api_key: 'never-used',
      ...settings,
    });
    if (status !== 200) throw new Error(text);
  }
}

/** Kills npm and its child processes, which are all in its process group. */
function killGroup(pid: number, launched: Launched): Promise<Exit> {
  signal(-pid, 'SIGKILL');
  return launched.exited;
}

/** Repeats the condition until it is true. Most conditions are requests, which would keep the service busy at a shorter interval. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await waitFor(String(condition), condition, { interval_ms: 30 });
}

/** Sends requests to a service and parses JSON responses. */
export function requester(url: string, key: string): Request {
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const is_json = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (is_json ? JSON.parse(text) : {}) as T,
    };
  };
}

function follow(child: ChildProcess): Launched {
  let text = '';
  const listeners = new Set<() => void>();
  const append = (chunk: string) => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout!.setEncoding('utf8').on('data', append);
  child.stderr!.setEncoding('utf8').on('data', append);
  // 'close' follows the last output; 'exit' may come earlier.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);

  const prints = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const give_up = (why: string) => {
        settle();
        reject(new Error(`${why} without printing ${pattern}. Its output:\n${text}`));
      };
      const look = () => {
        const match = pattern.exec(text);
        if (!match) return;
        settle();
        resolve(match);
      };
      const timer = setTimeout(give_up, patience_ms, 'The process continued');
      const settle = () => {
        clearTimeout(timer);
        listeners.delete(look);
      };
      listeners.add(look);
      void exited.then(({ code, signal }) => give_up(`The process ended (${signal ?? code})`));
      look();
    });

  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exited;
  };
  return { pid: child.pid!, output: () => text, prints, exited, stop, kill: () => stop('SIGKILL') };
}

/** The process id that the embedded server wrote to its file; null if there is none. */
export function postmasterOf(data_dir: string): number | null {
  const pid_file = join(data_dir, 'postgres', 'postmaster.pid');
  return existsSync(pid_file) ? Number(readFileSync(pid_file, 'utf8').split('\n')[0]) : null;
}

/**
 * Finds the processes of PostgreSQL by their working folder, which is the data folder. A zombie has no working folder.
 * Without /proc only the process in the pid file is found.
 */
function processesBelow(folder: string): number[] {
  if (process.platform !== 'linux') {
    const pid = postmasterOf(folder);
    return pid !== null && signal(pid, 0) ? [pid] : [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingFolder(name).startsWith(`${folder}/`))
    .map(Number);
}

function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** False if the process no longer exists. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

// Starts one process that runs test files, and collects what it reports.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Message, Order, TestReport } from './messages.ts';

export type FileResult = {
  file: string;
  tests: TestReport[];
  duration_ms: number;
  cpu_ms: number;
  /** What the process printed while the file ran. */
  output: string;
};

export type ProcessOptions = {
  /** The next file to run; called when the process is ready for it. Undefined: there are no more. */
  next(): string | undefined;
  /** Options of node:test, such as `--test-name-pattern=…`. */
  flags: readonly string[];
  environment: Record<string, string>;
  started(child: ChildProcess): void;
  ended(result: FileResult): void;
};

/** A test that leaves a timer or a socket open keeps its process alive: this long after the last test it is stopped. */
const exit_patience_ms = 30_000;

const still_running = `the process was still running ${exit_patience_ms / 1000} s after its last test`;

/** A larger young generation halves the time of garbage collection. */
const heap_flags = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const fromList = (files: string[]) => () => files.shift();

/**
 * Settles when all files have ended. If the process crashes, the file that was running is reported as failed, and the files
 * after it run in another process.
 */
export async function runProcess({
  next,
  flags,
  environment,
  started,
  ended,
}: ProcessOptions): Promise<void> {
  // A name pattern would skip the outer test that stands for the file, so then every file is a process.
  const by_name = flags.some((flag) => /^--test-(name|skip)-pattern|^--test-only/.test(flag));
  const only = by_name ? next() : undefined;
  if (by_name && only === undefined) return;
  const child = spawn(
    process.execPath,
    [
      '--test-timeout=300000',
      ...heap_flags,
      `--test-reporter=${local('reporter.ts')}`,
      '--test-reporter-destination=stdout',
      ...flags,
      only ?? local('run-files.ts'),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...environment, TEST_PROCESS_RUNS_FILES: by_name ? '0' : '1' },
    },
  );
  started(child);
  const collected = collect(child, only, next, ended);
  const left = await new Promise<string[]>((resolve) => {
    child.on('close', (status, signal) => resolve(collected.close(signal ?? `code ${status}`)));
  });
  const more = { flags, environment, started, ended };
  if (left.length > 0) await runProcess({ next: fromList(left), ...more });
  if (by_name) await runProcess({ next, ...more });
}

/** `only` is the file that the process was started for; without it, the process gets files from `next`. */
function collect(
  child: ChildProcess,
  only: string | undefined,
  next: ProcessOptions['next'],
  ended: ProcessOptions['ended'],
): { close(status: string): string[] } {
  const start_ms = performance.now();
  const unfinished: string[] = only === undefined ? [] : [only];
  let last = only ?? '(no file)';
  let tests: TestReport[] = [];
  let output = '';
  let stuck: NodeJS.Timeout | undefined;
  let has_failed = false;
  const details: string[] = [];
  const finish = (file: string, duration_ms: number, cpu_ms: number) => {
    unfinished.splice(unfinished.indexOf(file), 1);
    has_failed ||= tests.some(({ error }) => error !== null);
    ended({ file, tests, duration_ms, cpu_ms, output });
    tests = [];
    output = '';
  };
  const giveNext = () => {
    const file = next() ?? null;
    if (file !== null) {
      unfinished.push(file);
      last = file;
    }
    child.send({ file } satisfies Order, () => {});
  };
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.on('message', (message: Message) => {
    if (message.type === 'ready') giveNext();
    if (message.type === 'test') tests.push(requireInstalled(message));
    if (message.type === 'file_ended') finish(message.file, message.duration_ms, message.cpu_ms);
    if (message.type === 'still_open') details.push(...message.handles);
    if (message.type === 'stray_error') details.push(message.text);
    if (message.type === 'all_ended') {
      if (only !== undefined && unfinished.length > 0) finish(only, performance.now() - start_ms, 0);
      stuck ??= setTimeout(() => child.kill('SIGKILL'), exit_patience_ms);
    }
  });
  return {
    close(status) {
      clearTimeout(stuck);
      const reason = stuck && status === 'SIGKILL' ? still_running : `the process exited with ${status}`;
      const complaint = [reason, ...details].join('\n');
      if (unfinished.length === 0 && status !== 'code 0' && !has_failed)
        ended({ file: last, tests: [failure(complaint)], duration_ms: 0, cpu_ms: 0, output });
      const [crashed, ...left] = unfinished;
      if (crashed === undefined) return [];
      tests.push(failure(`the process ended (${status}) before this file did`));
      finish(crashed, 0, 0);
      // After Ctrl-C nothing more is started.
      return status === 'SIGINT' || status === 'SIGTERM' ? [] : left;
    },
  };
}

/** On a laptop a missing program skips its tests. In CI that would hide that they never run. */
const requireInstalled = (test: TestReport): TestReport =>
  process.env.CI && /not installed/.test(test.skipped ?? '')
    ? { ...test, skipped: null, error: `skipped in CI: ${test.skipped}` }
    : test;

const failure = (error: string): TestReport => ({
  name: '(the process)',
  error,
  skipped: null,
  duration_ms: 0,
});

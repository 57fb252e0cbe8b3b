// Starts one process for a group of test files and collects what it reports.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Message, TestReport } from './messages.ts';

export type FileResult = {
  file: string;
  tests: TestReport[];
  duration_ms: number;
  cpu_ms: number;
  /** What the process printed while the file ran. */
  output: string;
};

export type GroupOptions = {
  files: readonly string[];
  /** Options of node:test, such as `--test-name-pattern=…`. */
  flags: readonly string[];
  environment: Record<string, string>;
  started(child: ChildProcess): void;
  ended(result: FileResult): void;
};

/** A test that leaves a timer or a socket open keeps its process alive: this long after the last test it is stopped. */
const exit_patience_ms = 20_000;

const still_running = `the process was still running ${exit_patience_ms / 1000} s after its last test`;

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Settles when all files have ended. If the process crashes, the file that was running is reported as failed, and the files
 * after it run in another process.
 */
export async function runGroup({ files, flags, environment, started, ended }: GroupOptions): Promise<void> {
  // A name pattern would skip the outer test that stands for the file, so then every file is a process.
  const by_name = flags.some((flag) => /^--test-(name|skip)-pattern|^--test-only/.test(flag));
  if (by_name && files.length > 1) {
    for (const file of files) await runGroup({ files: [file], flags, environment, started, ended });
    return;
  }
  const arguments_ = [
    '--test-timeout=300000',
    `--test-reporter=${local('reporter.ts')}`,
    '--test-reporter-destination=stdout',
    ...flags,
    ...(by_name ? files : [local('run-files.ts'), ...files]),
  ];
  const child = spawn(process.execPath, arguments_, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...environment, TEST_PROCESS_RUNS_FILES: by_name ? '0' : '1' },
  });
  started(child);
  const collected = collect(child, files, by_name, ended);
  const left = await new Promise<string[]>((resolve) => {
    child.on('close', (status, signal) => resolve(collected.close(signal ?? `code ${status}`)));
  });
  if (left.length > 0) await runGroup({ files: left, flags, environment, started, ended });
}

function collect(
  child: ChildProcess,
  files: readonly string[],
  by_name: boolean,
  ended: (result: FileResult) => void,
): { close(status: string): string[] } {
  const start_ms = performance.now();
  const unfinished = [...files];
  let tests: TestReport[] = [];
  let output = '';
  let stuck: NodeJS.Timeout | undefined;
  let has_failed = false;
  const finish = (file: string, duration_ms: number, cpu_ms: number) => {
    unfinished.splice(unfinished.indexOf(file), 1);
    has_failed ||= tests.some(({ error }) => error !== null);
    ended({ file, tests, duration_ms, cpu_ms, output });
    tests = [];
    output = '';
  };
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  child.on('message', (message: Message) => {
    if (message.type === 'test') tests.push(requireInstalled(message));
    if (message.type === 'file_ended') finish(message.file, message.duration_ms, message.cpu_ms);
    if (message.type === 'all_ended') {
      if (by_name) finish(files[0]!, performance.now() - start_ms, 0);
      stuck ??= setTimeout(() => child.kill('SIGKILL'), exit_patience_ms);
    }
  });
  return {
    close(status) {
      clearTimeout(stuck);
      const complaint = stuck && status === 'SIGKILL' ? still_running : `the process exited with ${status}`;
      if (unfinished.length === 0 && status !== 'code 0' && !has_failed)
        ended({ file: files.at(-1)!, tests: [failure(complaint)], duration_ms: 0, cpu_ms: 0, output });
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

const failure = (error: string): TestReport => ({ name: '(the process)', error, skipped: null });

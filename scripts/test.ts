// Runs the tests: starts one PostgreSQL for all of them, prepares a migrated template, then runs the files in a few processes.
//
//   npm test                       the fast tests
//   npm run test:all               all of them: also journeys, browsers, chaos, foreign programs and slow files
//   npm test -- calls webhooks     files whose path contains one of the words
//   npm test -- --watch calls      again after every change of a source
//   npm test -- --junit FILE       with a report in the format of JUnit
//   npm test -- --verbose          with a line for every test
//   TEST_SEED=7 npm test           random tests repeat the run that printed this seed
//
// Other options that start with `--` go to node:test, for example `--test-name-pattern=retry`.
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres/index.ts';
import { prepareTemplate } from '../packages/server/testing/database.ts';
import { copyCluster, prepareCluster } from '../packages/server/testing/prepared-cluster.ts';
import { test_seed } from '../packages/server/testing/random.ts';
import { junitReport } from './test-runner/junit.ts';
import { type Options, readOptions } from './test-runner/options.ts';
import { nextProcess, orderFiles, type Queue } from './test-runner/order-files.ts';
import { failedTests, printFile, printLeftOut, printSlow, printSummary } from './test-runner/print.ts';
import { repeatFailed } from './test-runner/repeat-failed.ts';
import { type FileResult, runProcess } from './test-runner/run-process.ts';
import { allTestFiles, selectFiles } from './test-runner/select-files.ts';
import { watchSources } from './test-runner/watch.ts';

/** Compiled sources, an initialized database cluster and measured times make the next run faster. */
const cache = resolve('node_modules/.cache/parley-tests');
const times_file = join(cache, 'test-times.json');

/** More processes than processors: many tests wait, for audio in real time or for a process that starts. */
const concurrency = Number(process.env.TEST_CONCURRENCY ?? availableParallelism() * 2);

/** These tests start the service as a process, from a bundle. */
const startsService = (file: string) =>
  /^test\/(journeys|browser)\/|\/(chaos|\w+-workers?)\.slow\.test\.ts$/.test(file);
async function bundledServer(): Promise<string> {
  const { bundleServer } = await import('./test-runner/bundle-server.ts');
  return bundleServer(cache);
}

const measuredTimes = (): Record<string, number> => {
  try {
    return JSON.parse(readFileSync(times_file, 'utf8'));
  } catch {
    return {};
  }
};

/**
 * In memory where Linux offers it: every test file creates a database, which is a thousand files, and that takes a tenth of the
 * processor time there. Processes that tests start have their data there too. Containers often have only a few megabytes.
 */
function databaseFolder(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 3e9 ? memory : tmpdir();
}

const children = new Set<ChildProcess>();
const stopping = new AbortController();
// The tests end first, then their database.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopping.abort();
    for (const child of children) child.kill(signal);
  });

async function runAll(
  queue: Queue,
  options: { environment: Record<string, string>; verbose: boolean; flags: readonly string[] },
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  const { signal } = stopping;
  const work = async (first: keyof Queue) => {
    for (let next = nextProcess(queue, first); next && !signal.aborted; next = nextProcess(queue, first))
      await runProcess({
        next,
        flags: options.flags,
        environment: options.environment,
        started(child) {
          children.add(child);
          child.once('close', () => children.delete(child));
        },
        ended(result) {
          results.push(result);
          printFile(result, options.verbose);
        },
      });
  };
  await Promise.all(Array.from({ length: concurrency }, (_, index) => work(index % 2 ? 'shared' : 'alone')));
  if (signal.aborted) throw new Error('The run was stopped.');
  return results;
}

/** Returns the exit status. `among`: in a repeated run, only these files. */
async function run({ words, flags, ...options }: Options, among: readonly string[] | null): Promise<number> {
  const selection = selectFiles(allTestFiles(), words, options);
  const { left_out } = selection;
  const files = selection.files.filter((file) => among?.includes(file) ?? true);
  const start_ms = performance.now();
  mkdirSync(cache, { recursive: true });
  const memory_folder = databaseFolder();
  const data_dir = await mkdtemp(join(memory_folder, 'parley-test-'));
  const cluster = await prepareCluster(cache);
  if (cluster) copyCluster(cluster, data_dir);
  // This database lives for one run, so it need not survive a power cut. Tests of durability start their own.
  // In the folder of the cluster. A socket takes less processor time than TCP.
  const socket_folder = process.platform === 'win32' ? null : join(data_dir, 'postgres');
  const postgres = await startEmbeddedPostgres({
    data_dir,
    say: () => {},
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '500',
      // Would visit the databases of all test files again and again.
      autovacuum: 'off',
      // The databases are small and live for seconds: no statistics, replication or parallel reading.
      track_counts: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      io_method: 'sync',
      jit: 'off',
      ...(socket_folder ? { unix_socket_directories: '.' } : {}),
    },
  });
  try {
    await prepareTemplate(postgres.url, { migrated: cluster !== null });
    const times = measuredTimes();
    const environment = {
      PARLEY_TEST_DATABASE_URL: postgres.url,
      PARLEY_TEST_FOLDER: memory_folder,
      ...(socket_folder ? { PARLEY_TEST_DATABASE_SOCKETS: socket_folder } : {}),
      ...(cluster ? { PARLEY_TEST_CLUSTER: cluster } : {}),
      ...(files.some(startsService) ? { PARLEY_TEST_MAIN: await bundledServer() } : {}),
      NODE_ENV: 'test',
      TEST_SEED: String(test_seed),
      NODE_COMPILE_CACHE: join(cache, 'compiled'),
    };
    const run_options = { environment, flags, verbose: options.verbose || files.length === 1 };
    const { results, unstable } = await repeatFailed(
      await runAll(orderFiles(files, times), run_options),
      (file) => runAll({ alone: [file], shared: [] }, run_options),
    );
    for (const { file, duration_ms } of results) times[file] = Math.round(duration_ms);
    writeFileSync(times_file, JSON.stringify(times, null, 1));
    const duration_ms = performance.now() - start_ms;
    if (options.junit) writeFileSync(options.junit, junitReport(results, unstable, duration_ms));
    if (!options.all) printSlow(results);
    printSummary(results, unstable, duration_ms);
    printLeftOut(left_out, words);
    console.log(`Seed of random tests: ${test_seed} (repeat with TEST_SEED=${test_seed})`);
    return results.some((result) => failedTests(result).length > 0) ? 1 : 0;
  } finally {
    await postgres.stop();
    await rm(data_dir, { recursive: true, force: true });
  }
}

const report = (error: Error): number => {
  console.error(error.message);
  return 1;
};

/** A change of tests alone runs these tests, any other change all files of the selection. */
async function repeat(options: Options): Promise<void> {
  const sources = watchSources(['bench', 'packages', 'scripts', 'test'], stopping.signal);
  for (let changed: string[] | null = null; !stopping.signal.aborted; changed = await sources.next()) {
    const is_tests = changed?.every((path) => path.endsWith('.test.ts')) ?? false;
    await run(options, is_tests ? changed : null).catch(report);
    if (!stopping.signal.aborted) console.log('\nWaiting for a change. Ctrl-C ends.');
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (!options.watch) return run(options, null);
  await repeat(options);
  return 0;
}

process.exitCode = await main().catch(report);
process.exit();

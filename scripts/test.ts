// Runs the tests: starts one PostgreSQL for all of them, prepares a migrated template, then runs the files in a few processes.
//
//   npm test                       everything
//   npm test -- calls webhooks     files whose path contains one of the words
//   npm run test:quick             without journeys, browsers, chaos and other slow files
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
import { nextProcess, orderFiles, type Queue } from './test-runner/order-files.ts';
import { failedTests, printFile, printSummary, printUnlistedSlow } from './test-runner/print.ts';
import { repeatFailed } from './test-runner/repeat-failed.ts';
import { type FileResult, runProcess } from './test-runner/run-process.ts';
import { allTestFiles, quickFiles, selectFiles } from './test-runner/select-files.ts';

/** Compiled sources, an initialized database cluster and measured times make the next run faster. */
const cache = resolve('node_modules/.cache/parley-tests');
const times_file = join(cache, 'test-times.json');

const own_options = ['--quick', '--verbose'];
const given = process.argv.slice(2);
const has = (option: string) => given.includes(option);
const flags = given.filter((argument) => argument.startsWith('--') && !own_options.includes(argument));
const words = given.filter((argument) => !argument.startsWith('--'));

/** More processes than processors: many tests wait, for audio in real time or for a process that starts. */
const concurrency = Number(process.env.TEST_CONCURRENCY ?? availableParallelism() * 2);

/** These tests start the service as a process, from a bundle. */
const startsService = (file: string) =>
  /^test\/(journeys|browser)\/|\/(chaos|\w+-workers?)\.test\.ts$/.test(file);
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

async function runAll(
  queue: Queue,
  options: { environment: Record<string, string>; verbose: boolean },
): Promise<FileResult[]> {
  const children = new Set<ChildProcess>();
  const results: FileResult[] = [];
  let stopped = false;
  // The tests end first, then their database.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopped = true;
      for (const child of children) child.kill(signal);
    });
  const work = async (first: keyof Queue) => {
    for (let next = nextProcess(queue, first); next && !stopped; next = nextProcess(queue, first))
      await runProcess({
        next,
        flags,
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
  if (stopped) throw new Error('The run was stopped.');
  return results;
}

async function main(): Promise<number> {
  const files = selectFiles(has('--quick') ? quickFiles(allTestFiles()) : allTestFiles(), words);
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
    const verbose = has('--verbose') || files.length === 1;
    const options = { environment, verbose };
    const { results, unstable } = await repeatFailed(
      await runAll(orderFiles(files, times), options),
      (file) => runAll({ alone: [file], shared: [] }, options),
    );
    for (const { file, duration_ms } of results) times[file] = Math.round(duration_ms);
    writeFileSync(times_file, JSON.stringify(times, null, 1));
    if (has('--quick')) printUnlistedSlow(results);
    printSummary(results, unstable, performance.now() - start_ms);
    console.log(`Seed of random tests: ${test_seed} (repeat with TEST_SEED=${test_seed})`);
    return results.some((result) => failedTests(result).length > 0) ? 1 : 0;
  } finally {
    await postgres.stop();
    await rm(data_dir, { recursive: true, force: true });
  }
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
process.exit();

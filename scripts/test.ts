// Runs the tests: starts one PostgreSQL for all of them, prepares a migrated template, then hands over to node --test.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres/index.ts';
import { prepareTemplate } from '../packages/server/testing/database.ts';

const given = process.argv.slice(2);
const flags = given.filter((argument) => argument.startsWith('--'));
const paths = given.filter((argument) => !argument.startsWith('--'));
const files =
  paths.length > 0
    ? paths
    : ['packages/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];

const data_dir = await mkdtemp(join(tmpdir(), 'parley-test-'));
// This database lives for one run: what it loses in a power cut nobody misses. Tests of durability start their own.
const postgres = await startEmbeddedPostgres({
  data_dir,
  say: console.log,
  settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
});
let code = 1;
try {
  await prepareTemplate(postgres.url);
  // One file more than there are cores: many wait, for sound that takes its time or for a process that starts.
  const at_once = availableParallelism() + 1;
  const child = spawn(
    process.execPath,
    ['--test', `--test-concurrency=${at_once}`, '--test-timeout=300000', ...flags, ...files],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        PARLEY_TEST_DATABASE_URL: postgres.url,
        NODE_ENV: 'test',
        // Every file is a process that loads the same sources: they are compiled once, not two hundred times.
        NODE_COMPILE_CACHE: join(data_dir, 'compiled'),
      },
    },
  );
  // Stopped in order: the tests end first, then their database.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1)));
} finally {
  await postgres.stop();
  await rm(data_dir, { recursive: true, force: true });
}
process.exit(code);

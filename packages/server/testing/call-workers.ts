// Worker processes that a test starts and kills; each one handles calls and texts of the test app.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TestApp } from './app.ts';
import { freePort } from './free-port.ts';

/** scripts/test.ts bundles the sources for a faster start. */
const main = process.env.PARLEY_TEST_MAIN
  ? join(dirname(process.env.PARLEY_TEST_MAIN), 'call-worker.mjs')
  : fileURLToPath(new URL('./call-worker.ts', import.meta.url));

/** The processes that still run are killed at the end of the test file. */
export function callWorkers(
  { client, url, database_url, data_dir }: Pick<TestApp, 'client' | 'url' | 'database_url' | 'data_dir'>,
  environment: Record<string, string>,
) {
  const running = new Set<ChildProcess>();
  after(() => {
    for (const worker of running) worker.kill('SIGKILL');
  });
  return {
    running,

    /** Settles when the worker is ready, or has failed to start. */
    async start(more: Record<string, string> = {}): Promise<ChildProcess> {
      const port = String(await freePort());
      const worker = fork(main, {
        // With a larger young generation a start takes a tenth less processor time.
        execArgv: ['--min-semi-space-size=16'],
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          DATABASE_URL: database_url,
          PARLEY_DATA_DIR: data_dir,
          PARLEY_SHARED_KEY: client.key,
          PARLEY_SANDBOX: 'on',
          PARLEY_ROLES: 'api,worker',
          PARLEY_BASE_URL: url,
          PARLEY_MEDIA_URL: `http://127.0.0.1:${port}`,
          PORT: port,
          TEST_LOG: process.env.TEST_LOG,
          ...environment,
          ...more,
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      running.add(worker);
      await Promise.race([once(worker, 'message'), once(worker, 'exit')]);
      return worker;
    },

    /** As kill -9 does: the process cannot finish anything. */
    async kill(worker: ChildProcess): Promise<void> {
      const exited = once(worker, 'exit');
      worker.kill('SIGKILL');
      await exited;
      running.delete(worker);
    },
  };
}

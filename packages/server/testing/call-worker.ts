// A complete worker process with coded speech instead of engines, for tests that kill the process that runs a call.
import { buildApp } from '../src/app/app.ts';
import { readConfig } from '../src/config/config.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { makeLog } from '../src/platform/log.ts';
import { stopStack } from '../src/platform/stop-stack.ts';
import { realTimeClock } from '../src/providers/media/media-clock.ts';
import { startRoles } from '../src/start/start.ts';
import { codedSpeech } from './calls.ts';
import { connect_timeout_ms } from './database.ts';

const config = readConfig(process.env, process.cwd());
const db = openDatabase({
  url: config.DATABASE_URL!,
  max_connections: 5,
  query_timeout_ms: 30_000,
  connect_timeout_ms,
  onError() {},
});
const log = makeLog({ level: process.env.TEST_LOG ?? 'fatal', show_personal_data: true });
const app = buildApp({
  config,
  db,
  log,
  shared_key: config.PARLEY_SHARED_KEY,
  master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  // Many calls at once in fast time would need more processors than a machine has.
  speech: () => codedSpeech(process.env.TEST_REAL_TIME ? { clock: realTimeClock() } : {}),
  // Thirty jobs at the start would take more processor time than the start itself.
  delay_recurring_jobs: true,
});
const stops = stopStack({ log, grace_ms: config.PARLEY_STOP_GRACE_SECONDS * 1000 });
stops.push('database', () => db.close());
await startRoles(app, config.PARLEY_SHARED_KEY, {
  config,
  log,
  say() {},
  signal: new AbortController().signal,
  stops,
  tracing: null,
});
process.on('SIGTERM', async () => process.exit((await stops.stop()) ? 0 : 1));
process.send?.('ready');

// A complete worker process with coded speech instead of engines, for tests that kill the process that runs a call.
import { buildApp } from '../src/app/app.ts';
import { readConfig } from '../src/config/config.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import { makeLog } from '../src/platform/log.ts';
import { codedSpeech } from './calls.ts';

const config = readConfig(process.env, process.cwd());
const db = openDatabase({
  url: config.DATABASE_URL!,
  max_connections: 5,
  query_timeout_ms: 30_000,
  onError() {},
});
const app = buildApp({
  config,
  db,
  log: makeLog({ level: process.env.TEST_LOG ?? 'fatal', show_personal_data: true }),
  shared_key: config.PARLEY_SHARED_KEY,
  master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }],
  speech: () => codedSpeech(),
});
await app.http.listen({ port: config.PORT, host: '127.0.0.1' });
app.listening(config.PORT);
await app.workers.start();
process.send?.('ready');

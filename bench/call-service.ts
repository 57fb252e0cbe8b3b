// The service with speech engines that take no time, as a program for the stage: rows measure what the service adds to them.
import { buildApp } from '../packages/server/src/app/app.ts';
import { readConfig } from '../packages/server/src/config/config.ts';
import { sealer } from '../packages/server/src/platform/crypto.ts';
import { openDatabase } from '../packages/server/src/platform/db/database.ts';
import { makeLog } from '../packages/server/src/platform/log.ts';
import { agreedSigningKey } from '../packages/server/src/platform/master-keys.ts';
import { offlineLlm } from '../packages/server/src/providers/llm/offline/index.ts';
import { realTimeClock } from '../packages/server/src/providers/media/media-clock.ts';
import { masterKeys } from '../packages/server/src/start/key-files.ts';
import { listen, localUrl } from '../packages/server/src/start/listen.ts';
import { codedStt, codedTts, codedVad } from '../packages/server/testing/coded-speech.ts';

const config = readConfig(process.env, process.cwd());
const db = openDatabase({
  url: config.DATABASE_URL!,
  max_connections: config.PARLEY_DATABASE_CONNECTIONS,
  onError() {},
});
const master_keys = await masterKeys(config, db, () => {});
const app = buildApp({
  config,
  db,
  log: makeLog({ level: config.PARLEY_LOG_LEVEL, show_personal_data: false }),
  shared_key: config.PARLEY_SHARED_KEY,
  master_keys,
  signing_key: await agreedSigningKey(db, sealer(master_keys)),
  speech: () => ({
    vad: codedVad(),
    stt: codedStt(),
    tts: codedTts(),
    llm: offlineLlm(),
    clock: realTimeClock(),
  }),
});
await app.prepare();
await app.workers.start();
app.listening(await listen(app.http, config));
// The line that the stage waits for.
console.log(`  API ${localUrl(app)}/v1`);
// The row has ended its calls, and the database is deleted after it.
process.on('SIGTERM', () => process.exit(0));

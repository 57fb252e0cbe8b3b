// The speech engines load after the start, in the background, only where calls run, and not when the setting is off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../config/config.ts';
import { makeLog } from '../platform/log.ts';
import { stopStack } from '../platform/stop-stack.ts';
import { preloadSpeech } from './preload-speech.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });

function loadsWith(environment: Record<string, string>, loadSpeech = async () => {}): number {
  let loads = 0;
  const app = {
    loadSpeech() {
      loads++;
      return loadSpeech();
    },
  };
  const config = readConfig(environment, process.cwd());
  preloadSpeech(app, { config, log, stops: stopStack({ log, grace_ms: 1000 }) });
  return loads;
}

test('U12: a process that runs calls loads the speech engines without being waited for', () => {
  assert.equal(
    loadsWith({}, () => new Promise(() => {})),
    1,
  );
  assert.equal(loadsWith({ PARLEY_SPEECH_PRELOAD: 'off' }), 0);
  assert.equal(loadsWith({ PARLEY_CALLS_AT_ONCE: '0' }), 0);
  assert.equal(loadsWith({ PARLEY_ROLES: 'api', DATABASE_URL: 'postgres://localhost/parley' }), 0);
});

test('U12: engines that cannot be loaded do not end the process', async () => {
  assert.equal(
    loadsWith({}, () => Promise.reject(new Error('the file is damaged'))),
    1,
  );
  await new Promise((resolve) => setImmediate(resolve));
});

// The documented start command forwards signals: a signal to npm stops the server gracefully (O1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome, signal } from './process.ts';

const ready = /^ {2}API +(\S+)\/v1\n[\s\S]*?\n\n/m;

for (const name of ['SIGTERM', 'SIGINT'] as const) {
  test(`${name} to npm start ends the server with code 0 and leaves no PostgreSQL (O1)`, async (t) => {
    const home = makeHome(t);
    const npm = home.launchByNpm();
    await npm.prints(ready);
    assert.notEqual(home.postgresProcesses().length, 0);
    // Resolves when the last process that holds the output has ended.
    assert.deepEqual(await npm.stop(name), { code: 0, signal: null }, npm.output());
    await home.noPostgresLeft();
  });
}

test('Ctrl-C, which both the terminal and npm send, counts as one signal (O1)', async (t) => {
  const home = makeHome(t);
  const npm = home.launchByNpm();
  await npm.prints(ready);
  signal(-npm.pid, 'SIGINT');
  assert.deepEqual(await npm.exited, { code: 0, signal: null }, npm.output());
  assert.doesNotMatch(npm.output(), /again/);
  await home.noPostgresLeft();
});

test('a signal while npm still prepares the start leaves nothing running (O1)', async (t) => {
  const home = makeHome(t);
  const npm = home.launchByNpm();
  await npm.prints(/prestart/);
  const { code, signal: ended_by } = await npm.stop('SIGTERM');
  // The preparation may be over by then: in that case the server stops gracefully.
  assert.ok(ended_by === 'SIGTERM' || code === 0 || code === 143, npm.output());
  assert.doesNotMatch(npm.output(), /Parley is ready/);
  await home.noPostgresLeft();
});

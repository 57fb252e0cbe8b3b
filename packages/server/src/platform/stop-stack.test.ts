// A stop runs all its steps, also when one fails or hangs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLog } from './log.ts';
import { stopStack } from './stop-stack.ts';

const log = makeLog({ level: 'silent', show_personal_data: false });
const never = new Promise<void>(() => {});

test('steps run in the reverse order, each after the one before has ended', async () => {
  const stops = stopStack({ log, grace_ms: 60_000 });
  const order: string[] = [];
  for (const name of ['postgres', 'database', 'http']) {
    stops.push(name, async () => {
      await new Promise(setImmediate);
      order.push(name);
    });
  }
  assert.equal(await stops.stop(), true);
  assert.deepEqual(order, ['http', 'database', 'postgres']);
});

test('a step that fails is reported, and the steps below it still run', async () => {
  const stops = stopStack({ log, grace_ms: 60_000 });
  let stopped = false;
  stops.push('postgres', () => {
    stopped = true;
  });
  stops.push('http', () => {
    throw new Error('this step is broken');
  });
  assert.equal(await stops.stop(), false);
  assert.ok(stopped);
});

test('a step that never ends is abandoned after the cut', async () => {
  const stops = stopStack({ log, grace_ms: 0 });
  let stopped = false;
  stops.push('postgres', () => {
    stopped = true;
  });
  stops.push('http', () => never, { limit_ms: 1 });
  await stops.stop();
  assert.ok(stopped);
});

test('the cut is at the end of the grace period, or immediately on request', async () => {
  for (const grace_ms of [1, 3_600_000]) {
    const stops = stopStack({ log, grace_ms });
    stops.push('http', (cut) => new Promise((resolve) => cut.addEventListener('abort', resolve)));
    const stopped = stops.stop();
    if (grace_ms > 1) stops.hurry();
    assert.equal(await stopped, true);
  }
});

test('a component that is started during the stop is stopped as well', async () => {
  const stops = stopStack({ log, grace_ms: 60_000 });
  const stopping = stops.stop();
  const stopped = Promise.withResolvers<void>();
  stops.push('late', () => stopped.resolve());
  await stopped.promise;
  await stopping;
});

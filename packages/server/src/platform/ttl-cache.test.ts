// A cached value is never older than promised, and concurrent callers share one load.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedTtlCache, ttlCache } from './ttl-cache.ts';

function counted(max_age_ms: number) {
  let now = 0;
  let loads = 0;
  const value = ttlCache({
    load: async () => ++loads,
    max_age_ms,
    monotonic_ms: () => now,
  });
  return { value, loads: () => loads, pass: (ms: number) => (now += ms) };
}

test('a young value is returned without a load, an old one is loaded again', async () => {
  const { value, pass } = counted(1000);
  assert.equal(await value.get(), 1);
  pass(999);
  assert.equal(value.get(), 1);
  pass(1);
  assert.equal(await value.get(), 2);
});

test('the age counts from the start of the load', async () => {
  let now = 0;
  const gate = Promise.withResolvers<string>();
  const value = ttlCache({ load: () => gate.promise, max_age_ms: 1000, monotonic_ms: () => now });
  const first = value.get();
  now = 900;
  gate.resolve('read');
  assert.equal(await first, 'read');
  assert.equal(value.get(), 'read');
  now = 1000;
  assert.ok(value.get() instanceof Promise);
});

test('concurrent callers share one load', async () => {
  const { value, loads } = counted(1000);
  await Promise.all([value.get(), value.get(), value.get()]);
  assert.equal(loads(), 1);
});

test('a value that was invalidated during its load is not cached', async () => {
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let next = 0;
  const value = ttlCache({ load: () => gates[next++]!.promise, max_age_ms: 1000, monotonic_ms: () => 0 });
  const before = value.get();
  value.forget();
  const after = value.get();
  gates[1]!.resolve('new');
  assert.equal(await after, 'new');
  gates[0]!.resolve('old');
  assert.equal(await before, 'old');
  assert.equal(value.get(), 'new');
});

test('a failed load is not cached', async () => {
  let fails = true;
  const value = ttlCache({
    load: async () => {
      if (fails) throw new Error('unavailable');
      return 'loaded';
    },
    max_age_ms: 1000,
  });
  await assert.rejects(async () => value.get(), /unavailable/);
  fails = false;
  assert.equal(await value.get(), 'loaded');
});

test('each key has its own age, the oldest entry is removed first, and an invalidated key is loaded again', async () => {
  const values = keyedTtlCache<string>({ max_age_ms: 60_000, max_entries: 2 });
  let reads = 0;
  const read = (key: string) => values.get(key, async () => `${key}${++reads}`);
  assert.deepEqual([await read('a'), await read('b'), await read('a')], ['a1', 'b2', 'a1']);
  assert.equal(await read('c'), 'c3');
  assert.deepEqual([await read('b'), await read('a')], ['b2', 'a4']);
  values.forget('a');
  assert.equal(await read('a'), 'a5');
  const gate = Promise.withResolvers<string>();
  const before = values.get('d', () => gate.promise);
  values.forgetAll();
  gate.resolve('old');
  assert.equal(await before, 'old');
  assert.equal(await read('d'), 'd6');
});

// What is loaded once: however many wish for it at once, and again only where it failed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lazy } from './lazy.ts';

test('many wishes are one load, a failed one is told to all who wished and tried again, a good one stays', async () => {
  const loads: PromiseWithResolvers<void>[] = [];
  const ready = lazy(() => {
    const load = Promise.withResolvers<void>();
    loads.push(load);
    return load.promise;
  });
  const first = [ready(), ready(), ready()];
  loads[0]!.reject(new Error('The weights are missing.'));
  for (const wish of first) await assert.rejects(wish, /weights are missing/);
  const second = [ready(), ready()];
  loads[1]!.resolve();
  await Promise.all(second);
  await ready();
  assert.equal(loads.length, 2);
});

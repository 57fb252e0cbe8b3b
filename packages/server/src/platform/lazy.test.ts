// Lazy loading: one load for concurrent callers, and another load only after a failure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lazy } from './lazy.ts';

test('concurrent callers share one load; a failed load rejects all of them and the next call loads again', async () => {
  const loads: PromiseWithResolvers<void>[] = [];
  const ready = lazy(() => {
    const load = Promise.withResolvers<void>();
    loads.push(load);
    return load.promise;
  });
  const first = [ready(), ready(), ready()];
  loads[0]!.reject(new Error('The weights are missing.'));
  for (const call of first) await assert.rejects(call, /weights are missing/);
  const second = [ready(), ready()];
  loads[1]!.resolve();
  await Promise.all(second);
  await ready();
  assert.equal(loads.length, 2);
});

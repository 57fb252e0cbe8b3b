// Request metrics: cumulative buckets, sum and count per operation and status.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExposition } from '../../testing/exposition.ts';
import { makeMetrics } from './metrics.ts';

test('a request is counted in its bucket and in every larger one', async () => {
  const metrics = makeMetrics();
  for (const ms of [0.5, 1, 7, 60_000]) metrics.observeRequest('contacts.list', 200, ms);
  metrics.observeRequest('contacts.list', 404, 2);
  const text = await metrics.registry.metrics();
  const { value } = readExposition(text);
  const name = 'parley_http_request_duration_seconds';
  const ok = { operation: 'contacts.list', status: '200' };
  const found = ['0.001', '0.005', '0.01', '30', '+Inf'].map((le) => value(`${name}_bucket`, { ...ok, le }));
  assert.deepEqual(found, [2, 2, 3, 3, 4]);
  assert.deepEqual([value(`${name}_count`, ok), value(`${name}_sum`, ok)], [4, 60.0085]);
  assert.equal(value(`${name}_count`, { ...ok, status: '404' }), 1);
  assert.match(text, /# TYPE parley_http_request_duration_seconds histogram/);
});

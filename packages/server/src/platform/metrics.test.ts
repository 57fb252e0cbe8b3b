// What /metrics says of requests: cumulative buckets, sum and count for every operation and status.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeMetrics } from './metrics.ts';

test('a request is counted in its bucket and in every larger one', async () => {
  const metrics = makeMetrics();
  for (const ms of [0.5, 1, 7, 60_000]) metrics.observeRequest('contacts.list', 200, ms);
  metrics.observeRequest('contacts.list', 404, 2);
  const text = await metrics.registry.metrics();
  const of = (name: string, labels: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`parley_http_request_duration_seconds_${name}{${labels}}`))
        ?.split(' ')
        .at(-1),
    );
  const ok = 'operation="contacts.list",status="200"';
  const found = ['0.001', '0.005', '0.01', '30', '+Inf'].map((le) => of('bucket', `${ok},le="${le}"`));
  assert.deepEqual(found, [2, 2, 3, 3, 4]);
  assert.deepEqual([of('count', ok), of('sum', ok)], [4, 60.0085]);
  assert.equal(of('count', 'operation="contacts.list",status="404"'), 1);
  assert.match(text, /# TYPE parley_http_request_duration_seconds histogram/);
});

// Responses and failures of a carrier's API, as the service understands them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standIn } from '../../../testing/stand-in.ts';
import { carrierHttp } from './carrier-http.ts';

const get = async (url: string, timeout_ms = 5000) =>
  carrierHttp({ timeout_ms })({ method: 'GET', url, headers: {} });

for (const [header, seconds] of [
  ['7', 7],
  ['600', 300],
  ['0', 1],
  ['Fri, 31 Dec 1999 23:59:59 GMT', 1],
] as const) {
  test(`Retry-After: ${header} means ${seconds} seconds`, async () => {
    const carrier = await standIn((_, response) => {
      response.writeHead(429, { 'retry-after': header }).end();
    });
    assert.deepEqual(await get(carrier.url), {
      outcome: 'busy',
      retry_after_seconds: seconds,
      detail: 'status 429',
    });
  });
}

test('a request without a response in time says so in words', async () => {
  const carrier = await standIn(() => {});
  const response = await get(carrier.url, 50);
  assert.equal(response.outcome, 'lost');
  assert.match('detail' in response ? response.detail : '', /timeout/);
});

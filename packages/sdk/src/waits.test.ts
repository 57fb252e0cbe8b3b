// Waits against a server that changes step by step.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createParley } from './index.ts';

/** Sends the responses in order; the last one is repeated. */
async function serverWith(responses: unknown[]) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(responses.length > 1 ? responses.shift() : responses[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, parley: createParley({ base_url, api_key: 'k' }) };
}

test('a call is waited for until it is over, in requests shorter than a minute', async () => {
  const { requests, parley } = await serverWith([
    { id: 'c1', status: 'ringing' },
    { id: 'c1', status: 'in_progress' },
    { id: 'c1', status: 'completed' },
  ]);
  const seen: unknown[] = [];
  const call = await parley.calls.wait('c1', {
    onPoll: (call) => seen.push((call as { status: string }).status),
  });
  assert.equal((call as { status: string }).status, 'completed');
  assert.deepEqual(seen, ['ringing', 'in_progress']);
  assert.deepEqual(new Set(requests), new Set(['/v1/calls/c1?wait_seconds=25']));
});

test('a call that is still in progress is returned when the time is up', async () => {
  const { parley } = await serverWith([{ id: 'c1', status: 'in_progress' }]);
  const call = await parley.calls.wait('c1', { wait_ms: 1 });
  assert.equal((call as { status: string }).status, 'in_progress');
});

test('a wait can be aborted', async () => {
  const { parley } = await serverWith([{ id: 'c1', status: 'ringing' }]);
  const stopping = new AbortController();
  const waiting = parley.calls.wait('c1', {
    signal: stopping.signal,
    onPoll: () => stopping.abort(new Error('enough')),
  });
  await assert.rejects(waiting, /enough/);
});

test('any request can be sent with the credential, and its raw response is returned', async () => {
  const { parley, requests } = await serverWith([{ ok: true }]);
  const answer = await parley.request('GET', '/v1/anything', { limit: 1 });
  assert.deepEqual(await answer.json(), { ok: true });
  assert.deepEqual(requests, ['/v1/anything?limit=1']);
});

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

test('U12: with wait_for result a call is waited for until its summary is there', async () => {
  const { requests, parley } = await serverWith([
    { id: 'c1', status: 'in_progress', result_status: 'none', summary: null },
    { id: 'c1', status: 'completed', result_status: 'pending', summary: null },
    { id: 'c1', status: 'completed', result_status: 'ready', summary: 'A table is booked.' },
  ]);
  const call = await parley.calls.wait('c1', { wait_for: 'result' });
  assert.equal(call.summary, 'A table is booked.');
  assert.deepEqual(new Set(requests), new Set(['/v1/calls/c1?wait_seconds=25&wait_for=result']));
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

test('a stored wait is created once and read until it is over; its id continues it', async () => {
  const { requests, parley } = await serverWith([
    { id: 'w1', status: 'pending' },
    { id: 'w1', status: 'pending' },
    { id: 'w1', status: 'resolved' },
  ]);
  const seen: string[] = [];
  const wait = await parley.waits.until(
    { any_of: [{ kind: 'email' }] },
    { onPoll: ({ status }) => seen.push(status) },
  );
  assert.deepEqual([wait.status, seen], ['resolved', ['pending']]);
  const read = '/v1/waits/w1?wait_seconds=25';
  assert.deepEqual(requests, ['/v1/waits', read, read]);
  assert.equal((await parley.waits.until('w1')).status, 'resolved');
  assert.deepEqual(requests.slice(3), [read]);
});

test('a stored wait that is still pending is returned when the time is up, and canceled when it is aborted', async () => {
  const { requests, parley } = await serverWith([{ id: 'w1', status: 'pending' }]);
  const any_of = [{ kind: 'sms' as const }];
  assert.equal((await parley.waits.until({ any_of }, { wait_ms: 1 })).status, 'pending');
  assert.deepEqual(requests.splice(0), ['/v1/waits', '/v1/waits/w1?wait_seconds=1']);
  const stopping = new AbortController();
  const onPoll = () => stopping.abort(new Error('enough'));
  await assert.rejects(parley.waits.until({ any_of }, { signal: stopping.signal, onPoll }), /enough/);
  assert.equal(requests.at(-1), '/v1/waits/w1/cancel');
  const again = new AbortController();
  again.abort(new Error('enough'));
  await assert.rejects(parley.waits.until('w1', { signal: again.signal }), /enough/);
  assert.equal(requests.filter((path) => path.endsWith('/cancel')).length, 1);
});

test('any request can be sent with the credential, and its raw response is returned', async () => {
  const { parley, requests } = await serverWith([{ ok: true }]);
  const answer = await parley.request('GET', '/v1/anything', { limit: 1 });
  assert.deepEqual(await answer.json(), { ok: true });
  assert.deepEqual(requests, ['/v1/anything?limit=1']);
});

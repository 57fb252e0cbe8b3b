// Requests of the tools to the API end while the client still waits for the result of its call.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { TimeoutError } from '@parley/sdk';
import { type Asked, standIn } from '../../server/testing/stand-in.ts';
import { makeApi } from './api.ts';
import { startMcp } from './index.ts';

async function startTools(api_url: string): Promise<string> {
  const mcp = await startMcp({
    api_url,
    toolsets: ['default'],
    read_only: false,
    mode: { kind: 'static', key: 'key' },
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    onError: (error) => assert.fail(error),
  });
  after(() => mcp.close());
  return mcp.url;
}

const call = (url: string, name: string, args: object, signal: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    signal,
  });

const text = { to: '+14155550123', body: 'Hi', recipient_consent: true };

test('a refusal for a minute is the result of the tool at once, and the text is not sent later', async () => {
  const requests: Asked[] = [];
  const { url } = await standIn((asked, response) => {
    requests.push(asked);
    response
      .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '60' })
      .end(JSON.stringify({ code: 'velocity_capped', detail: 'no more texts', fix: 'Wait.' }));
  });
  const answer = await call(await startTools(url), 'send_sms', text, AbortSignal.timeout(5000));
  const { result } = (await answer.json()) as { result: { isError: boolean; content: { text: string }[] } };
  assert.equal(result.isError, true);
  assert.match(result.content[0]!.text, /^velocity_capped: no more texts\nNext: Wait 60 seconds/);
  assert.equal(requests.length, 1);
});

test('a redirect or a page of a proxy is a failure of the tool that says what to check', async () => {
  const responses = [
    [302, { location: 'https://sign-in.example/login' }],
    [200, { 'content-type': 'text/html' }],
  ] as const;
  for (const [status, headers] of responses) {
    const { url } = await standIn((_, response) =>
      response.writeHead(status, headers).end('<!doctype html>'),
    );
    const answer = await call(await startTools(url), 'whoami', {}, AbortSignal.timeout(5000));
    const { result } = (await answer.json()) as { result: { content: { text: string }[] } };
    assert.match(result.content[0]!.text, new RegExp(`${status}[\\s\\S]*Next: Check that the base URL`));
  }
});

test('a client that disconnects ends the request to the API', { timeout: 20_000 }, async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const { url } = await standIn(({ request }) => arrived.resolve(request));
  const client = new AbortController();
  const answer = call(await startTools(url), 'whoami', {}, client.signal);
  const { socket } = await arrived.promise;
  const closed = once(socket, 'close');
  client.abort();
  await assert.rejects(answer, { name: 'AbortError' });
  await closed;
});

test('all attempts of a request together take no longer than one timeout', async () => {
  const requests: Asked[] = [];
  const { url } = await standIn((asked) => requests.push(asked));
  const api = makeApi({ base_url: url, timeout_ms: 200 });
  const send = { method: 'POST', path: '/v1/sms', params: [], input: 'body' as const };
  await assert.rejects(api.call('key', send, text, { idempotency_key: 'k' }), TimeoutError);
  assert.equal(requests.length, 1);
});

// The client library against a real server, and against a faulty one.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestApp } from '../../server/testing/app.ts';
import { ApiError, ConnectionError, createParley, SignatureError, TimeoutError } from './index.ts';

const { url, client } = await startTestApp();
const parley = createParley({ base_url: url, api_key: client.key });

/** A server that sends fixed responses and records the requests. */
async function scripted(...responses: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const answer = responses[Math.min(requests.length, responses.length - 1)]!;
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  after(() => server.closeAllConnections());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, parley: createParley({ base_url, api_key: 'key' }) };
}
const reply =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const cut = (request: IncomingMessage) => void request.socket.destroy();
const now = { 'retry-after': '0' };

describe('against a real server', () => {
  test('a contact is created, read, changed, found and deleted', async () => {
    const created = await parley.contacts.create({ name: 'Ana', email: 'ana-sdk@example.com' });
    assert.deepEqual(await parley.contacts.get(created.id), created);
    const changed = await parley.contacts.update(created.id, { role: 'Cook' });
    assert.equal(changed.role, 'Cook');
    const { items } = await parley.contacts.list({ q: 'ana-sdk' });
    assert.deepEqual(items, [changed]);
    assert.equal(await parley.contacts.delete(created.id), undefined);
  });

  test('iterating a list returns the items of all pages', async () => {
    for (let i = 0; i < 5; i++)
      await parley.contacts.create({ name: `Walk ${i}`, email: `walk-${i}@example.com` });
    const names: string[] = [];
    for await (const contact of parley.contacts.list({ q: 'walk-', limit: 2 })) names.push(contact.name);
    assert.deepEqual(names, ['Walk 4', 'Walk 3', 'Walk 2', 'Walk 1', 'Walk 0']);
  });

  test('an error has code, fix, request id and every invalid field', async () => {
    await assert.rejects(parley.contacts.create({ name: '' }), (error: ApiError) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.code], [422, 'validation_failed']);
      assert.ok(error.fix && error.request_id);
      assert.deepEqual(
        error.errors.map((problem) => problem.path),
        ['body.name', 'body'],
      );
      return true;
    });
    await assert.rejects(createParley({ base_url: url, api_key: 'wrong' }).identity.whoami(), {
      code: 'unauthenticated',
    });
  });
});

describe('when the server fails', () => {
  test('a create request is retried with the same idempotency key', async () => {
    const { requests, parley } = await scripted(cut, reply(503, {}, now), reply(201, { id: 'x' }));
    assert.deepEqual(await parley.contacts.create({ name: 'A' }), { id: 'x' });
    const keys = requests.map((request) => request.headers['idempotency-key']);
    assert.equal(keys.length, 3);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
    assert.equal(new Set(keys).size, 1);
  });

  test('a create request whose response breaks off is retried with the same idempotency key', async () => {
    const halfway = (request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id"', () => request.socket.destroy());
    };
    const { requests, parley } = await scripted(halfway, reply(201, { id: 'x' }));
    assert.deepEqual(await parley.contacts.create({ name: 'A' }), { id: 'x' });
    assert.equal(new Set(requests.map((request) => request.headers['idempotency-key'])).size, 1);
    assert.equal(requests.length, 2);
    const broken = await scripted(halfway);
    await assert.rejects(broken.parley.contacts.update('x', { name: 'B' }), ConnectionError);
    const unfinished = await scripted((_, response) => void response.writeHead(200).write('{'));
    await assert.rejects(
      unfinished.parley.identity.whoami({ timeout_ms: 200, max_retries: 0 }),
      TimeoutError,
    );
    const stop = new AbortController();
    const started = await scripted((_, response) => {
      response.writeHead(200).write('{', () => stop.abort(new Error('enough')));
    });
    await assert.rejects(started.parley.identity.whoami({ signal: stop.signal }), /enough/);
  });

  test('a change without a key is not retried when its outcome is unknown, but is when it was rejected', async () => {
    const broken = await scripted(cut);
    await assert.rejects(broken.parley.contacts.update('x', { name: 'B' }), ConnectionError);
    assert.equal(broken.requests.length, 1);
    const busy = await scripted(reply(429, {}, now), reply(200, { id: 'x' }));
    assert.deepEqual(await busy.parley.contacts.update('x', { name: 'B' }), { id: 'x' });
  });

  test('a 502 is final: nothing is sent twice', async () => {
    const { requests, parley } = await scripted(
      reply(502, { code: 'email_send_failed', detail: 'email send failed' }),
    );
    await assert.rejects(parley.contacts.create({ name: 'A' }), {
      status: 502,
      message: 'email send failed',
    });
    assert.equal(requests.length, 1);
  });

  test('an error that a retry cannot fix is not retried', async () => {
    const { requests, parley } = await scripted(reply(422, { code: 'validation_failed' }));
    await assert.rejects(parley.contacts.create({ name: 'A' }), { code: 'validation_failed' });
    assert.equal(requests.length, 1);
  });

  test('a wait of more than ten seconds is left to the caller: the error says how long it is', async () => {
    const velocity_capped = { code: 'velocity_capped', detail: 'no more texts in this hour' };
    for (const seconds of ['60', '2600000']) {
      const { requests, parley } = await scripted(
        reply(429, velocity_capped, { 'retry-after': seconds }),
        reply(201, { id: 'x' }),
      );
      await assert.rejects(parley.contacts.create({ name: 'A' }, { signal: AbortSignal.timeout(5000) }), {
        code: 'velocity_capped',
        retry_after_seconds: Number(seconds),
      });
      assert.equal(requests.length, 1);
    }
  });

  test('a server that never responds runs into the timeout, and an abort ends immediately', async () => {
    const { parley } = await scripted(() => {});
    await assert.rejects(parley.identity.whoami({ timeout_ms: 50, max_retries: 0 }), TimeoutError);
    const stop = new AbortController();
    const asking = parley.identity.whoami({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await assert.rejects(asking, /enough/);
  });

  test('a response that is not from Parley is reported as such', async () => {
    const { parley } = await scripted((_, response) => response.writeHead(404).end('<html>'));
    await assert.rejects(parley.identity.whoami(), { status: 404, code: 'unknown' });
  });

  test('a redirect or a page of a proxy is an error, and not the new record', async () => {
    const location = 'https://sign-in.example/login?state=secret';
    const redirect = (status: number) => (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(status, { location }).end();
    const page = (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    const cases = [
      [302, redirect(302), /redirect to https:\/\/sign-in\.example\/login$/],
      [308, redirect(308), /redirect to https:\/\/sign-in\.example\/login$/],
      [200, page, /200 and text\/html instead of JSON/],
    ] as const;
    for (const [status, answer, message] of cases) {
      const { requests, parley } = await scripted(answer);
      const fix = 'Check that the base URL is that of a Parley server.';
      await assert.rejects(parley.contacts.create({ name: 'A' }), { name: 'ApiError', status, message, fix });
      assert.equal(requests.length, 1);
    }
  });
});

describe('a webhook request', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ id: 'e1', type: 'call.answered', data: {} });

  test('is accepted in both signature formats', async () => {
    const headers = await parley.webhooks.testHeaders(body, secret);
    assert.equal((await parley.webhooks.verify(body, headers, secret)).type, 'call.answered');
    const { 'x-service-signature': _, ...standard } = headers;
    assert.equal(
      (await parley.webhooks.verify(Buffer.from(body), new Headers(standard), secret)).type,
      'call.answered',
    );
  });

  test('is accepted when one of several signatures matches', async () => {
    const headers = await parley.webhooks.testHeaders(body, secret);
    headers['x-service-signature'] = headers['x-service-signature']!.replace(
      ',v1=',
      `,v1=${'0'.repeat(64)},v1=`,
    );
    assert.ok(await parley.webhooks.verify(body, headers, secret));
  });

  test('is rejected when the body, the secret or the time is wrong, or the signature is missing', async () => {
    const headers = await parley.webhooks.testHeaders(body, secret);
    const later = new Date(Date.now() + 301_000);
    await assert.rejects(parley.webhooks.verify(`${body} `, headers, secret), SignatureError);
    await assert.rejects(parley.webhooks.verify(body, headers, `${secret}x`), SignatureError);
    await assert.rejects(parley.webhooks.verify(body, headers, secret, { now: later }), SignatureError);
    await assert.rejects(parley.webhooks.verify(body, {}, secret), SignatureError);
    await assert.rejects(
      parley.webhooks.verify(body, { 'x-service-signature': 'nonsense' }, secret),
      SignatureError,
    );
  });
});

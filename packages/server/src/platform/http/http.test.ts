// Behavior of all operations: errors, request ids, size limits, idempotency, rate limits.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { startTestApp } from '../../../testing/app.ts';
import { sql } from '../db/sql.ts';

type Problem = Record<'type' | 'title' | 'detail' | 'code' | 'fix' | 'request_id', string> & {
  status: number;
  errors: { path: string; code: string }[];
};

const { client, anonymous, organization, url, db } = await startTestApp();

let counter = 0;
const person = () => ({ name: 'Someone', email: `someone-${counter++}@example.com` });

/** Sends raw bytes, for requests that a correct client cannot send. */
const raw = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });

describe('an error', () => {
  test('is problem+json with code, fix and request id', async () => {
    const answer = await client.request<Problem>('GET', '/v1/nothing');
    assert.equal(answer.status, 404);
    assert.match(answer.headers.get('content-type')!, /^application\/problem\+json/);
    assert.deepEqual(Object.keys(answer.body), [
      'type',
      'title',
      'status',
      'detail',
      'code',
      'fix',
      'request_id',
    ]);
    assert.equal(answer.body.request_id, answer.headers.get('x-request-id'));
    assert.equal(answer.body.code, 'not_found');
  });

  test('for a body that is not JSON is 400, for another media type 415, for too large a body 413', async () => {
    for (const body of ['{', '', '{"name":', '{"__proto__":{}}', '{"constructor":{"prototype":{}}}']) {
      const answer = await client.request<Problem>('POST', '/v1/contacts', body);
      assert.deepEqual([answer.status, answer.body.code], [400, 'malformed_json'], body);
    }
    const text = await client.request<Problem>('POST', '/v1/contacts', 'name=x', {
      'content-type': 'text/plain',
    });
    assert.deepEqual([text.status, text.body.code], [415, 'unsupported_media_type']);
    const large = await client.request<Problem>('POST', '/v1/contacts', { name: 'x'.repeat(1024 * 1024) });
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
  });

  test('for bytes that are not UTF-8 is 400', async () => {
    const answer = await fetch(`${url}/v1/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
      body: Buffer.from('{"name":"\xff\xfe","email":"a@example.com"}', 'latin1'),
    });
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as Problem).code, 'malformed_json');
  });

  test('for a missing body names the body', async () => {
    const answer = await client.request<Problem>('POST', '/v1/contacts');
    assert.equal(answer.status, 422);
    assert.deepEqual(
      answer.body.errors.map((error) => error.path),
      ['body'],
    );
  });

  test('for a field in a body that is not expected names the field', async () => {
    const path = '/v1/email-domains/019a8c1e-7b10-7d30-9a55-3f2e1d0c9b8a/verify';
    const answer = await client.request<Problem>('POST', path, { x: 1 });
    assert.equal(answer.status, 422);
    assert.deepEqual(
      answer.body.errors.map(({ path: at, code }) => [at, code]),
      [['body.x', 'unknown_field']],
    );
    assert.equal((await client.request('POST', path, {})).status, 404);
  });

  test('for a request with many mistakes lists the first hundred', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, 1]));
    const answer = await client.request<Problem>('POST', '/v1/contacts', fields);
    assert.equal(answer.status, 422);
    assert.equal(answer.body.errors.length, 100);
    assert.match(answer.body.detail, /^500\d problems; see errors, which holds the first 100\.$/);
  });

  test('for deeply nested JSON is 422', async () => {
    const answer = await client.request<Problem>(
      'POST',
      '/v1/contacts',
      `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    );
    assert.equal(answer.status, 422);
    assert.match(answer.text, /too_deep/);
  });

  test('for HTTP that cannot be parsed is 400, and 431 for endless headers', async () => {
    assert.match(await raw('NONSENSE\r\n\r\n'), /^HTTP\/1.1 400 [\s\S]*"code":"malformed_request"/);
    assert.match(
      await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1.1 431 [\s\S]*"code":"headers_too_large"/,
    );
    const answer = await client.request<Problem>('GET', '/v1/contacts/%zz');
    assert.deepEqual([answer.status, answer.body.code], [400, 'malformed_request']);
  });
});

describe('U5: a request', () => {
  const id = '019a8c1e-7b10-7d30-9a55-3f2e1d0c9b8a';
  const statusLine = (answer: string) => answer.split('\r\n', 1)[0];

  test('with a method that the path does not take is 405 and names the methods that it takes', async () => {
    for (const method of ['QUERY', 'PROPFIND', 'PUT', 'OPTIONS', 'LOCK', 'MKCOL']) {
      for (const body of ['', '{"a":1}', '<a/>']) {
        const answer = await raw(
          `${method} /v1/contacts HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: text/xml\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
        assert.match(statusLine(answer)!, /^HTTP\/1.1 405 /, method);
        assert.match(answer, /\r\nallow: GET, HEAD, POST\r\n/i);
        assert.match(answer, /"code":"method_not_allowed"/);
      }
    }
    const answer = await anonymous.request('GET', `/v1/email-domains/${id}/verify?x=1`);
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
    const page = await anonymous.request('POST', '/calls', {});
    assert.equal(page.status, 405);
  });

  test('to a path that does not exist is 404 with any method and body', async () => {
    for (const method of ['QUERY', 'PROPFIND', 'GET', 'POST', 'DELETE']) {
      const answer = await raw(
        `${method} /v1/nothing/at/all HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: text/xml\r\ncontent-length: 4\r\n\r\n<a/>`,
      );
      assert.match(statusLine(answer)!, /^HTTP\/1.1 404 /, method);
    }
  });

  test('without a body may name a media type where no body is needed', async () => {
    const headers = { 'content-type': 'application/json' };
    const contact = await client.request<Contact>('POST', '/v1/contacts', person());
    const removal = await client.request('DELETE', `/v1/contacts/${contact.body.id}`, undefined, headers);
    assert.equal(removal.status, 204);
    const domain = await client.request('POST', `/v1/email-domains/${id}/verify`, '', headers);
    assert.equal(domain.status, 404);
    const created = await client.request<Problem>('POST', '/v1/contacts', '', headers);
    assert.deepEqual([created.status, created.body.code], [400, 'malformed_json']);
  });
});

describe('the request id', () => {
  test('is created for every response, and a valid incoming one is kept', async () => {
    const own = await anonymous.request('GET', '/v1/whoami', undefined, { 'x-request-id': 'trace.me-1' });
    assert.equal(own.headers.get('x-request-id'), 'trace.me-1');
    for (const strange of ['a b', 'x'.repeat(65), '<script>']) {
      const answer = await anonymous.request('GET', '/v1/whoami', undefined, { 'x-request-id': strange });
      assert.match(answer.headers.get('x-request-id')!, /^[0-9a-f-]{36}$/);
    }
  });
});

describe('the credential', () => {
  test('is the shared key of the nil organization', async () => {
    const nil = '00000000-0000-0000-0000-000000000000';
    assert.deepEqual((await client.request('GET', '/v1/whoami')).body, {
      auth_kind: 'shared_key',
      organization_id: nil,
      user_id: nil,
      email: null,
      name: 'Shared key',
      superadmin: true,
    });
  });

  test('sent twice is refused, although both are right', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${url}/v1/whoami`, (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      request.on('error', reject);
      request.setHeader('authorization', [
        `Bearer ${client.key}`,
        `Bearer ${client.key}`,
      ] as unknown as string);
      request.end();
    });
    assert.equal(status, 401);
  });
});

describe('an Idempotency-Key', () => {
  const post = (key: string, body: unknown, of = client) =>
    of.request<Contact & Problem>('POST', '/v1/contacts', body, { 'idempotency-key': key });

  test('returns the first response again, byte for byte, with a header', async () => {
    const body = person();
    const first = await post('again', body);
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const second = await post('again', { email: body.email, name: body.name });
    assert.equal(second.status, 201);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });

  test('with another body is 422', async () => {
    await post('other', person());
    const answer = await post('other', person());
    assert.deepEqual([answer.status, answer.body.code], [422, 'idempotency_key_reused']);
    assert.deepEqual(
      answer.body.errors.map((error) => error.path),
      ['header.Idempotency-Key'],
    );
  });

  test('creates one record when many requests race with it', async () => {
    const body = person();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('race', body)));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => !answer.headers.get('idempotent-replayed')).length, 1);
  });

  test('belongs to one organization', async () => {
    const body = person();
    const [one, two] = [await post('mine', body, organization()), await post('mine', body, organization())];
    assert.deepEqual([one.status, two.status], [201, 201]);
    assert.notEqual(one.body.id, two.body.id);
  });

  test('can be used again after a refused request', async () => {
    const existing = person();
    await client.request('POST', '/v1/contacts', existing);
    assert.equal((await post('refused', { name: 'x' })).status, 422);
    assert.equal((await post('refused', existing)).status, 409);
    assert.equal((await post('refused', person())).status, 201);
  });

  test('is free again after a day', async () => {
    const first = await post('day', person());
    await db.run(
      sql`update idempotency_keys set created_at = created_at - interval '25 hours' where key = 'day'`,
    );
    const second = await post('day', person());
    assert.equal(second.status, 201);
    assert.notEqual(second.body.id, first.body.id);
  });

  test('of a running request is 409 with Retry-After', async () => {
    const body = person();
    await post('running', body);
    await db.run(sql`update idempotency_keys set status = null, body = null where key = 'running'`);
    const answer = await post('running', body);
    assert.deepEqual([answer.status, answer.body.code], [409, 'idempotency_in_progress']);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  test('has 1 to 255 printable characters', async () => {
    assert.equal((await post('k'.repeat(255), person())).status, 201);
    for (const key of ['', 'k'.repeat(256), 'caf\u00e9', 'a\tb']) {
      const answer = await post(key, person());
      assert.equal(answer.status, 422, key);
      assert.match(answer.text, /header\.Idempotency-Key/);
    }
  });
});

describe('the request limit', async () => {
  const few = await startTestApp({ PARLEY_REQUESTS_PER_MINUTE: '3' });

  test('responds with 429 and the time to wait, and every authenticated response has the remaining requests', async () => {
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await few.client.request<Problem>('GET', '/v1/whoami'));
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200, 200, 429],
    );
    for (const answer of answers) {
      assert.equal(answer.headers.get('ratelimit-limit'), '3');
      assert.match(answer.headers.get('ratelimit-remaining')!, /^\d+$/);
      assert.match(answer.headers.get('ratelimit-reset')!, /^\d+$/);
    }
    assert.equal(answers[3]!.body.code, 'rate_limited');
    assert.match(answers[3]!.headers.get('retry-after')!, /^(19|20)$/);
    assert.equal((await few.organization().request('GET', '/v1/whoami')).status, 200);
  });
});

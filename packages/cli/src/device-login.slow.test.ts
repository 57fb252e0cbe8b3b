// A login continues through failures of the server, and never loses a key that was issued.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, test } from 'node:test';
import { standIn } from '../../server/testing/stand-in.ts';
import { commandLine } from '../testing/command-line.ts';

type Answer = (response: ServerResponse) => void;
const json =
  (status: number, body: object): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const disconnect: Answer = (response) => void response.socket!.destroy();
const approved = json(200, { access_token: 'parley_key_new' });
const identity = json(200, { auth_kind: 'apikey', organization_id: 'o1' });

const server = { token_answers: [] as Answer[], whoami: identity, expires_in: 600 };
const { url } = await standIn(({ request }, response) => {
  if (request.url === '/v1/whoami') return server.whoami(response);
  if (request.url === '/auth/device/token') return (server.token_answers.shift() ?? disconnect)(response);
  const code = {
    device_code: 'secret-device-code',
    user_code: 'BCDF-GHJK',
    verification_uri: `${url}/auth/device`,
    verification_uri_complete: `${url}/auth/device?user_code=BCDF-GHJK`,
    expires_in: server.expires_in,
    interval: 0.1,
  };
  json(200, code)(response);
});
const { parley } = commandLine(url);

describe('login --complete', () => {
  beforeEach(() => {
    server.whoami = identity;
    server.expires_in = 600;
  });

  test('goes on after a failure of the server, a rate limit and a broken connection', async () => {
    server.token_answers = [
      json(503, { code: 'database_unavailable' }),
      json(429, { code: 'rate_limited' }),
      disconnect,
      (response) => response.writeHead(502).end('<html>'),
      json(400, { error: 'authorization_pending' }),
      approved,
    ];
    assert.equal((await parley(['login'])).code, 0);
    const done = await parley(['login', '--complete']);
    assert.equal(done.code, 0, done.stderr);
    assert.equal((await parley(['auth', 'token'])).stdout.trim(), 'parley_key_new');
    assert.equal((await parley(['auth', 'logout'])).code, 0);
  });

  test('stores the key even if the server fails right after it issued the key', async () => {
    server.token_answers = [approved];
    server.whoami = json(500, { code: 'internal_error', detail: 'failed' });
    assert.equal((await parley(['login'])).code, 0);
    assert.equal((await parley(['login', '--complete'])).code, 1);
    assert.equal((await parley(['auth', 'token'])).stdout.trim(), 'parley_key_new');
    assert.equal((await parley(['auth', 'logout'])).code, 0);
  });

  test('ends when the code has expired, is used or was denied', async () => {
    for (const error of ['expired_token', 'invalid_grant', 'access_denied']) {
      server.token_answers = [json(400, { error })];
      assert.equal((await parley(['login'])).code, 0);
      const done = await parley(['login', '--complete']);
      assert.equal(done.code, 1);
      assert.match(done.stderr, /expired or was used|denied/);
    }
  });

  test('ends when the code expires while the server cannot be reached', async () => {
    server.token_answers = [];
    server.expires_in = 2;
    assert.equal((await parley(['login'])).code, 0);
    const done = await parley(['login', '--complete']);
    assert.equal(done.code, 1);
    assert.match(done.stderr, /expired/);
  });
});

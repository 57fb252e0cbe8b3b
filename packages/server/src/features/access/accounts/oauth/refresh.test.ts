// Refreshing a token: a client that loses an answer, or refreshes in two processes, stays connected; a stolen token ends the grant.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { fromRandomIp, signUp } from '../../../../../testing/visitor.ts';
import { sha256Base64url } from '../../../../platform/crypto.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { makeLog } from '../../../../platform/log.ts';

const lines: string[] = [];
const app = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open', PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
  {
    log: makeLog({
      level: 'warn',
      show_personal_data: false,
      destination: { write: (line: string) => void lines.push(line) },
    }),
  },
);
const { url, db, holder } = app;
const program = oauthProgram(url);

async function connected() {
  const browser = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Acme' });
  const client_id = await program.register();
  const { refresh_token } = await program.connect(browser, client_id);
  return { client_id, refresh_token: refresh_token! };
}
const works = async (access_token: string) =>
  (await holder(access_token).request('GET', '/v1/whoami')).status === 200;

describe('F1: a refresh token that is used twice', () => {
  test('F1: gives the same answer again within half a minute, and the grant goes on', async () => {
    const { client_id, refresh_token } = await connected();
    const first = await program.refresh(client_id, refresh_token);
    const second = await program.refresh(client_id, refresh_token);
    assert.deepEqual([first.status, second.status], [200, 200], JSON.stringify(second.body));
    assert.equal(second.body.refresh_token, first.body.refresh_token);
    assert.ok(await works(second.body.access_token));
    const next = await program.refresh(client_id, second.body.refresh_token!);
    assert.equal(next.status, 200);
    assert.ok(await works(next.body.access_token));
  });

  test('F1: by several processes of a client at once gives all of them the same answer', async () => {
    const { client_id, refresh_token } = await connected();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => program.refresh(client_id, refresh_token)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    );
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1);
    assert.equal((await program.refresh(client_id, answers[0]!.body.refresh_token!)).status, 200);
  });

  test('F1: after half a minute ends the grant: one of the two is a thief', async () => {
    const { client_id, refresh_token } = await connected();
    const { body } = await program.refresh(client_id, refresh_token);
    const window = await db.maybe<{ seconds: number }>(sql`
      select extract(epoch from "rotationReplayExpiresAt" - "rotatedAt")::int as seconds
        from accounts."oauthRefreshToken" where token = ${sha256Base64url(refresh_token)}`);
    assert.equal(window!.seconds, 30);
    await db.run(sql`
      update accounts."oauthRefreshToken" set "rotationReplayExpiresAt" = now() - interval '1 second'
       where token = ${sha256Base64url(refresh_token)}`);
    const reused = await program.refresh(client_id, refresh_token);
    assert.deepEqual([reused.status, reused.body.error], [400, 'invalid_grant']);
    assert.equal((await program.refresh(client_id, body.refresh_token!)).status, 400);
  });

  test('F1: of another client stays useless', async () => {
    const { client_id, refresh_token } = await connected();
    await program.refresh(client_id, refresh_token);
    const stranger = await program.refresh(await program.register(), refresh_token);
    assert.deepEqual([stranger.status, stranger.body.error], [400, 'invalid_grant']);
  });
});

/** Sends the request line as it is, which no library does. */
async function raw(target: string, body: string | null, type = 'application/x-www-form-urlencoded') {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const { 'x-forwarded-for': ip } = fromRandomIp();
  const head = [
    `${body === null ? 'GET' : 'POST'} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    `X-Forwarded-For: ${ip}`,
    'Connection: close',
    ...(body === null ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`]),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
  const answer = await text(socket);
  return { status: Number(answer.split(' ')[1]), text: answer };
}

describe('S16: the routes of OAuth', () => {
  test('S16: take every form of a request line, and fail with no 500', async () => {
    const body = 'grant_type=refresh_token&refresh_token=none&client_id=none';
    for (const target of [
      '/auth/oauth2/token',
      'http://x/auth/oauth2/token',
      `${url}/auth/oauth2/token`,
      'HTTP://x:1/auth/oauth2/token?a=b',
    ]) {
      const answer = await raw(target, body);
      assert.ok(answer.status === 400 || answer.status === 401, `${target}: ${answer.text}`);
      assert.match(answer.text, /"error":/);
    }
    for (const target of [
      '//auth/oauth2/token',
      'http://x//auth/oauth2/token',
      'http://x',
      'http://x?y',
      'ftp://x/auth/oauth2/token',
      'http:///auth/oauth2/token',
      '/auth/oauth2/%zz',
      '/auth//oauth2/token',
    ])
      assert.ok((await raw(target, body)).status < 500, target);
    for (const target of [
      'http://x/auth/oauth2/authorize',
      'http://x/auth/oauth2/authorize?client_id=%zz&redirect_uri=//',
      'http://[/auth/oauth2/authorize?client_id=a',
      'http://x/auth/.well-known/openid-configuration',
      'http://x/auth/jwks',
      'http://x/auth/sign-in?next=http://y',
      'http://x/auth/consent?a=b',
    ])
      assert.ok((await raw(target, null)).status < 500, target);
    assert.deepEqual(
      lines.filter((line) => /"level":(50|60|"error")/.test(line)),
      [],
    );
  });

  test('S16: refuse a body that is no form with the error of RFC 6749', async () => {
    const json = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'y' });
    for (const path of ['/auth/oauth2/token', '/auth/oauth2/revoke', '/auth/oauth2/introspect'])
      for (const [type, body] of [
        ['application/json', json],
        ['application/json', '{'],
        ['text/plain', json],
        ['multipart/form-data; boundary=x', json],
      ] as const) {
        const answer = await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': type, ...fromRandomIp() },
          body,
        });
        assert.equal(answer.status, 400, `${path} ${type}`);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        assert.equal(((await answer.json()) as { error: string }).error, 'invalid_request');
      }
  });
});

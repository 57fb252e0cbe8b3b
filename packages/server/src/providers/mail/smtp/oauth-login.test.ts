// The login at a relay with an access token: against a scripted relay and a token endpoint on loopback.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { relayOf } from '../../../../testing/scripted-relay.ts';
import { systemClock } from '../../../platform/clock.ts';
import { outgoing } from '../conformance.ts';
import type { OauthSettings } from './oauth-tokens.ts';

const base64 = (words: string) => Buffer.from(words).toString('base64');
const never = new AbortController().signal;
const user = 'agent@example.com';

type Answer = { status?: number; body?: object };

/** A token endpoint that gives token-1, token-2 and so on, or these answers first. */
async function tokenEndpoint(first: Answer[] = []) {
  const requests: Record<string, string>[] = [];
  let tokens = 0;
  const server = createServer(async (request, response) => {
    requests.push(Object.fromEntries(new URLSearchParams(await text(request))));
    const { status = 200, body } = first.shift() ?? {};
    const answer = body ?? { access_token: `token-${++tokens}`, expires_in: 3600, token_type: 'Bearer' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  const clock = systemClock();
  const oauth: OauthSettings = {
    token_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant/oauth2/v2.0/token`,
    ...{ client_id: 'parley', client_secret: 's&cret', refresh_token: null, clock, retry_base_ms: 1 },
    scope: 'https://outlook.office365.com/.default',
  };
  return { oauth, requests, clock };
}

const xoauth2 = (token: string) => `AUTH XOAUTH2 ${base64(`user=${user}\x01auth=Bearer ${token}\x01\x01`)}`;
const urlOf = (port: number) => `smtp://agent%40example.com@localhost:${port}`;
const logins = (relay: { said(): string[] }) => relay.said().filter((line) => line.startsWith('AUTH'));
const mail = () => outgoing(['bob@example.org']);

test('F4: a relay that offers XOAUTH2 gets user and token of the client credentials', async () => {
  const { oauth, requests } = await tokenEndpoint();
  const relay = await relayOf({ offers: ['STARTTLS', 'AUTH LOGIN XOAUTH2'], answers: { AUTH: '235 Ok' } });
  const sent = await relay.transport({ url: urlOf(relay.port), oauth }).send(mail(), never);
  assert.ok(sent.accepted, JSON.stringify(sent));
  assert.deepEqual(logins(relay), [xoauth2('token-1')]);
  assert.deepEqual(requests, [
    {
      grant_type: 'client_credentials',
      client_id: 'parley',
      client_secret: 's&cret',
      scope: 'https://outlook.office365.com/.default',
    },
  ]);
});

test('F4: a relay that offers only OAUTHBEARER gets the form of RFC 7628', async () => {
  const { oauth } = await tokenEndpoint();
  const relay = await relayOf({ offers: ['STARTTLS', 'AUTH OAUTHBEARER'], answers: { AUTH: '235 Ok' } });
  const sent = await relay.transport({ url: urlOf(relay.port), oauth }).send(mail(), never);
  assert.ok(sent.accepted, JSON.stringify(sent));
  const words = `n,a=${user},\x01host=localhost\x01port=${relay.port}\x01auth=Bearer token-1\x01\x01`;
  assert.deepEqual(logins(relay), [`AUTH OAUTHBEARER ${base64(words)}`]);
});

test('F4: a token serves all connections until it is about to end', async () => {
  const { oauth, requests, clock } = await tokenEndpoint();
  const relay = await relayOf({ offers: ['STARTTLS', 'AUTH XOAUTH2'], answers: { AUTH: '235 Ok' } });
  const transport = relay.transport({ url: urlOf(relay.port), oauth, max_connections: 3 });
  const sent = await Promise.all([1, 2, 3].map(() => transport.send(mail(), never)));
  assert.ok(sent.every(({ accepted }) => accepted));
  assert.equal(requests.length, 1);
  clock.moveTo(3_400_000);
  const other = relay.transport({ url: urlOf(relay.port), oauth });
  await other.send(mail(), never);
  assert.equal(requests.length, 2);
});

test('F4: a refused token is renewed once, on another connection', async () => {
  const { oauth, requests } = await tokenEndpoint();
  const relay = await relayOf({
    offers: ['STARTTLS', 'AUTH XOAUTH2'],
    answers: {
      // The challenge says why; the empty reply to it ends the login.
      [xoauth2('token-1')]: `334 ${base64('{"status":"401"}')}`,
      [xoauth2('token-2')]: '235 Ok',
      '': '535 5.7.3 Authentication unsuccessful',
    },
  });
  const transport = relay.transport({ url: urlOf(relay.port), oauth });
  const sent = await transport.send(mail(), never);
  assert.ok(sent.accepted, JSON.stringify(sent));
  assert.deepEqual(logins(relay), [xoauth2('token-1'), xoauth2('token-2')]);
  assert.equal(requests.length, 2);
});

test('F4: a relay that refuses every token is asked twice, and the outcome names no token', async () => {
  const { oauth, requests } = await tokenEndpoint();
  const answers = { AUTH: '535 5.7.3 Authentication unsuccessful' };
  const relay = await relayOf({ offers: ['STARTTLS', 'AUTH XOAUTH2'], answers });
  const outcome = await relay.transport({ url: urlOf(relay.port), oauth }).send(mail(), never);
  assert.ok(!outcome.accepted && outcome.reason === 'provider_error' && !outcome.retryable);
  assert.equal(logins(relay).length, 2);
  assert.equal(requests.length, 2);
  assert.doesNotMatch(JSON.stringify(outcome), /token-/);
});

test('F4: a refresh token is used, and replaced by the one that the endpoint gives', async () => {
  const { oauth, requests, clock } = await tokenEndpoint([
    { body: { access_token: 'first', expires_in: 600, refresh_token: 'refresh-2' } },
  ]);
  const relay = await relayOf({
    offers: ['STARTTLS', 'AUTH XOAUTH2'],
    answers: { AUTH: '235 Ok', DATA: null },
  });
  const transport = relay.transport({
    url: urlOf(relay.port),
    oauth: { ...oauth, client_secret: null, refresh_token: 'refresh-1', scope: null },
  });
  await transport.send(mail(), never);
  clock.moveTo(601_000);
  await transport.send(mail(), never);
  assert.deepEqual(requests, [
    { grant_type: 'refresh_token', client_id: 'parley', refresh_token: 'refresh-1' },
    { grant_type: 'refresh_token', client_id: 'parley', refresh_token: 'refresh-2' },
  ]);
});

test('F4: an endpoint that refuses the client is not asked again; one that is busy is', async () => {
  const refused = await tokenEndpoint([
    { status: 401, body: { error: 'invalid_client', error_description: 'tenant 1234' } },
  ]);
  const relay = await relayOf({ offers: ['STARTTLS', 'AUTH XOAUTH2'], answers: { AUTH: '235 Ok' } });
  const send = (oauth: OauthSettings) =>
    relay.transport({ url: urlOf(relay.port), oauth }).send(mail(), never);
  const outcome = await send(refused.oauth);
  assert.ok(!outcome.accepted && !outcome.retryable);
  assert.equal(outcome.detail.response, 'The token endpoint answered 401 without a token: invalid_client');
  assert.equal(refused.requests.length, 1);
  const busy = await tokenEndpoint([{ status: 503 }, { status: 429 }]);
  assert.ok((await send(busy.oauth)).accepted);
  const down = await tokenEndpoint([{ status: 503 }, { status: 503 }, { status: 503 }]);
  const later = await send(down.oauth);
  assert.ok(
    !later.accepted && later.retryable && later.reason === 'connection_failed',
    JSON.stringify(later),
  );
});

test('F4: a token is not sent in clear text', async () => {
  const { oauth } = await tokenEndpoint();
  const relay = await relayOf({ offers: ['AUTH XOAUTH2'], answers: { AUTH: '235 Ok' } });
  const outcome = await relay.transport({ url: urlOf(relay.port), oauth }).send(mail(), never);
  assert.ok(!outcome.accepted);
  assert.deepEqual(logins(relay), []);
});

// Streams of OAuth grants, sound of the sandbox phone and sessions of mail programs end with their credential, on every process.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { after, test } from 'node:test';
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { OauthGrant } from '@parley/contract/access/credentials/oauth-grants';
import { type Client, startTestApp, type TestApp } from '../../../../testing/app.ts';
import { eventually, place, until } from '../../../../testing/calls.ts';
import { consoleToken } from '../../../../testing/console.ts';
import { ok } from '../../../../testing/conversations.ts';
import { createMailbox } from '../../../../testing/mail-app.ts';
import { asPerson, managedOrganization, memberPerson } from '../../../../testing/managed.ts';
import { oauthProgram } from '../../../../testing/oauth.ts';
import { type SmtpSession, smtpSession } from '../../../../testing/smtp-client.ts';
import { signUp } from '../../../../testing/visitor.ts';
import { openDatabase } from '../../../platform/db/database.ts';

const settings = {
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
};
const shared = { master_keys: [{ id: 'test', key: randomBytes(32) }] };
const app = await startTestApp({ ...settings, PARLEY_ROLES: 'api,worker,submission' }, shared);
/** Another process on the same database; it runs no calls. */
const other = await startTestApp(
  { ...settings, PARLEY_ROLES: 'api,submission', PARLEY_BASE_URL: app.url },
  { ...shared, db: openDatabase({ url: app.database_url, max_connections: 4 }) },
);
const processes = [app, other] as const;
const program = oauthProgram(app.url);

/** An open stream of events; `ended` settles when the server ends it. */
async function stream(of: TestApp, key: string) {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sent = request(`${of.url}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } }).end();
  const response = await new Promise<import('node:http').IncomingMessage>((done, fail) =>
    sent.once('response', done).once('error', fail),
  );
  assert.equal(response.statusCode, 200);
  response.once('close', resolve).resume();
  return { ended };
}

async function connectedUser() {
  const browser = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Sousa Trading' });
  const session = app.holder(await consoleToken(browser));
  const connect = async () => {
    const client_id = await program.register();
    const { access_token } = await program.connect(browser, client_id);
    const { items } = await ok<{ items: OauthGrant[] }>(session, 'GET', '/v1/oauth-grants');
    return { access_token, grant_id: items.find((grant) => grant.client_id === client_id)!.id };
  };
  return { session, connect };
}

test('S4: streams and waits of a grant end on every process when it is revoked; those of another grant go on', async () => {
  const { session, connect } = await connectedUser();
  const [grant, staying] = [await connect(), await connect()];
  const streams = await Promise.all(processes.map((process) => stream(process, grant.access_token)));
  const kept = await stream(other, staying.access_token);
  let has_kept_ended = false;
  void kept.ended.then(() => {
    has_kept_ended = true;
  });
  const waits = processes.map((process) =>
    process.holder(grant.access_token).request<{ code: string }>('GET', '/v1/emails/wait?timeout_seconds=55'),
  );
  // Requests of one caller are answered in order of arrival: the waits are open once a later one was answered.
  for (const process of processes) await ok(process.holder(grant.access_token), 'GET', '/v1/whoami');
  await ok(session, 'DELETE', `/v1/oauth-grants/${grant.grant_id}`);
  await Promise.all(streams.map(({ ended }) => ended));
  for (const answer of await Promise.all(waits))
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated']);
  assert.equal(has_kept_ended, false);
  assert.equal((await other.holder(staying.access_token).request('GET', '/v1/whoami')).status, 200);
});

const issue = (of: Client, more: object = {}) =>
  ok<NewApiKey>(of, 'POST', '/v1/api-keys', { name: 'For a test', ...more });

async function soundOf(holder: Client, call_id: string) {
  const { url } = await ok<{ url: string }>(holder, 'POST', `/v1/sandbox/phone/calls/${call_id}/sound`);
  return url;
}
async function openSocket(url: string) {
  const socket = new WebSocket(url);
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  return { socket, closed };
}

test('S4: the sound of the sandbox phone ends when its key is revoked on another process, and so does an unused address', async () => {
  const { client } = await managedOrganization(app);
  const { id } = await place(client, '+15005550210', { ring_timeout_seconds: 60 });
  await until(client, id, 'ringing');
  await eventually('at the phone', async () => {
    const { items } = await ok<{ items: unknown[] }>(client, 'GET', '/v1/sandbox/phone/calls');
    return items.length > 0;
  });
  await ok(client, 'POST', `/v1/sandbox/phone/calls/${id}/answer`);
  await until(client, id, 'in_progress');
  const { key, id: key_id } = await issue(client);
  const { closed } = await openSocket(await soundOf(app.holder(key), id));
  const unused = await soundOf(app.holder(key), id);
  await ok(other.holder(client.key), 'DELETE', `/v1/api-keys/${key_id}`);
  await closed;
  const refused = await new Promise<CloseEvent>((resolve) =>
    new WebSocket(unused).addEventListener('close', resolve),
  );
  assert.equal(refused.code, 1008);
  // The call of the organization goes on, and another key still reaches it.
  const again = await openSocket(await soundOf(client, id));
  await ok(client, 'POST', `/v1/sandbox/phone/calls/${id}/hang-up`);
  await again.closed;
});

const ports = [await app.app.submission.listen(), await other.app.submission.listen()] as const;
after(() => Promise.all([app.app.submission.close(), other.app.submission.close()]));

const plain = (key: string) => `AUTH PLAIN ${Buffer.from(`\0parley\0${key}`).toString('base64')}`;
async function smtp(port: number, key: string): Promise<SmtpSession> {
  const session = await smtpSession(port);
  await session.command('STARTTLS');
  await session.startTls();
  await session.command('EHLO client.test');
  assert.match(await session.command(plain(key)), /^235/);
  return session;
}
async function mailer() {
  const { client, owner } = await managedOrganization(app);
  const { default_address } = await createMailbox(client);
  const person = asPerson(app, owner);
  const issuer = { ...person, organization_id: owner.organization_id };
  return { client, issuer, from: default_address };
}

test('S4: idle sessions of mail programs end on every process when their key is revoked; those of another key go on', async () => {
  const { client, issuer } = await mailer();
  const [gone, staying] = [
    await issue(issuer, { grants_consent: true }),
    await issue(issuer, { grants_consent: true }),
  ];
  const sessions = await Promise.all(ports.map(({ starttls }) => smtp(starttls, gone.key)));
  const kept = await smtp(ports[1].starttls, staying.key);
  await ok(client, 'DELETE', `/v1/api-keys/${gone.id}`);
  for (const session of sessions) {
    assert.match(await session.reply(), /^421 /);
    await session.closed;
  }
  assert.match(await kept.command('NOOP'), /^250/);
  kept.destroy();
});

test('S4: a session ends when its key expires, and when the person of its key is removed', async () => {
  const { client, issuer } = await mailer();
  const expires_at = new Date(Date.now() + 3000).toISOString();
  const short = await issue(issuer, { grants_consent: true, expires_at });
  const session = await smtp(ports[1].starttls, short.key);
  assert.match(await session.reply(), /^421 /);
  const { member, person } = await memberPerson(app, client.organization_id, 'admin');
  const { key } = await issue(person, { grants_consent: true });
  const of_member = await smtp(ports[1].starttls, key);
  await ok(client, 'DELETE', `/v1/members/${member.id}`);
  assert.match(await of_member.reply(), /^421 /);
});

test('S4: a message that is on its way when the key ends is refused with a reply, not stored, and the session ends', async () => {
  const { client, issuer, from } = await mailer();
  const { key, id } = await issue(issuer, { grants_consent: true });
  const idle = await smtp(ports[1].starttls, key);
  const session = await smtp(ports[1].starttls, key);
  assert.match(await session.command(`MAIL FROM:<${from}>`), /^250/);
  assert.match(await session.command('RCPT TO:<bob@example.org>'), /^250/);
  assert.match(await session.command('DATA'), /^354/);
  session.send(`From: ${from}\r\nTo: bob@example.org\r\nSubject: Late\r\n\r\nHello`);
  await ok(client, 'DELETE', `/v1/api-keys/${id}`);
  // The other session shows that the process knows it.
  assert.match(await idle.reply(), /^421 /);
  session.send('\r\n.\r\n');
  const reply = await session.reply();
  assert.match(reply, /^(?:535|421) /, reply);
  await session.closed;
  const { items } = await ok<{ items: unknown[] }>(client, 'GET', '/v1/emails?direction=outbound');
  assert.deepEqual(items, []);
});

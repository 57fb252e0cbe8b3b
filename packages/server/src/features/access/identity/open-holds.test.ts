// What is open for a credential, such as a stream or a request that waits, ends with the credential, on every process.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { type Client, startTestApp, type TestApp } from '../../../../testing/app.ts';
import { ok } from '../../../../testing/conversations.ts';
import { issueKey, managedOrganization, memberClient } from '../../../../testing/managed.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const settings = { PARLEY_MANAGED: 'on' };
const app = await startTestApp(settings);
/** Another process on the same database. */
const other = await startTestApp(settings, {
  db: openDatabase({ url: app.database_url, max_connections: 4 }),
});
const processes = [app, other] as const;

/** An open stream of events: what it received, and whether the server ended it. */
async function stream(of: TestApp, key: string) {
  let received = '';
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sent = request(`${of.url}/v1/events/stream`, { headers: { authorization: `Bearer ${key}` } }).end();
  const response = await new Promise<import('node:http').IncomingMessage>((done, fail) =>
    sent.once('response', done).once('error', fail),
  );
  assert.equal(response.statusCode, 200);
  response.on('data', (chunk) => {
    received += chunk;
  });
  response.once('close', resolve);
  await waitFor('the stream is open', async () => received.includes('open'));
  return { ended, received: () => received };
}
const text = (of: Client) =>
  ok<Sms>(of, 'POST', '/v1/sms', { to: '+15005550001', body: 'Hello.', recipient_consent: true });

/** Opens a stream on every process, takes the right away, and waits until all of them ended. */
async function endsOn(key: string, takeAway: () => Promise<unknown>, sendEvent: () => Promise<unknown>) {
  const streams = await Promise.all(processes.map((process) => stream(process, key)));
  await takeAway();
  await Promise.all(streams.map(({ ended }) => ended));
  const before = streams.map(({ received }) => received());
  await sendEvent();
  assert.deepEqual(
    streams.map(({ received }) => received()),
    before,
  );
}

test('S4: streams end on every process when their key is revoked, and others go on', async () => {
  const { client, owner } = await managedOrganization(app);
  const { key, id } = await issueKey(app, owner);
  const staying = await stream(other, client.key);
  await endsOn(
    key,
    () => ok(client, 'DELETE', `/v1/api-keys/${id}`),
    () => text(client),
  );
  await waitFor('the other stream got the event', async () => staying.received().includes('sms.'));
});

test('S4: streams end when an ancestor of their key is revoked, and when their key expires', async () => {
  const { client, owner } = await managedOrganization(app);
  const parent = await issueKey(app, owner);
  const child = await ok<NewApiKey>(app.holder(parent.key), 'POST', '/v1/api-keys', { name: 'Child' });
  await endsOn(
    child.key,
    () => ok(client, 'DELETE', `/v1/api-keys/${parent.id}`),
    () => text(client),
  );
  const short = await issueKey(app, owner, { expires_at: new Date(Date.now() + 2000).toISOString() });
  await endsOn(
    short.key,
    async () => {},
    () => text(client),
  );
});

test('S4: streams end when the member is removed, and when the role is lowered', async () => {
  const { organization, client } = await managedOrganization(app);
  const removed = await memberClient(app, organization.id, 'admin');
  await endsOn(
    removed.client.key,
    () => ok(client, 'DELETE', `/v1/members/${removed.member.id}`),
    () => text(client),
  );
  const lowered = await memberClient(app, organization.id, 'admin');
  await endsOn(
    lowered.client.key,
    () => ok(client, 'PATCH', `/v1/members/${lowered.member.id}`, { role: 'member' }),
    () => text(client),
  );
});

test('S4: a request that waits is answered with 401 when its key is revoked, on every process', async () => {
  const { client, owner } = await managedOrganization(app);
  const waits = ['/v1/sms/wait?timeout_seconds=30', '/v1/emails/wait?timeout_seconds=30'];
  for (const path of waits) {
    const { key, id } = await issueKey(app, owner);
    const waiting = Promise.all(
      processes.map((process) => process.holder(key).request<{ code: string }>('GET', path)),
    );
    await waitFor('both wait', async () => {
      const rows = await app.db.rows<{ id: string }>(
        sql`select id from api_keys where id = ${id} and last_used_at is not null`,
      );
      return rows.length === 1;
    });
    await ok(client, 'DELETE', `/v1/api-keys/${id}`);
    for (const answer of await waiting)
      assert.deepEqual([answer.status, answer.body.code], [401, 'unauthenticated']);
  }
});

test('S4: a wait of a conversation token ends with the token and with the key that created it', async () => {
  const { client, owner } = await managedOrganization(app);
  const { conversation_id } = await text(client);
  const tokens = `/v1/conversations/${conversation_id}/tokens`;
  const issuer = await issueKey(app, owner);
  const end = {
    token: (id: string) => ok(client, 'DELETE', `${tokens}/${id}`),
    issuer: () => ok(client, 'DELETE', `/v1/api-keys/${issuer.id}`),
  };
  for (const which of ['token', 'issuer'] as const) {
    const { token, id } = await ok<{ token: string; id: string }>(app.holder(issuer.key), 'POST', tokens, {});
    const waiting = other.holder(token).request('GET', '/v1/sms/wait?timeout_seconds=30');
    await ok(other.holder(token), 'GET', '/v1/whoami');
    await end[which](id);
    assert.equal((await waiting).status, 401);
  }
});

test('F10: a revoked key makes processes forget its own callers only', async () => {
  const [first, second] = [await managedOrganization(app), await managedOrganization(app)];
  const { id } = await issueKey(app, first.owner);
  const lookups = async () => {
    const rows = await app.db.rows<{ version: number }>(sql`select version from credential_changes`);
    return rows[0]!.version;
  };
  const before = await lookups();
  await ok(second.client, 'GET', '/v1/whoami');
  await ok(first.client, 'DELETE', `/v1/api-keys/${id}`);
  const rows = await app.db.rows<{ subject: string }>(
    sql`select subject from credential_change_log where version > ${before}`,
  );
  assert.deepEqual(rows, [{ subject: `key:${id}` }]);
});

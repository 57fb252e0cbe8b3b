// Which credentials carry the power of a superadmin: the shared key, a fresh console session, a key issued for it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { operationGroups } from '@parley/contract';
import type { NewApiKey } from '@parley/contract/api-keys';
import type { Identity } from '@parley/contract/identity';
import type { Operation } from '@parley/contract/operation';
import { type Client, startTestApp } from '../../../testing/app.ts';
import { consoleToken } from '../../../testing/console.ts';
import { managedOrganization } from '../../../testing/managed.ts';
import { oauthProgram } from '../../../testing/oauth.ts';
import { fieldsOf, signedUp, somePlace } from '../../../testing/visitor.ts';
import { systemClock } from '../../platform/clock.ts';
import { sql } from '../../platform/db/sql.ts';

const wall_clock = systemClock();
const app = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open', PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
  { wall_clock },
);
const { url, db, client, holder } = app;
type Problem = { code: string; fix: string };
const stranger = await managedOrganization(app, { name: 'Of somebody else' });

const adminOperations = operationGroups.flatMap(({ noun, operations }) =>
  Object.entries(operations)
    .map(([name, operation]) => ({ id: `${noun}.${name}`, operation: operation as Operation }))
    .filter(({ operation }) => operation.access === 'superadmin'),
);

const whoami = (of: Client) => of.request<Identity>('GET', '/v1/whoami');

async function boss() {
  const browser = await signedUp(app, { email: `${randomUUID()}@example.com`, organization: 'Operators' });
  const me = (await whoami(holder(await consoleToken(browser)))).body;
  const made = await client.request('PATCH', `/v1/admin/users/${me.user_id}`, { superadmin: true });
  assert.equal(made.status, 200, made.text);
  return { browser, me };
}

const issue = (of: Client, body: Record<string, unknown>) =>
  of.request<NewApiKey & Problem>('POST', '/v1/api-keys', { name: 'For a test', ...body });

async function assertPower(of: Client) {
  assert.equal((await whoami(of)).body.superadmin, true);
  const seen = await of.request('GET', `/v1/admin/organizations/${stranger.organization.id}`);
  assert.equal(seen.status, 200, seen.text);
}

/** Every administration path, with ids that exist, so that a superadmin would get another answer. */
async function assertNoPower(of: Client) {
  const me = await whoami(of);
  assert.deepEqual([me.status, me.body.superadmin], [200, false], me.text);
  const ids: Record<string, string> = {
    organization_id: stranger.organization.id,
    user_id: stranger.owner.user_id,
    member_id: stranger.owner.id,
  };
  for (const { id, operation } of adminOperations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
    const answer = await of.request<Problem>(operation.method, path, operation.body_example);
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], id);
    assert.match(answer.body.fix, /scope admin/, id);
  }
}

async function deviceKey(browser: Awaited<ReturnType<typeof boss>>['browser']): Promise<string> {
  const post = async <T>(path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: 'parley-cli', ...fields });
    return (await (await fetch(url + path, { method: 'POST', headers: somePlace(), body })).json()) as T;
  };
  const begun = await post<{ device_code: string; user_code: string }>('/auth/device/code', {});
  const page = await browser.open(`/auth/device?user_code=${begun.user_code}`);
  await browser.send('/auth/device', { ...fieldsOf(page.text), user_code: begun.user_code, step: 'approve' });
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { device_code } = begun;
  const key = await post<{ access_token: string }>('/auth/device/token', { grant_type, device_code });
  assert.ok(key.access_token, JSON.stringify(key));
  return key.access_token;
}

describe('the power of a superadmin (I3)', () => {
  test('lies in the shared key', () => assertPower(client));

  test('lies in a fresh console session, and in no older one, however new its token is', async () => {
    const { browser, me } = await boss();
    await assertPower(holder(await consoleToken(browser)));
    await db.run(
      sql`update accounts.session set "createdAt" = now() - interval '13 hours' where "userId" = ${me.user_id}`,
    );
    await assertNoPower(holder(await consoleToken(browser)));
  });

  test('leaves the token of a console session when the session is no longer fresh', async () => {
    const { browser, me } = await boss();
    await db.run(sql`
      update accounts.session set "createdAt" = now() - interval '11 hours 58 minutes' where "userId" = ${me.user_id}`);
    const token = holder(await consoleToken(browser));
    await assertPower(token);
    wall_clock.moveTo(180_000);
    await assertNoPower(token);
    wall_clock.moveTo(0);
  });

  test('does not lie in a key with all scopes', async () => {
    const { browser } = await boss();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*'] });
    await assertNoPower(holder(body.key));
  });

  test('lies in a key with the scope admin, which gives nothing else', async () => {
    const { browser } = await boss();
    const session = holder(await consoleToken(browser));
    await assertPower(holder((await issue(session, { scopes: ['*', 'admin'] })).body.key));
    const narrow = holder((await issue(session, { scopes: ['admin'] })).body.key);
    await assertPower(narrow);
    assert.equal((await narrow.request('GET', '/v1/contacts')).status, 403);
  });

  test('leaves such a key when its owner is no longer a superadmin', async () => {
    const { browser, me } = await boss();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*', 'admin'] });
    await client.request('PATCH', `/v1/admin/users/${me.user_id}`, { superadmin: false });
    const key = holder(body.key);
    assert.equal((await whoami(key)).body.superadmin, false);
    assert.equal((await key.request('GET', '/v1/admin/organizations')).status, 404);
  });

  test('does not lie in a key that a device got, and no device can ask for it', async () => {
    const { browser } = await boss();
    await assertNoPower(holder(await deviceKey(browser)));
    const asked = await fetch(`${url}/auth/device/code`, {
      method: 'POST',
      headers: somePlace(),
      body: new URLSearchParams({ client_id: 'parley-cli', scope: '* admin' }),
    });
    assert.deepEqual([asked.status, await asked.json()], [400, { error: 'invalid_scope' }]);
  });

  test('does not lie in an OAuth token', async () => {
    const { browser } = await boss();
    const program = oauthProgram(url);
    const { access_token } = await program.connect(browser, await program.register());
    await assertNoPower(holder(access_token));
  });
});

describe('the scope admin (I3)', () => {
  const refused = async (of: Client) => {
    const answer = await issue(of, { scopes: ['*', 'admin'] });
    assert.deepEqual([answer.status, answer.body.code], [403, 'operator_session_needed'], answer.text);
  };

  test('is given by a fresh console session of a superadmin and by the shared key only', async () => {
    const { browser, me } = await boss();
    const session = holder(await consoleToken(browser));
    const strong = await issue(session, { scopes: ['*', 'admin'] });
    assert.equal(strong.status, 201, strong.text);
    await refused(holder(strong.body.key));
    await refused(holder((await issue(session, { scopes: ['*'] })).body.key));
    await refused(stranger.client);
    const path = `/v1/admin/organizations/${me.organization_id}/api-keys`;
    const body = { user_id: me.user_id, name: 'By the operator', scopes: ['admin'] };
    assert.equal((await client.request('POST', path, body)).status, 201);
    const by_key = await holder(strong.body.key).request<Problem>('POST', path, body);
    assert.deepEqual([by_key.status, by_key.body.code], [403, 'operator_session_needed']);
    await db.run(
      sql`update accounts.session set "createdAt" = now() - interval '13 hours' where "userId" = ${me.user_id}`,
    );
    await refused(holder(await consoleToken(browser)));
  });

  test('cannot be given to somebody who is no superadmin', async () => {
    const { organization, owner } = stranger;
    const answer = await client.request<Problem>(
      'POST',
      `/v1/admin/organizations/${organization.id}/api-keys`,
      { user_id: owner.user_id, name: 'For later', scopes: ['admin'] },
    );
    assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed']);
  });

  test('makes no superadmins and no password links, which would outlive the key', async () => {
    const { browser, me } = await boss();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*', 'admin'] });
    const key = holder(body.key);
    for (const [method, path, given] of [
      ['PATCH', `/v1/admin/users/${stranger.owner.user_id}`, { superadmin: true }],
      ['POST', `/v1/admin/users/${me.user_id}/password-links`, undefined],
    ] as const) {
      const answer = await key.request<Problem>(method, path, given);
      assert.deepEqual([answer.status, answer.body.code], [403, 'operator_session_needed'], path);
    }
    const demoted = await key.request('PATCH', `/v1/admin/users/${stranger.owner.user_id}`, {
      superadmin: false,
    });
    assert.equal(demoted.status, 200);
  });
});

// Which credentials allow admin operations: the shared key, a fresh console session, and a key with the scope admin.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { operationGroups } from '@parley/contract';
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Identity } from '@parley/contract/access/identity';
import type { Operation } from '@parley/contract/operation';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { managedOrganization } from '../../../../../testing/managed.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { fieldsOf, fromRandomIp, signUp } from '../../../../../testing/visitor.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { sql } from '../../../../platform/db/sql.ts';

const wall_clock = systemClock();
const app = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_SIGN_UP: 'open', PARLEY_TRUSTED_PROXIES: '127.0.0.1' },
  { wall_clock },
);
const { url, db, client, holder } = app;
type Problem = { code: string; fix: string };
const other = await managedOrganization(app, { name: 'Other' });

const adminOperations = operationGroups.flatMap(({ noun, operations }) =>
  Object.entries(operations)
    .map(([name, operation]) => ({ id: `${noun}.${name}`, operation: operation as Operation }))
    .filter(({ operation }) => operation.access === 'superadmin'),
);

const whoami = (of: Client) => of.request<Identity>('GET', '/v1/whoami');

async function newSuperadmin() {
  const browser = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Operators' });
  const me = (await whoami(holder(await consoleToken(browser)))).body;
  const created = await client.request('PATCH', `/v1/admin/users/${me.user_id}`, { superadmin: true });
  assert.equal(created.status, 200, created.text);
  return { browser, me };
}

const issue = (of: Client, body: Record<string, unknown>) =>
  of.request<NewApiKey & Problem>('POST', '/v1/api-keys', { name: 'For a test', ...body });

async function assertAdmin(of: Client) {
  assert.equal((await whoami(of)).body.superadmin, true);
  const seen = await of.request('GET', `/v1/admin/organizations/${other.organization.id}`);
  assert.equal(seen.status, 200, seen.text);
}

/** Calls every admin operation with ids that exist, so that a superadmin would get another response. */
async function assertNoAdmin(of: Client) {
  const me = await whoami(of);
  assert.deepEqual([me.status, me.body.superadmin], [200, false], me.text);
  const ids: Record<string, string> = {
    organization_id: other.organization.id,
    user_id: other.owner.user_id,
    member_id: other.owner.id,
  };
  for (const { id, operation } of adminOperations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
    const response = await of.request<Problem>(operation.method, path, operation.body_example);
    assert.deepEqual([response.status, response.body.code], [404, 'not_found'], id);
    assert.match(response.body.fix, /scope admin/, id);
  }
}

async function deviceKey(browser: Awaited<ReturnType<typeof newSuperadmin>>['browser']): Promise<string> {
  const post = async <T>(path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: 'parley-cli', ...fields });
    return (await (await fetch(url + path, { method: 'POST', headers: fromRandomIp(), body })).json()) as T;
  };
  const started = await post<{ device_code: string; user_code: string }>('/auth/device/code', {});
  const page = await browser.open(`/auth/device?user_code=${started.user_code}`);
  await browser.send('/auth/device', {
    ...fieldsOf(page.text),
    user_code: started.user_code,
    step: 'approve',
  });
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { device_code } = started;
  const key = await post<{ access_token: string }>('/auth/device/token', { grant_type, device_code });
  assert.ok(key.access_token, JSON.stringify(key));
  return key.access_token;
}

describe('admin operations (I3)', () => {
  test('are allowed with the shared key', () => assertAdmin(client));

  test('are allowed in a fresh console session, and not in an older one, even with a new token', async () => {
    const { browser, me } = await newSuperadmin();
    await assertAdmin(holder(await consoleToken(browser)));
    await db.run(
      sql`update accounts.session set "createdAt" = now() - interval '13 hours' where "userId" = ${me.user_id}`,
    );
    await assertNoAdmin(holder(await consoleToken(browser)));
  });

  test('are no longer allowed with the token of a console session when the session is not fresh any more', async () => {
    const { browser, me } = await newSuperadmin();
    await db.run(sql`
      update accounts.session set "createdAt" = now() - interval '11 hours 58 minutes' where "userId" = ${me.user_id}`);
    const token = holder(await consoleToken(browser));
    await assertAdmin(token);
    wall_clock.moveTo(180_000);
    await assertNoAdmin(token);
    wall_clock.moveTo(0);
  });

  test('are not allowed with a key that has all other scopes', async () => {
    const { browser } = await newSuperadmin();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*'] });
    await assertNoAdmin(holder(body.key));
  });

  test('are allowed with a key that has the scope admin, which allows nothing else', async () => {
    const { browser } = await newSuperadmin();
    const session = holder(await consoleToken(browser));
    await assertAdmin(holder((await issue(session, { scopes: ['*', 'admin'] })).body.key));
    const narrow = holder((await issue(session, { scopes: ['admin'] })).body.key);
    await assertAdmin(narrow);
    assert.equal((await narrow.request('GET', '/v1/contacts')).status, 403);
  });

  test('are no longer allowed with such a key when its owner is not a superadmin any more', async () => {
    const { browser, me } = await newSuperadmin();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*', 'admin'] });
    await client.request('PATCH', `/v1/admin/users/${me.user_id}`, { superadmin: false });
    const key = holder(body.key);
    assert.equal((await whoami(key)).body.superadmin, false);
    assert.equal((await key.request('GET', '/v1/admin/organizations')).status, 404);
  });

  test('are not allowed with the key of a device, and a device cannot request the scope', async () => {
    const { browser } = await newSuperadmin();
    await assertNoAdmin(holder(await deviceKey(browser)));
    const response = await fetch(`${url}/auth/device/code`, {
      method: 'POST',
      headers: fromRandomIp(),
      body: new URLSearchParams({ client_id: 'parley-cli', scope: '* admin' }),
    });
    assert.deepEqual([response.status, await response.json()], [400, { error: 'invalid_scope' }]);
  });

  test('are not allowed with an OAuth token', async () => {
    const { browser } = await newSuperadmin();
    const program = oauthProgram(url);
    const { access_token } = await program.connect(browser, await program.register());
    await assertNoAdmin(holder(access_token));
  });
});

describe('the scope admin (I3)', () => {
  const refused = async (of: Client) => {
    const response = await issue(of, { scopes: ['*', 'admin'] });
    assert.deepEqual([response.status, response.body.code], [403, 'operator_session_needed'], response.text);
  };

  test('can be issued only by a fresh console session of a superadmin and by the shared key', async () => {
    const { browser, me } = await newSuperadmin();
    const session = holder(await consoleToken(browser));
    const strong = await issue(session, { scopes: ['*', 'admin'] });
    assert.equal(strong.status, 201, strong.text);
    await refused(holder(strong.body.key));
    await refused(holder((await issue(session, { scopes: ['*'] })).body.key));
    await refused(other.client);
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

  test('cannot be issued to a user who is not a superadmin', async () => {
    const { organization, owner } = other;
    const response = await client.request<Problem>(
      'POST',
      `/v1/admin/organizations/${organization.id}/api-keys`,
      { user_id: owner.user_id, name: 'For later', scopes: ['admin'] },
    );
    assert.deepEqual([response.status, response.body.code], [422, 'validation_failed']);
  });

  test('cannot create superadmins and password links, which would outlive the key', async () => {
    const { browser, me } = await newSuperadmin();
    const { body } = await issue(holder(await consoleToken(browser)), { scopes: ['*', 'admin'] });
    const key = holder(body.key);
    for (const [method, path, input] of [
      ['PATCH', `/v1/admin/users/${other.owner.user_id}`, { superadmin: true }],
      ['POST', `/v1/admin/users/${me.user_id}/password-links`, undefined],
    ] as const) {
      const response = await key.request<Problem>(method, path, input);
      assert.deepEqual([response.status, response.body.code], [403, 'operator_session_needed'], path);
    }
    const demoted = await key.request('PATCH', `/v1/admin/users/${other.owner.user_id}`, {
      superadmin: false,
    });
    assert.equal(demoted.status, 200);
  });
});

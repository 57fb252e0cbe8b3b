// OAuth grants: users see which programs they connected, and can revoke them on every process within a second.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { OauthGrant } from '@parley/contract/access/credentials/oauth-grants';
import type { Identity } from '@parley/contract/access/identity';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { addMember, issueKey, managedOrganization } from '../../../../../testing/managed.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { signUp } from '../../../../../testing/visitor.ts';
import { buildApp } from '../../../../app/app.ts';
import { readConfig } from '../../../../config/config.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { makeLog } from '../../../../platform/log.ts';

const settings = {
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
};
const app = await startTestApp(settings);
const { url, holder } = app;
const program = oauthProgram(url);
const address = () => `${randomUUID()}@example.com`;

const grantsOf = async (of: Client) =>
  (await of.request<{ items: OauthGrant[] }>('GET', '/v1/oauth-grants')).body.items;
const revoke = (of: Client, id: string) => of.request('DELETE', `/v1/oauth-grants/${id}`);
const statusOf = async (token: string) => (await holder(token).request('GET', '/v1/whoami')).status;

async function newUser() {
  const browser = await signUp(app, { email: address(), organization: 'Sousa Trading' });
  const session = holder(await consoleToken(browser));
  const me = (await session.request<Identity>('GET', '/v1/whoami')).body;
  return { browser, session, me };
}

describe('a connected program (I5)', () => {
  test('is listed with its name, its redirect URLs and its scopes', async () => {
    const { browser, session, me } = await newUser();
    assert.deepEqual(await grantsOf(session), []);
    const client_id = await program.register('Notes for agents');
    await program.connect(browser, client_id);
    const [grant, ...more] = await grantsOf(session);
    assert.deepEqual(more, []);
    const { id: _, created_at: __, updated_at: ___, ...rest } = grant!;
    assert.deepEqual(rest, {
      organization_id: me.organization_id,
      user_id: me.user_id,
      client_id,
      client_name: 'Notes for agents',
      redirect_uris: ['http://127.0.0.1:53117/callback'],
      scopes: ['parley', 'offline_access'],
    });
  });

  test('loses access and refresh tokens immediately when it is revoked, and others keep theirs', async () => {
    const { browser, session } = await newUser();
    const [one, two] = [await program.register(), await program.register()];
    const first = await program.connect(browser, one);
    const second = await program.connect(browser, two);
    assert.deepEqual([await statusOf(first.access_token), await statusOf(second.access_token)], [200, 200]);
    const grant = (await grantsOf(session)).find(({ client_id }) => client_id === one)!;
    assert.equal((await revoke(session, grant.id)).status, 204);
    assert.deepEqual([await statusOf(first.access_token), await statusOf(second.access_token)], [401, 200]);
    assert.notEqual((await program.refresh(one, first.refresh_token!)).status, 200);
    assert.equal((await program.refresh(two, second.refresh_token!)).status, 200);
    assert.equal((await revoke(session, grant.id)).status, 404);
  });

  test('of a person who was removed does not work again when that person is added again', async () => {
    const { organization, client: owner } = await managedOrganization(app);
    const email = address();
    const browser = await signUp(app, { email });
    const member = await addMember(app, organization.id, { role: 'member', email });
    const client_id = await program.register();
    const { access_token, refresh_token } = await program.connect(browser, client_id);
    assert.equal(await statusOf(access_token), 200);
    assert.equal((await owner.request('DELETE', `/v1/members/${member.id}`)).status, 204);
    assert.equal(await statusOf(access_token), 403);
    assert.deepEqual(await grantsOf(owner), []);
    await addMember(app, organization.id, { role: 'member', email });
    assert.equal(await statusOf(access_token), 401);
    assert.notEqual((await program.refresh(client_id, refresh_token!)).status, 200);
  });

  test('needs a new consent after a revocation, and its old tokens stay invalid', async () => {
    const { browser, session } = await newUser();
    const client_id = await program.register();
    const before = await program.connect(browser, client_id);
    const [grant] = await grantsOf(session);
    await revoke(session, grant!.id);
    // better-auth stores the time of a grant in seconds; the new grant must be in a later second than the old token.
    const { iat } = JSON.parse(Buffer.from(before.access_token.split('.')[1]!, 'base64url').toString()) as {
      iat: number;
    };
    while (Math.floor(Date.now() / 1000) <= iat) await new Promise((resolve) => setImmediate(resolve));
    const after = await program.connect(browser, client_id);
    assert.deepEqual([await statusOf(before.access_token), await statusOf(after.access_token)], [401, 200]);
  });

  test('is refused by other processes soon after a revocation', async () => {
    const { browser, session } = await newUser();
    const client_id = await program.register();
    const { access_token } = await program.connect(browser, client_id);
    const db = openDatabase({ url: app.database_url, max_connections: 4 });
    const other = buildApp({
      config: readConfig({ PORT: '0', ...settings, PARLEY_BASE_URL: url }, process.cwd()),
      db,
      log: makeLog({ level: 'silent', show_personal_data: false }),
      shared_key: null,
      auth_secret: 'a-secret-that-only-tests-know-0123456789',
      master_keys: [{ id: 'test', key: Buffer.alloc(32) }],
    });
    try {
      const elsewhere = async () => {
        const headers = { authorization: `Bearer ${access_token}` };
        return (await other.http.inject({ url: '/v1/whoami', headers })).statusCode;
      };
      assert.equal(await elsewhere(), 200);
      await revoke(session, (await grantsOf(session))[0]!.id);
      const began = performance.now();
      while ((await elsewhere()) === 200) assert.ok(performance.now() - began < 20_000, 'still accepted');
    } finally {
      await other.http.close();
      await db.close();
    }
  });

  test('can be seen and revoked by owners and admins, and by a member only if it is their own', async () => {
    const { organization, client: owner } = await managedOrganization(app);
    const email = address();
    const browser = await signUp(app, { email });
    const member = await addMember(app, organization.id, { role: 'member', email });
    await program.connect(browser, await program.register());
    const own = holder((await issueKey(app, member)).key);
    const other = holder(
      (await issueKey(app, await addMember(app, organization.id, { role: 'member' }))).key,
    );
    const [grant] = await grantsOf(own);
    assert.deepEqual(await grantsOf(other), []);
    assert.equal((await revoke(other, grant!.id)).status, 404);
    assert.deepEqual(
      (await grantsOf(owner)).map(({ id }) => id),
      [grant!.id],
    );
    assert.equal((await revoke(owner, grant!.id)).status, 204);
    const log = await app.client.request('GET', '/v1/admin/audit-log');
    assert.match(log.text, /oauth_grant\.revoked/);
  });

  test('starts with budgets that only a person changes, and that do not come back when they are deleted', async () => {
    const { browser, session } = await newUser();
    const client_id = await program.register();
    const { access_token, refresh_token } = await program.connect(browser, client_id);
    const connected = holder(access_token);
    const budgets = async () =>
      (await connected.request<{ items: Budget[] }>('GET', '/v1/budgets')).body.items;
    const [grant] = await grantsOf(session);
    const [all, numbers] = await budgets();
    assert.deepEqual(all!.subject, { kind: 'oauth_grant', id: grant!.id });
    assert.deepEqual(
      [all!.channel, all!.window, all!.max_count, all!.max_amount_micros],
      ['all', 'day', 500, 20_000_000],
    );
    assert.deepEqual([numbers!.channel, numbers!.max_count], ['numbers', 2]);
    const path = `/v1/budgets/${all!.id}`;
    assert.equal((await connected.request('PATCH', path, { max_count: 501 })).status, 403);
    assert.equal((await session.request('PATCH', path, { max_count: 1 })).status, 200);
    const send = () =>
      connected.request<{ code: string }>('POST', '/v1/emails', {
        recipient_consent: true,
        to: ['ana@sandbox.test'],
        subject: 'Hello',
      });
    assert.equal((await send()).status, 201);
    const refused = await send();
    assert.deepEqual([refused.status, refused.body.code], [429, 'budget_exceeded']);
    for (const { id } of await budgets()) await session.request('DELETE', `/v1/budgets/${id}`);
    const renewed = await program.refresh(client_id, refresh_token!);
    assert.equal(await statusOf(renewed.body.access_token), 200);
    assert.deepEqual(await budgets(), []);
  });
});

test('an organization that a person founds by signing up contacts 20 new people per day and channel', async () => {
  const { session } = await newUser();
  const rules = async () => (await session.request<ContactRules>('GET', '/v1/contact-rules')).body;
  assert.equal((await rules()).new_recipients_per_day, 20);
  const set = (body: object) => session.request<ContactRules>('PUT', '/v1/contact-rules', body);
  assert.equal((await set({ stop_scope: 'all' })).body.new_recipients_per_day, 20, 'its own default');
  assert.equal((await set({ new_recipients_per_day: null })).body.new_recipients_per_day, null);
});

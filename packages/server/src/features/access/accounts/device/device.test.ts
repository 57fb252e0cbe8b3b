// Device login: a program gets a key that a user approves in a browser, once, in time, and for one organization.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { startTestApp } from '../../../../../testing/app.ts';
import { managedOrganization } from '../../../../../testing/managed.ts';
import { fieldsOf, fromRandomIp, signUp, visitor } from '../../../../../testing/visitor.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { readUserCode } from './device-logins.ts';

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
});
const { url, db } = app;
const client_id = 'parley-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
const address = () => `${randomUUID()}@example.com`;
type Started = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
  error?: string;
};
type Token = {
  access_token?: string;
  token_type?: string;
  organization_id?: string;
  scope?: string;
  error?: string;
};

const post = async <T>(path: string, fields: Record<string, string>) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: fromRandomIp(),
    body: new URLSearchParams(fields),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
};
const startLogin = async (fields: Record<string, string> = {}) =>
  (await post<Started>('/auth/device/code', { client_id, ...fields })).body;
const poll = (device_code: string, fields: Record<string, string> = {}) =>
  post<Token>('/auth/device/token', { grant_type, client_id, device_code, ...fields });
const approve = async (browser: Awaited<ReturnType<typeof signUp>>, user_code: string, step = 'approve') => {
  const page = await browser.open(`/auth/device?user_code=${user_code}`);
  const { organization_id } = fieldsOf(page.text);
  return browser.send('/auth/device', { user_code, step, organization_id: organization_id ?? '' });
};

describe('a device', () => {
  test('gets a working key after a user approves its code, and only one key', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa Trading' });
    const started = await startLogin();
    assert.match(started.user_code, /^[B-Z]{4}-[B-Z]{4}$/);
    assert.equal(started.verification_uri, `${url}/auth/device`);
    assert.equal(started.verification_uri_complete, `${url}/auth/device?user_code=${started.user_code}`);
    assert.deepEqual([started.expires_in, started.interval], [600, 5]);
    assert.equal((await poll(started.device_code)).body.error, 'authorization_pending');

    const page = await ana.open(`/auth/device?user_code=${started.user_code}`);
    assert.match(page.text, /The Parley command line/);
    assert.match(page.text, new RegExp(started.user_code));
    assert.match((await approve(ana, started.user_code)).text, /Device connected/);

    const token = await poll(started.device_code);
    assert.equal(token.status, 200);
    assert.equal(token.headers.get('cache-control'), 'no-store');
    assert.deepEqual([token.body.token_type, token.body.scope], ['Bearer', '*']);
    const me = await app.holder(token.body.access_token!).request<Identity>('GET', '/v1/whoami');
    assert.equal(me.body.organization_id, token.body.organization_id);
    assert.equal(me.body.auth_kind, 'apikey');
    assert.equal((await poll(started.device_code)).body.error, 'invalid_grant');
  });

  test('gets a key with the default budgets', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const started = await startLogin();
    await approve(ana, started.user_code);
    const key = app.holder((await poll(started.device_code)).body.access_token!);
    const { items } = (await key.request<{ items: Budget[] }>('GET', '/v1/budgets')).body;
    assert.deepEqual(
      items.map(({ subject, channel, max_count }) => [subject.kind, channel, max_count]),
      [
        ['api_key', 'all', 500],
        ['api_key', 'numbers', 2],
      ],
    );
  });

  test('that polls many times concurrently gets one key', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const started = await startLogin();
    await approve(ana, started.user_code);
    const responses = await Promise.all(Array.from({ length: 6 }, () => poll(started.device_code)));
    assert.equal(responses.filter((response) => response.status === 200).length, 1);
  });

  test('that polls too often gets slow_down, with a longer interval each time', async () => {
    const started = await startLogin();
    assert.equal((await poll(started.device_code)).body.error, 'authorization_pending');
    assert.equal((await poll(started.device_code)).body.error, 'slow_down');
    const [row] = await db.rows<{ interval_seconds: number }>(
      sql`select interval_seconds from device_logins where user_code = ${started.user_code}`,
    );
    assert.equal(row!.interval_seconds, 10);
  });

  test('gets access_denied when the user denies, and expired_token when the code expired', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const refused = await startLogin();
    assert.match((await approve(ana, refused.user_code, 'deny')).text, /Device denied/);
    assert.equal((await poll(refused.device_code)).body.error, 'access_denied');
    const late = await startLogin();
    await db.run(
      sql`update device_logins set expires_at = now() - interval '1 second' where user_code = ${late.user_code}`,
    );
    assert.equal((await approve(ana, late.user_code)).status, 404);
    assert.equal((await poll(late.device_code)).body.error, 'expired_token');
  });

  test('gets only the scopes that it requested', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const started = await startLogin({ scope: 'contacts:read' });
    await approve(ana, started.user_code);
    const { access_token } = (await poll(started.device_code)).body;
    const holder = app.holder(access_token!);
    assert.equal((await holder.request('GET', '/v1/contacts')).status, 200);
    assert.equal((await holder.request('GET', '/v1/agents')).status, 403);
    assert.equal((await holder.request('GET', '/v1/whoami')).status, 200);
    for (const scope of ['everything', 'nothing:read'])
      assert.equal((await startLogin({ scope })).error, 'invalid_scope', scope);
  });

  test('cannot choose the owner of its key', async () => {
    const { owner } = await managedOrganization(app);
    const started = await startLogin({ user_id: owner.user_id, organization_id: owner.organization_id });
    assert.equal((await poll(started.device_code)).body.error, 'authorization_pending');
    const [row] = await db.rows(
      sql`select user_id, organization_id from device_logins where user_code = ${started.user_code}`,
    );
    assert.deepEqual(row, { user_id: null, organization_id: null });
  });

  test('must be a known program, and the same one on every request', async () => {
    assert.equal((await startLogin({ client_id: 'somebody' })).error, 'invalid_client');
    assert.equal((await startLogin({ client_id: '__proto__' })).error, 'invalid_client');
    const started = await startLogin();
    assert.equal((await poll(started.device_code, { client_id: 'other' })).body.error, 'invalid_grant');
    assert.equal((await poll('made-up')).body.error, 'invalid_grant');
    assert.equal(
      (await poll(started.device_code, { grant_type: 'password' })).body.error,
      'unsupported_grant_type',
    );
  });

  test('has its device code stored as a hash', async () => {
    const started = await startLogin();
    const [row] = await db.rows<{ row: string }>(
      sql`select to_json(d)::text as row from device_logins d where user_code = ${started.user_code}`,
    );
    assert.ok(!row!.row.includes(started.device_code));
  });
});

describe('approving a device', () => {
  test('needs a signed-in user, who returns to the page after signing in', async () => {
    const started = await startLogin();
    const page = await visitor(url).open(`/auth/device?user_code=${started.user_code}`);
    const next = new URL(page.location!, url).searchParams.get('next');
    assert.equal(next, `/auth/device?user_code=${started.user_code}`);
    const anonymous = await visitor(url).send('/auth/device', {
      user_code: started.user_code,
      step: 'approve',
    });
    assert.equal(anonymous.location, '/auth/sign-in');
    assert.equal((await poll(started.device_code)).body.error, 'authorization_pending');
  });

  test('works only for an organization of the user', async () => {
    const { organization } = await managedOrganization(app);
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const started = await startLogin();
    const other = { user_code: started.user_code, step: 'approve', organization_id: organization.id };
    assert.equal((await ana.send('/auth/device', other)).status, 404);
    assert.equal((await poll(started.device_code)).body.error, 'authorization_pending');
  });

  test('shows the rights of the key, its organization and its expiry (I9)', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa Trading' });
    const narrow = await startLogin({ scope: 'contacts:read email_domains:write' });
    const entered = await ana.send('/auth/device', { step: 'enter', user_code: narrow.user_code });
    assert.match(entered.text, /read contacts \(<code>contacts:read<\/code>\)/);
    assert.match(entered.text, /create, change and delete email domains/);
    assert.doesNotMatch(entered.text, /everything that you may do/);
    assert.match(entered.text, /Organization: <strong>Sousa Trading<\/strong>/);
    const end = new Date(Date.now() + 90 * 86_400_000);
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(end);
    assert.ok(entered.text.includes(`The key expires on <strong>${day}</strong>`), entered.text);
    const full = await startLogin();
    const page = await ana.send('/auth/device', { step: 'enter', user_code: full.user_code });
    assert.match(page.text, /everything that you may do/);
  });

  test('warns a user who opened a complete link, and not one who entered the code (I9)', async () => {
    const ana = await signUp(app, { email: address(), organization: 'Sousa' });
    const started = await startLogin();
    const linked = await ana.open(started.verification_uri_complete);
    assert.match(linked.text, /role="alert"><strong>You opened a link/);
    const entered = await ana.send('/auth/device', { step: 'enter', user_code: started.user_code });
    assert.doesNotMatch(entered.text, /You opened a link/);
  });

  test('gives a key that expires after 90 days, or after the number of days that the operator sets (I9)', async () => {
    const few = await startTestApp({
      PARLEY_MANAGED: 'on',
      PARLEY_SANDBOX: 'on',
      PARLEY_SIGN_UP: 'open',
      PARLEY_DEVICE_KEY_DAYS: '2',
    });
    for (const [server, days] of [
      [app, 90],
      [few, 2],
    ] as const) {
      const ana = await signUp(server, { email: address(), organization: 'Sousa' });
      const at = async <T>(path: string, fields: Record<string, string>) =>
        (
          await fetch(server.url + path, {
            method: 'POST',
            headers: fromRandomIp(),
            body: new URLSearchParams(fields),
          })
        ).json() as Promise<T>;
      const started = await at<Started>('/auth/device/code', { client_id });
      await approve(ana, started.user_code);
      const { device_code } = started;
      const token = await at<Token & { expires_in: number }>('/auth/device/token', {
        grant_type,
        client_id,
        device_code,
      });
      const [key] = await server.db.rows<{ days: number }>(sql`
        select extract(epoch from k.expires_at - k.created_at)::float8 / 86400 as days from api_keys k
         where k.organization_id = ${token.organization_id} order by created_at desc limit 1`);
      assert.ok(key!.days > days - 0.1 && key!.days <= days, `${key!.days} days`);
      assert.ok(Math.abs(token.expires_in - days * 86_400) < 600);
    }
  });

  test('redirects a user without an organization to create one first', async () => {
    const bo = await signUp(app, { email: address() });
    const started = await startLogin();
    const page = await bo.open(`/auth/device?user_code=${started.user_code}`);
    assert.equal(
      page.location,
      `/auth/organizations/new?next=${encodeURIComponent(`/auth/device?user_code=${started.user_code}`)}`,
    );
  });

  test('by guessing codes is rate limited', async () => {
    const eve = await signUp(app, { email: address(), organization: 'Eve' });
    const statuses = [];
    for (let i = 0; i < 8; i++) {
      statuses.push(
        (await eve.send('/auth/device', { step: 'enter', user_code: `BCDF-GHJ${'KLMNPQRS'[i]}` })).status,
      );
    }
    assert.equal(statuses[0], 404);
    assert.equal(statuses.at(-1), 429, statuses.join());
  });

  test('accepts a code in upper or lower case, with or without a dash', () => {
    assert.equal(readUserCode(' bcdf ghjk '), 'BCDF-GHJK');
    assert.equal(readUserCode('bcdfghjk'), 'BCDF-GHJK');
    for (const wrong of ['', 'BCDF', 'AEIO-UUUU', 'BCDF-GHJK-L', '1234-5678'])
      assert.equal(readUserCode(wrong), null);
  });
});

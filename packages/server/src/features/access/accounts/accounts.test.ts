// Accounts: sign-up, sign-in, invitations, forgotten passwords, and responses that do not reveal whether an account exists.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NewInvitation } from '@parley/contract/access/members';
import { getMigrations } from 'better-auth/db/migration';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startTestApp } from '../../../../testing/app.ts';
import { asPerson, managedOrganization } from '../../../../testing/managed.ts';
import { codeTo, password, signUp, visitor } from '../../../../testing/visitor.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { makeLog } from '../../../platform/log.ts';
import { engineOptions } from './engine-options.ts';

// Every visitor has a different client address, as behind a proxy.
const behind_proxy = { PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_TRUSTED_PROXIES: '127.0.0.1' };
const open = await startTestApp({ ...behind_proxy, PARLEY_SIGN_UP: 'open' });
const closed = await startTestApp(behind_proxy);
const address = () => `${randomUUID()}@example.com`;
const log = makeLog({ level: 'silent', show_personal_data: false });

test('the database has the tables that better-auth expects', async () => {
  const pool = new pg.Pool({ connectionString: open.database_url, options: '-c search_path=accounts' });
  try {
    const options = engineOptions({
      db: open.db,
      ids: { next: randomUUID },
      wall_clock: systemClock(),
      log,
      secret: 'x'.repeat(32),
      base_url: open.url,
      issuer: `${open.url}/auth`,
      resources: [],
      onlyOrganizationOf: async () => null,
    });
    const database = {
      db: new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) }),
      type: 'postgres' as const,
    };
    const { toBeCreated, toBeAdded } = await getMigrations({ ...options, database });
    assert.deepEqual([toBeCreated, toBeAdded], [[], []]);
  } finally {
    await pool.end();
  }
});

describe('an account', () => {
  test('can be created, signed in to and signed out of', async () => {
    const email = address();
    const ana = visitor(open.url);
    const created = await ana.send('/auth/sign-up', { name: 'Ana Sousa', email, password });
    assert.deepEqual([created.status, created.location], [303, '/auth/sign-up/code?next=%2Fauth']);
    const proven = await ana.send('/auth/sign-up/code', { code: await codeTo(open, email) });
    assert.deepEqual(
      [proven.status, proven.location],
      [303, '/auth/sign-in?notice=account-created&next=%2Fauth'],
    );
    const inside = await ana.send('/auth/sign-in', { email, password });
    assert.deepEqual([inside.status, inside.location], [303, '/auth']);
    assert.match((await ana.open('/auth')).text, /Hello, Ana Sousa/);
    const out = await ana.send('/auth/sign-out', {});
    assert.equal(out.location, '/auth/sign-in');
    assert.equal((await ana.open('/auth')).location, '/auth/sign-in?next=%2Fauth');
  });

  test('has its password hashed', async () => {
    const email = address();
    await signUp(open, { email });
    const rows = await open.db.rows<{ row: string }>(
      sql`select to_json(a)::text as row from accounts.account a`,
    );
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(password)));
  });

  test('has its session in a cookie that scripts cannot read and other sites cannot send', async () => {
    const email = address();
    await signUp(open, { email });
    const response = await visitor(open.url).send('/auth/sign-in', { email, password });
    const [cookie] = response.headers.getSetCookie();
    assert.match(cookie!, /HttpOnly/i);
    assert.match(cookie!, /SameSite=Lax/i);
    const secure = await startTestApp({
      PARLEY_MANAGED: 'on',
      PARLEY_SANDBOX: 'on',
      PARLEY_SIGN_UP: 'open',
      PARLEY_BASE_URL: 'https://parley.example.com',
    });
    const own = { origin: 'https://parley.example.com' };
    const behind = visitor(secure.url);
    const begun = await behind.send('/auth/sign-up', { name: 'Bo', email, password }, own);
    assert.match(begun.headers.getSetCookie()[0]!, /^__Secure-.*HttpOnly; SameSite=Lax; Secure/);
    await behind.send('/auth/sign-up/code', { code: await codeTo(secure, email) }, own);
    const [sealed] = (await behind.send('/auth/sign-in', { email, password }, own)).headers.getSetCookie();
    assert.match(sealed!, /^__Secure-.*; Secure/i);
  });

  test('cannot be created without an invitation unless sign-up is open', async () => {
    const response = await visitor(closed.url).send('/auth/sign-up', {
      name: 'Ana',
      email: address(),
      password,
    });
    assert.equal(response.status, 404);
    assert.doesNotMatch((await visitor(closed.url).open('/auth/sign-in')).text, /sign-up/);
    const outsider = await visitor(closed.url).send('/auth/organizations/new', { organization: 'x' });
    assert.equal(outsider.status, 404);
  });

  test('needs a name, one email address and a long password', async () => {
    const good = { name: 'Ana', email: address(), password };
    for (const bad of [
      { name: ' ' },
      { email: 'nobody' },
      { password: 'short' },
      { password: 'x'.repeat(129) },
    ]) {
      const response = await visitor(open.url).send('/auth/sign-up', { ...good, ...bad });
      assert.equal(response.status, 422, JSON.stringify(bad));
      assert.match(response.text, /role="alert"/);
    }
  });
});

describe('no response reveals whether an account exists', () => {
  test('not on sign-up: the response is the same and the first password stays valid', async () => {
    const email = address();
    await signUp(open, { email });
    const first = await visitor(open.url).send('/auth/sign-up', { name: 'Bo', email: address(), password });
    const again = await visitor(open.url).send('/auth/sign-up', {
      name: 'Eve',
      email: email.toUpperCase(),
      password: 'another password of eve',
    });
    assert.deepEqual([again.status, again.location, again.text], [first.status, first.location, first.text]);
    const eve = await visitor(open.url).send('/auth/sign-in', { email, password: 'another password of eve' });
    assert.equal(eve.status, 401);
  });

  test('not on sign-in', async () => {
    const known = address();
    await signUp(open, { email: known });
    const attempt = async (email: string) => {
      const response = await visitor(open.url).send('/auth/sign-in', { email, password: 'a wrong password' });
      return [response.status, response.text.replaceAll(email, 'EMAIL')];
    };
    assert.deepEqual(await attempt(known), await attempt(address()));
    assert.deepEqual(await attempt(known), await attempt('nonsense'));
  });

  test('not through an invitation', async () => {
    const known = address();
    await signUp(open, { email: known });
    const person = asPerson(open, (await managedOrganization(open)).owner);
    const invite = async (email: string) => {
      const created = await person.request<NewInvitation>('POST', '/v1/invitations', { email });
      const path = new URL(created.body.accept_url).pathname;
      const browser = visitor(open.url);
      const page = await browser.open(path);
      const sent = await browser.send(path, { step: 'sign-up', name: 'Ana', password });
      const shown = await browser.open(sent.location!);
      const wrong = await browser.send('/auth/sign-up/code', { code: 'not the code', next: path });
      return [page, sent, shown, wrong].map(({ status, text, location }) =>
        JSON.stringify([status, text, location])
          .replaceAll(email, 'EMAIL')
          .replaceAll(path.split('/').at(-1)!, 'TOKEN'),
      );
    };
    assert.deepEqual(await invite(known), await invite(address()));
  });
});

describe('an invitation', () => {
  const invited = async (email: string) => {
    const { owner, organization } = await managedOrganization(closed);
    const person = asPerson(closed, owner);
    const created = await person.request<NewInvitation>('POST', '/v1/invitations', { email, role: 'admin' });
    return { organization, path: new URL(created.body.accept_url).pathname };
  };

  test('creates an account and a member, once', async () => {
    const email = address();
    const { path } = await invited(email);
    const bo = visitor(closed.url);
    assert.match((await bo.open(path)).text, /You are invited/);
    const created = await bo.send(path, { step: 'sign-up', name: 'Bo', password });
    assert.equal(new URL(created.location!, closed.url).searchParams.get('next'), path);
    const proven = await bo.send('/auth/sign-up/code', { code: await codeTo(closed, email), next: path });
    const back = new URL(proven.location!, closed.url).searchParams.get('next')!;
    assert.equal(back, path);
    assert.equal((await bo.send('/auth/sign-in', { email, password, next: back })).location, path);
    assert.equal((await bo.send(path, { step: 'accept' })).location, '/auth');
    assert.match((await bo.open('/auth')).text, /\(admin\)/);
    assert.equal((await bo.open(path)).status, 404);
  });

  test('works only for its email address', async () => {
    const { path } = await invited(address());
    const eve_email = address();
    const other = await invited(eve_email);
    const eve = visitor(closed.url);
    await eve.send(other.path, { step: 'sign-up', name: 'Eve', password });
    await eve.send('/auth/sign-up/code', { code: await codeTo(closed, eve_email) });
    await eve.send('/auth/sign-in', { email: eve_email, password });
    const response = await eve.send(path, { step: 'accept' });
    assert.deepEqual([response.status, /another email address/.test(response.text)], [403, true]);
  });

  test('that is unknown or expired is 404', async () => {
    assert.equal((await visitor(closed.url).open('/auth/invitations/made-up')).status, 404);
    const { path, organization } = await invited(address());
    await closed.db.run(
      sql`update invitations set expires_at = now() - interval '1 second' where organization_id = ${organization.id}`,
    );
    assert.equal((await visitor(closed.url).open(path)).status, 404);
  });
});

describe('a forgotten password', () => {
  const linkFor = async (email: string) => {
    const [user] = await open.db.rows<{ id: string }>(
      sql`select id from accounts.users where email = ${email}`,
    );
    const response = await open.client.request<{ url: string }>(
      'POST',
      `/v1/admin/users/${user!.id}/password-links`,
    );
    assert.equal(response.status, 201, response.text);
    return new URL(response.body.url).pathname;
  };

  test('is replaced through a link of the operator, once, and every session ends', async () => {
    const email = address();
    const before = await signUp(open, { email });
    const path = await linkFor(email);
    const later = visitor(open.url);
    assert.equal((await later.open(path)).status, 200);
    assert.equal((await later.send(path, { password: 'short' })).status, 422);
    const changed = await later.send(path, { password: 'a new and better password' });
    assert.equal(changed.location, '/auth/sign-in?notice=password-changed');
    assert.equal((await before.open('/auth')).status, 303);
    assert.equal((await later.send('/auth/sign-in', { email, password })).status, 401);
    const inside = await later.send('/auth/sign-in', { email, password: 'a new and better password' });
    assert.equal(inside.status, 303);
    assert.equal((await later.send(path, { password: 'yet another password' })).status, 404);
  });

  test('has a link that only superadmins can create and that is not readable in the database', async () => {
    const email = address();
    await signUp(open, { email });
    const token = (await linkFor(email)).split('/').at(-1)!;
    const rows = await open.db.rows<{ row: string }>(
      sql`select to_json(v)::text as row from accounts.verification v`,
    );
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(token)));
    const { client, owner } = await managedOrganization(open);
    const refused = await client.request('POST', `/v1/admin/users/${owner.user_id}/password-links`);
    assert.equal(refused.status, 404);
    const made_up = await visitor(open.url).send('/auth/passwords/made-up', {
      password: 'a long enough one',
    });
    assert.equal(made_up.status, 404);
  });
});

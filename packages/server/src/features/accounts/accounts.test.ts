// Accounts of people: signing up and in, invitations, forgotten passwords, and what no answer gives away.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NewInvitation } from '@parley/contract/members';
import { getMigrations } from 'better-auth/db/migration';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startTestApp } from '../../../testing/app.ts';
import { managedOrganization } from '../../../testing/managed.ts';
import { codeTo, password, signedUp, visitor } from '../../../testing/visitor.ts';
import { systemClock } from '../../platform/clock.ts';
import { sql } from '../../platform/db/sql.ts';
import { makeLog } from '../../platform/log.ts';
import { engineOptions } from './engine.ts';

// Every visitor has an address of their own, as behind a proxy.
const behind_proxy = { PARLEY_MANAGED: 'on', PARLEY_SANDBOX: 'on', PARLEY_TRUSTED_PROXIES: '127.0.0.1' };
const open = await startTestApp({ ...behind_proxy, PARLEY_SIGN_UP: 'open' });
const closed = await startTestApp(behind_proxy);
const address = () => `${randomUUID()}@example.com`;
const log = makeLog({ level: 'silent', show_personal_data: false });

test('the tables are those that the account engine wants', async () => {
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
  test('is made, signed in to, and left', async () => {
    const email = address();
    const ana = visitor(open.url);
    const made = await ana.send('/auth/sign-up', { name: 'Ana Sousa', email, password });
    assert.deepEqual([made.status, made.location], [303, '/auth/sign-up/code?next=%2Fauth']);
    const proven = await ana.send('/auth/sign-up/code', { code: await codeTo(open, email) });
    assert.deepEqual([proven.status, proven.location], [303, '/auth/sign-in?made=yes&next=%2Fauth']);
    const inside = await ana.send('/auth/sign-in', { email, password });
    assert.deepEqual([inside.status, inside.location], [303, '/auth']);
    assert.match((await ana.open('/auth')).text, /Hello, Ana Sousa/);
    const out = await ana.send('/auth/sign-out', {});
    assert.equal(out.location, '/auth/sign-in');
    assert.equal((await ana.open('/auth')).location, '/auth/sign-in?next=%2Fauth');
  });

  test('has its password hashed', async () => {
    const email = address();
    await signedUp(open, { email });
    const rows = await open.db.rows<{ row: string }>(
      sql`select to_json(a)::text as row from accounts.account a`,
    );
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(password)));
  });

  test('keeps its session in a cookie that scripts cannot read and other sites cannot send', async () => {
    const email = address();
    await signedUp(open, { email });
    const answer = await visitor(open.url).send('/auth/sign-in', { email, password });
    const [cookie] = answer.headers.getSetCookie();
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

  test('cannot be made without an invitation unless the server is open', async () => {
    const answer = await visitor(closed.url).send('/auth/sign-up', {
      name: 'Ana',
      email: address(),
      password,
    });
    assert.equal(answer.status, 404);
    assert.doesNotMatch((await visitor(closed.url).open('/auth/sign-in')).text, /sign-up/);
    const outsider = await visitor(closed.url).send('/auth/organizations/new', { organization: 'x' });
    assert.equal(outsider.status, 404);
  });

  test('needs a name, one address and a long password', async () => {
    const good = { name: 'Ana', email: address(), password };
    for (const bad of [
      { name: ' ' },
      { email: 'nobody' },
      { password: 'short' },
      { password: 'x'.repeat(129) },
    ]) {
      const answer = await visitor(open.url).send('/auth/sign-up', { ...good, ...bad });
      assert.equal(answer.status, 422, JSON.stringify(bad));
      assert.match(answer.text, /role="alert"/);
    }
  });
});

describe('no answer tells whether an account exists', () => {
  test('not when signing up: the answer is the same and the first password stays', async () => {
    const email = address();
    await signedUp(open, { email });
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

  test('not when signing in', async () => {
    const known = address();
    await signedUp(open, { email: known });
    const attempt = async (email: string) => {
      const answer = await visitor(open.url).send('/auth/sign-in', { email, password: 'a wrong password' });
      return [answer.status, answer.text.replaceAll(email, 'EMAIL')];
    };
    assert.deepEqual(await attempt(known), await attempt(address()));
    assert.deepEqual(await attempt(known), await attempt('nonsense'));
  });

  test('not through an invitation', async () => {
    const known = address();
    await signedUp(open, { email: known });
    const { client } = await managedOrganization(open);
    const invite = async (email: string) => {
      const made = await client.request<NewInvitation>('POST', '/v1/invitations', { email });
      const path = new URL(made.body.accept_url).pathname;
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
    const { client, organization } = await managedOrganization(closed);
    const made = await client.request<NewInvitation>('POST', '/v1/invitations', { email, role: 'admin' });
    return { organization, path: new URL(made.body.accept_url).pathname };
  };

  test('makes an account and a member, once', async () => {
    const email = address();
    const { path } = await invited(email);
    const bo = visitor(closed.url);
    assert.match((await bo.open(path)).text, /You are invited/);
    const made = await bo.send(path, { step: 'sign-up', name: 'Bo', password });
    assert.equal(new URL(made.location!, closed.url).searchParams.get('next'), path);
    const proven = await bo.send('/auth/sign-up/code', { code: await codeTo(closed, email), next: path });
    const back = new URL(proven.location!, closed.url).searchParams.get('next')!;
    assert.equal(back, path);
    assert.equal((await bo.send('/auth/sign-in', { email, password, next: back })).location, path);
    assert.equal((await bo.send(path, { step: 'accept' })).location, '/auth');
    assert.match((await bo.open('/auth')).text, /\(admin\)/);
    assert.equal((await bo.open(path)).status, 404);
  });

  test('works only for the address it was made for', async () => {
    const { path } = await invited(address());
    const eve_email = address();
    const other = await invited(eve_email);
    const eve = visitor(closed.url);
    await eve.send(other.path, { step: 'sign-up', name: 'Eve', password });
    await eve.send('/auth/sign-up/code', { code: await codeTo(closed, eve_email) });
    await eve.send('/auth/sign-in', { email: eve_email, password });
    const answer = await eve.send(path, { step: 'accept' });
    assert.deepEqual([answer.status, /another address/.test(answer.text)], [403, true]);
  });

  test('that is made up or too old is 404', async () => {
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
    const answer = await open.client.request<{ url: string }>(
      'POST',
      `/v1/admin/users/${user!.id}/password-links`,
    );
    assert.equal(answer.status, 201, answer.text);
    return new URL(answer.body.url).pathname;
  };

  test('is replaced through a link of the operator, once, and everybody else is signed out', async () => {
    const email = address();
    const before = await signedUp(open, { email });
    const path = await linkFor(email);
    const later = visitor(open.url);
    assert.equal((await later.open(path)).status, 200);
    assert.equal((await later.send(path, { password: 'short' })).status, 422);
    const kept = await later.send(path, { password: 'a new and better password' });
    assert.equal(kept.location, '/auth/sign-in?made=password');
    assert.equal((await before.open('/auth')).status, 303);
    assert.equal((await later.send('/auth/sign-in', { email, password })).status, 401);
    const inside = await later.send('/auth/sign-in', { email, password: 'a new and better password' });
    assert.equal(inside.status, 303);
    assert.equal((await later.send(path, { password: 'yet another password' })).status, 404);
  });

  test('has a link that only superadmins make and nobody finds in the database', async () => {
    const email = address();
    await signedUp(open, { email });
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

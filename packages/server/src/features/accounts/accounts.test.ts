// Accounts of people: signing up and in, invitations, and all that must not be possible.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NewInvitation } from '@parley/contract/members';
import { getMigrations } from 'better-auth/db/migration';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { startTestApp } from '../../../testing/app.ts';
import { addMember, managedOrganization } from '../../../testing/managed.ts';
import { fieldsOf, password, signedUp, visitor } from '../../../testing/visitor.ts';
import { sql } from '../../platform/db/sql.ts';
import { makeLog } from '../../platform/log.ts';
import { placeOf } from './attempts.ts';
import { engineOptions } from './engine.ts';
import { html } from './html.ts';
import { safeNext } from './web.ts';

// Every visitor has an address of their own, as behind a proxy.
const behind_proxy = { PARLEY_MANAGED: 'on', PARLEY_TRUSTED_PROXIES: '127.0.0.1' };
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
    assert.deepEqual([made.status, made.location], [303, '/auth/sign-in?made=yes&next=%2Fauth']);
    const inside = await ana.send('/auth/sign-in', { email, password });
    assert.deepEqual([inside.status, inside.location], [303, '/auth']);
    assert.match((await ana.open('/auth')).text, /Hello, Ana Sousa/);
    const out = await ana.send('/auth/sign-out', {});
    assert.equal(out.location, '/auth/sign-in');
    assert.equal((await ana.open('/auth')).location, '/auth/sign-in?next=%2Fauth');
  });

  test('has its password hashed', async () => {
    const email = address();
    await signedUp(open.url, { email });
    const rows = await open.db.rows<{ row: string }>(
      sql`select to_json(a)::text as row from accounts.account a`,
    );
    assert.ok(rows.length > 0 && rows.every(({ row }) => !row.includes(password)));
  });

  test('keeps its session in a cookie that scripts cannot read and other sites cannot send', async () => {
    const email = address();
    await signedUp(open.url, { email });
    const answer = await visitor(open.url).send('/auth/sign-in', { email, password });
    const [cookie] = answer.headers.getSetCookie();
    assert.match(cookie!, /HttpOnly/i);
    assert.match(cookie!, /SameSite=Lax/i);
    const secure = await startTestApp({
      PARLEY_MANAGED: 'on',
      PARLEY_SIGN_UP: 'open',
      PARLEY_BASE_URL: 'https://parley.example.com',
    });
    const own = { origin: 'https://parley.example.com' };
    const behind = visitor(secure.url);
    await behind.send('/auth/sign-up', { name: 'Bo', email, password }, own);
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
    const first = await visitor(open.url).send('/auth/sign-up', { name: 'Ana', email, password });
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
    await signedUp(open.url, { email: known });
    const attempt = async (email: string) => {
      const answer = await visitor(open.url).send('/auth/sign-in', { email, password: 'a wrong password' });
      return [answer.status, answer.text.replaceAll(email, 'EMAIL')];
    };
    assert.deepEqual(await attempt(known), await attempt(address()));
    assert.deepEqual(await attempt(known), await attempt('nonsense'));
  });

  test('not through an invitation', async () => {
    const known = address();
    await signedUp(open.url, { email: known });
    const { client } = await managedOrganization(open);
    const invite = async (email: string) => {
      const made = await client.request<NewInvitation>('POST', '/v1/invitations', { email });
      const path = new URL(made.body.accept_url).pathname;
      const browser = visitor(open.url);
      const page = await browser.open(path);
      const sent = await browser.send(path, { step: 'sign-up', name: 'Ana', password });
      return [page, sent].map(({ status, text, location }) =>
        JSON.stringify([status, text, location])
          .replaceAll(email, 'EMAIL')
          .replaceAll(path.split('/').at(-1)!, 'TOKEN'),
      );
    };
    assert.deepEqual(await invite(known), await invite(address()));
  });
});

describe('guessing a password', () => {
  // Counted like any other, and refused without the work of hashing, so that the tests outrun the refilling.
  const too_long = 'x'.repeat(200);

  test('is slowed down for accounts that exist and for those that do not, outside production too', async () => {
    assert.notEqual(process.env.NODE_ENV, 'production');
    const known = address();
    await signedUp(open.url, { email: known });
    const guesser = visitor(open.url);
    for (const email of [known, address()]) {
      const statuses = [];
      for (let i = 0; i < 8; i++) {
        statuses.push(
          (await guesser.send('/auth/sign-in', { email, password: i === 0 ? 'a wrong password' : too_long }))
            .status,
        );
      }
      assert.equal(statuses[0], 401);
      assert.equal(statuses.at(-1), 429, statuses.join());
    }
    const slowed = await guesser.send('/auth/sign-in', { email: known, password });
    assert.equal(slowed.status, 429, 'the right password waits as well');
    assert.match(slowed.headers.get('retry-after')!, /^\d+$/);
    assert.match(slowed.text, /wait \d+ seconds/);
  });

  test('does not get round it with a header', async () => {
    const direct = await startTestApp({ PARLEY_MANAGED: 'on' });
    const email = address();
    const statuses = [];
    for (let i = 0; i < 8; i++) {
      const forged = { 'x-forwarded-for': `203.0.113.${i}`, 'x-parley-client-ip': `203.0.113.${i}` };
      statuses.push(
        (await visitor(direct.url).send('/auth/sign-in', { email, password: too_long }, forged)).status,
      );
    }
    assert.equal(statuses.at(-1), 429, statuses.join());
  });

  test('from many places is slowed down too', async () => {
    const email = address();
    const statuses = [];
    for (let i = 0; i < 24; i++) {
      statuses.push((await visitor(open.url).send('/auth/sign-in', { email, password: too_long })).status);
    }
    assert.equal(statuses[10], 401);
    assert.equal(statuses.at(-1), 429, statuses.join());
  });

  test('counts a whole IPv6 network as one place', () => {
    assert.equal(placeOf('2001:db8:1:2:aaaa::1'), placeOf('2001:0db8:1:2:ffff:1:2:3'));
    assert.notEqual(placeOf('2001:db8:1:2::1'), placeOf('2001:db8:1:3::1'));
    assert.equal(placeOf('::1'), '0:0:0:0');
    assert.equal(placeOf('198.51.100.7'), '198.51.100.7');
    assert.equal(placeOf('::ffff:198.51.100.7'), '::ffff:198.51.100.7');
  });
});

describe('a page', () => {
  test('brings no script, asks nobody else and cannot be framed', async () => {
    const ana = await signedUp(open.url, { email: address(), organization: 'Sousa' });
    for (const path of [
      '/auth/sign-in',
      '/auth/sign-up',
      '/auth',
      '/auth/device',
      '/auth/organizations/new',
      '/auth/error',
    ]) {
      const page = await ana.open(path);
      const policy = page.headers.get('content-security-policy')!;
      assert.match(
        policy,
        /^default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      assert.equal(page.headers.get('x-frame-options'), 'DENY');
      assert.equal(page.headers.get('cache-control'), 'no-store');
      assert.doesNotMatch(page.text, /<script|<style|style=|\son\w+=|https?:\/\//i, path);
    }
  });

  test('shows what people wrote as text', () => {
    const hostile = '<script>alert(1)</script>" autofocus onfocus="x';
    const shown = html`<p title="${hostile}">${hostile}</p>`.text;
    assert.ok(!shown.includes('<script>'));
    assert.ok(!shown.includes('" autofocus'));
  });

  test('sends nobody elsewhere after signing in', () => {
    for (const bad of [
      'https://evil.example',
      '//evil.example',
      '/auth//evil.example/..\\x',
      '/\\evil.example',
      '/authx',
      '/auth/../v1/whoami',
      '/auth\n//evil.example',
      'javascript:alert(1)',
      '',
    ]) {
      const next = safeNext(bad, open.url);
      assert.ok(next === '/auth' || new URL(next, open.url).origin === open.url, `${bad}: ${next}`);
      assert.match(next, /^\/auth(\/|$|\?)/, bad);
    }
    assert.equal(safeNext('/auth/device?user_code=A', open.url), '/auth/device?user_code=A');
  });

  test('takes no form from another site', async () => {
    const email = address();
    const ana = await signedUp(open.url, { email });
    for (const origin of ['https://evil.example', 'null', `${open.url}.evil.example`]) {
      const answer = await ana.send('/auth/organizations/new', { organization: 'x' }, { origin });
      assert.equal(answer.status, 403, origin);
    }
    const without = await fetch(`${open.url}/auth/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email, password }),
    });
    assert.equal(without.status, 403);
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
    const back = new URL(made.location!, closed.url).searchParams.get('next')!;
    assert.equal(back, path);
    assert.equal((await bo.send('/auth/sign-in', { email, password, next: back })).location, path);
    assert.equal((await bo.send(path, { step: 'accept' })).location, '/auth');
    assert.match((await bo.open('/auth')).text, /\(admin\)/);
    assert.equal((await bo.open(path)).status, 404);
  });

  test('gives a person whom an operator made their first password, and nobody a second one', async () => {
    const email = address();
    const { organization } = await managedOrganization(closed);
    await addMember(closed, organization.id, { role: 'member', email });
    const { path } = await invited(email);
    const bo = visitor(closed.url);
    await bo.send(path, { step: 'sign-up', name: 'Bo', password });
    assert.equal((await bo.send('/auth/sign-in', { email, password })).status, 303);
    await visitor(closed.url).send(path, { step: 'sign-up', name: 'Eve', password: 'a password of eve' });
    const eve = await visitor(closed.url).send('/auth/sign-in', { email, password: 'a password of eve' });
    assert.equal(eve.status, 401);
  });

  test('works only for the address it was made for', async () => {
    const { path } = await invited(address());
    const eve_email = address();
    const other = await invited(eve_email);
    const eve = visitor(closed.url);
    await eve.send(other.path, { step: 'sign-up', name: 'Eve', password });
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

describe('of the account engine', () => {
  test('nothing can be reached but what is listed', async () => {
    const ana = await signedUp(open.url, { email: address() });
    for (const path of [
      '/auth/sign-up/email',
      '/auth/sign-in/email',
      '/auth/get-session',
      '/auth/list-sessions',
      '/auth/update-user',
      '/auth/delete-user',
      '/auth/token',
      '/auth/device/approve',
      '/auth/oauth2/consent',
      '/auth/oauth2/create-client',
      '/auth/admin/oauth2/create-client',
      '/auth/admin/oauth2/resources',
      '/auth/ok',
      '/auth/reference',
    ]) {
      assert.equal((await ana.open(path)).status, 404, path);
      assert.equal((await ana.send(path, {})).status, 404, path);
    }
  });

  test('a session token opens nothing by itself: neither the API nor, unsigned, the pages', async () => {
    await signedUp(open.url, { email: address() });
    const rows = await open.db.rows<{ token: string }>(sql`select token from accounts.session`);
    const { token } = rows.at(-1)!;
    assert.equal((await open.holder(token).request('GET', '/v1/whoami')).status, 401);
    const thief = visitor(open.url);
    thief.cookies.set('parley.session_token', token);
    assert.equal((await thief.open('/auth')).location, '/auth/sign-in?next=%2Fauth');
  });

  test('nothing is loaded and nothing served while managed mode is off', async () => {
    const alone = await startTestApp();
    for (const path of [
      '/auth',
      '/auth/sign-in',
      '/auth/jwks',
      '/.well-known/oauth-authorization-server/auth',
    ]) {
      assert.equal((await visitor(alone.url).open(path)).status, 404, path);
    }
  });
});

test('hidden fields of a form are read back as they were written', () => {
  assert.deepEqual(fieldsOf('<input type="hidden" name="a" value="1&amp;2">'), { a: '1&2' });
});

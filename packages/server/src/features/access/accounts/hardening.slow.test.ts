// Attacks on accounts that must fail: guessing, framing, forged requests, and hidden routes of better-auth.
import assert from 'node:assert/strict';
import { randomUUID, scryptSync } from 'node:crypto';
import { describe, test } from 'node:test';
import type { AuditEntry } from '@parley/contract/access/admin';
import { startTestApp } from '../../../../testing/app.ts';
import { fieldsOf, mailTo, password, signUp, visitor } from '../../../../testing/visitor.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { networkOf } from '../../../platform/http/client-network.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { makeLog } from '../../../platform/log.ts';
import { accountEngine } from './engine.ts';
import { html } from './pages/html.ts';
import { safeNext } from './pages/web.ts';

// Every visitor has a different client address, as behind a proxy.
const open = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_SIGN_UP: 'open',
});
const address = () => `${randomUUID()}@example.com`;

describe('guessing a password', () => {
  // Counted like any other password, but refused without hashing, so that the tests are faster than the refill of the limit.
  const too_long = 'x'.repeat(200);

  test('is rate limited for accounts that exist and for those that do not, also outside of production', async () => {
    assert.notEqual(process.env.NODE_ENV, 'production');
    const known = address();
    await signUp(open, { email: known });
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
    assert.equal(slowed.status, 429, 'the right password has to wait too');
    assert.match(slowed.headers.get('retry-after')!, /^\d+$/);
    assert.match(slowed.text, /wait \d+ seconds/);
  });

  test('cannot bypass the limit with a header', async () => {
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

  test('from many networks is rate limited too', async () => {
    const email = address();
    const statuses = [];
    for (let i = 0; i < 24; i++) {
      statuses.push((await visitor(open.url).send('/auth/sign-in', { email, password: too_long })).status);
    }
    assert.equal(statuses[10], 401);
    assert.equal(statuses.at(-1), 429, statuses.join());
  });

  test('from many networks does not lock out a network that signed in before (I13)', async () => {
    const email = address();
    const ana = await signUp(open, { email });
    await ana.send('/auth/sign-out', {});
    const guess = async () =>
      (await visitor(open.url).send('/auth/sign-in', { email, password: too_long })).status;
    const guesses = [];
    for (let i = 0; i < 24; i++) guesses.push(await guess());
    assert.equal(guesses.at(-1), 429, guesses.join());
    const owner = await ana.send('/auth/sign-in', { email, password });
    assert.equal(owner.status, 303, 'the owner, from her known network');
    assert.equal((await visitor(open.url).send('/auth/sign-in', { email, password })).status, 429);
  });

  test('does not lock out the owner who verifies the address by mail (I13)', async () => {
    const email = address();
    await signUp(open, { email });
    for (let i = 0; i < 24; i++) await visitor(open.url).send('/auth/sign-in', { email, password: too_long });
    const owner = visitor(open.url);
    await owner.send('/auth/passwords/forgot', { email });
    const { text } = await mailTo(open, email, ({ subject }) => /new password/.test(subject));
    const path = new URL(/http\S+\/auth\/passwords\/[\w-]{20,}/.exec(text)![0]).pathname;
    await owner.send(path, { password: 'another long password' });
    const inside = await owner.send('/auth/sign-in', { email, password: 'another long password' });
    assert.equal(inside.status, 303);
  });

  test('is in the audit log, without the entered text and with a limited number of entries (I13)', async () => {
    const email = address();
    await signUp(open, { email });
    const [user] = await open.db.rows<{ id: string }>(
      sql`select id from accounts.users where email = ${email}`,
    );
    const failures = async () =>
      (
        await open.client.request<{ items: AuditEntry[] }>(
          'GET',
          '/v1/admin/audit-log?action=user.sign_in_failed&limit=100',
        )
      ).body.items;
    const eve = visitor(open.url);
    await eve.send('/auth/sign-in', { email, password: 'a wrong password of eve' });
    const [entry] = (await failures()).filter(({ object_id }) => object_id === user!.id);
    assert.ok(entry, 'the failure is logged');
    assert.match(entry.ip!, /^198\.18\./);
    assert.equal(entry.user_id, null);
    await visitor(open.url).send('/auth/sign-in', { email: 'my secret password', password: too_long });
    const [unknown] = (await failures()).filter(({ object_id }) => object_id === null);
    assert.ok(unknown);
    const logged = JSON.stringify(await failures());
    assert.ok(!logged.includes('secret password') && !logged.includes('wrong password'));

    for (let i = 0; i < 30; i++) await visitor(open.url).send('/auth/sign-in', { email, password: too_long });
    for (let i = 0; i < 40; i++)
      await visitor(open.url).send('/auth/sign-in', { email: address(), password: too_long });
    const all = await failures();
    assert.ok(all.filter(({ object_id }) => object_id === user!.id).length <= 10);
    assert.ok(all.filter(({ object_id }) => object_id === null).length <= 20);
    await open.db.run(sql`
      update audit_entries set created_at = now() - interval '91 days' where action = 'user.sign_in_failed'`);
    await open.db.run(sql`update jobs set run_at = now() where kind = 'forget_failed_sign_ins'`);
    await open.app.jobs.drain();
    assert.deepEqual(await failures(), []);
  });

  test('counts a whole IPv6 network as one client', () => {
    assert.equal(networkOf('2001:db8:1:2:aaaa::1'), networkOf('2001:0db8:1:2:ffff:1:2:3'));
    assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'));
    assert.equal(networkOf('::1'), '0:0:0:0');
    assert.equal(networkOf('198.51.100.7'), '198.51.100.7');
    assert.equal(networkOf('::ffff:198.51.100.7'), '::ffff:198.51.100.7');
  });
});

describe('a page', () => {
  test('has no scripts, loads nothing from other sites and cannot be framed', async () => {
    const ana = await signUp(open, { email: address(), organization: 'Sousa' });
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
        /^default-src 'none'; style-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      assert.equal(page.headers.get('x-frame-options'), 'DENY');
      assert.equal(page.headers.get('cache-control'), 'no-store');
      assert.doesNotMatch(page.text, /<script|<style|style=|\son\w+=|https?:\/\//i, path);
    }
  });

  test('shows user input as text', () => {
    const hostile = '<script>alert(1)</script>" autofocus onfocus="x';
    const shown = html`<p title="${hostile}">${hostile}</p>`.text;
    assert.ok(!shown.includes('<script>'));
    assert.ok(!shown.includes('" autofocus'));
  });

  test('never redirects to another site after sign-in', () => {
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

  test('accepts no form from another site', async () => {
    const email = address();
    const ana = await signUp(open, { email });
    for (const origin of ['https://evil.example', 'null', `${open.url}.evil.example`]) {
      const response = await ana.send('/auth/organizations/new', { organization: 'x' }, { origin });
      assert.equal(response.status, 403, origin);
    }
    const without = await fetch(`${open.url}/auth/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ email, password }),
    });
    assert.equal(without.status, 403);
  });
});

describe('the account engine', () => {
  test('serves only the listed routes', async () => {
    const ana = await signUp(open, { email: address() });
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

  test('does not accept a session token alone: not for the API and, without its signature, not for the pages', async () => {
    await signUp(open, { email: address() });
    const rows = await open.db.rows<{ token: string }>(sql`select token from accounts.session`);
    const { token } = rows.at(-1)!;
    assert.equal((await open.holder(token).request('GET', '/v1/whoami')).status, 401);
    const thief = visitor(open.url);
    thief.cookies.set('parley.session_token', token);
    assert.equal((await thief.open('/auth')).location, '/auth/sign-in?next=%2Fauth');
  });

  test('is not loaded and serves nothing while managed mode is off', async () => {
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

// The other tests hash at the lowest cost, see testing/cheap-passwords.ts.
test('a password is hashed with scrypt at N = 16384, r = 16, and with a different salt each time', async () => {
  const wall_clock = systemClock();
  const engine = accountEngine({
    db: open.db,
    wall_clock,
    ids: uuidv7Ids(wall_clock),
    log: makeLog({ level: 'silent', show_personal_data: false }),
    secret: 'a-secret-that-only-tests-know-0123456789',
    base_url: open.url,
    issuer: open.url,
    resources: [],
    onlyOrganizationOf: async () => null,
  });
  const hashes = [await engine.hashPassword(password), await engine.hashPassword(password)];
  assert.notEqual(hashes[0], hashes[1]);
  for (const [salt, key] of hashes.map((hash) => hash.split(':')))
    assert.equal(
      scryptSync(password, salt!, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 }).toString('hex'),
      key,
    );
});

test('the test browser reads hidden fields back as they were written', () => {
  assert.deepEqual(fieldsOf('<input type="hidden" name="a" value="1&amp;2">'), { a: '1&2' });
});

// Email addresses of accounts: verified by mail before the first sign-in, and of no use to a person who does not own them (I2).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Member } from '@parley/contract/access/members';
import { nil_uuid } from '@parley/contract/limits';
import { startTestApp } from '../../../../../testing/app.ts';
import { openTestDatabase } from '../../../../../testing/database.ts';
import { addMember, managedOrganization } from '../../../../../testing/managed.ts';
import { codeTo, mailTo, password, signUp, visitor } from '../../../../../testing/visitor.ts';
import { migrations_folder } from '../../../../app/migrations-folder.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { migrate, readMigrations } from '../../../../platform/db/migrate.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { makeLog } from '../../../../platform/log.ts';

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
});
const address = () => `${randomUUID()}@example.com`;
const other_password = 'a password of the owner';

const signIn = async (email: string, tried: string) => {
  const browser = visitor(app.url);
  const { status } = await browser.send('/auth/sign-in', { email, password: tried });
  return { browser, status };
};
const startSignUp = async (email: string, chosen = password) => {
  const browser = visitor(app.url);
  const response = await browser.send('/auth/sign-up', { name: 'Ana Sousa', email, password: chosen });
  assert.equal(response.status, 303, response.text);
  return browser;
};
const userOf = (db: Database, email: string) =>
  db.maybe<{ id: string; email_verified: boolean }>(
    sql`select id, email_verified from accounts.users where email = ${email}`,
  );
/** An account as older versions created it: a password, a session and an address that was not verified. */
const legacyAccount = async (email: string): Promise<string> => {
  const source = address();
  await signUp(app, { email: source });
  const { id } = (await userOf(app.db, source))!;
  await app.db.run(sql`update accounts.users set email = ${email}, email_verified = false where id = ${id}`);
  return id;
};

describe('a sign-up (I2)', () => {
  test('creates no account before the code from the mail is entered', async () => {
    const email = address();
    const ana = await startSignUp(email);
    const code = await codeTo(app, email);
    assert.equal((await signIn(email, password)).status, 401);
    assert.equal(await userOf(app.db, email), null);
    assert.equal((await ana.send('/auth/sign-up/code', { code })).status, 303);
    assert.equal((await signIn(email, password)).status, 303);
  });

  test('sends a mail without any text from the person who signs up', async () => {
    const email = address();
    await visitor(app.url).send('/auth/sign-up', { name: 'Click http://evil.test', email, password });
    const mail = await mailTo(app, email);
    assert.equal(mail.from, 'Parley <no-reply@mail.localhost>');
    assert.doesNotMatch(mail.text + mail.subject, /evil/);
  });

  test('accepts its code once, with five attempts at most, and for a limited time', async () => {
    const email = address();
    const ana = await startSignUp(email);
    const code = await codeTo(app, email);
    await ana.send('/auth/sign-up/code', { code });
    const cookies = [...ana.cookies.keys()];
    assert.deepEqual(cookies, [], 'the browser has deleted the cookie');

    const guessed = address();
    const eve = await startSignUp(guessed);
    const right = await codeTo(app, guessed);
    const statuses = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await eve.send('/auth/sign-up/code', { code: '0000 000x' })).status);
    assert.deepEqual(statuses, [422, 422, 422, 422, 422]);
    assert.equal((await eve.send('/auth/sign-up/code', { code: right })).status, 404);

    const old = address();
    const bo = await startSignUp(old);
    const late = await codeTo(app, old);
    await app.db.run(sql`update sign_ups set expires_at = now() - interval '1 second' where email = ${old}`);
    assert.equal((await bo.send('/auth/sign-up/code', { code: late })).status, 404);
  });

  test('accepts its code only in the browser that requested it', async () => {
    const email = address();
    await startSignUp(email);
    const code = await codeTo(app, email);
    assert.equal((await visitor(app.url).send('/auth/sign-up/code', { code })).status, 404);
    const elsewhere = await startSignUp(address());
    assert.equal((await elsewhere.send('/auth/sign-up/code', { code })).status, 422);
    assert.equal(await userOf(app.db, email), null);
  });

  test('stores neither the code nor the secret in the database', async () => {
    const email = address();
    const ana = await startSignUp(email);
    const code = await codeTo(app, email);
    const [secret] = ana.cookies.values();
    const rows = await app.db.rows<{ row: string }>(sql`
      select to_json(s)::text as row from sign_ups s union all
      select to_json(m)::text from system_mails m union all select to_json(j)::text from jobs j`);
    for (const { row } of rows) {
      assert.ok(!row.includes(secret!) && !row.includes(code) && !row.includes(code.replace(' ', '')));
    }
    const [mail] = await app.db.rows<{ message_sealed: string | null; sent: boolean }>(sql`
      select m.message_sealed, m.sent_at is not null as sent from system_mails m
        join sign_ups s on s.id::text = m.reference where s.email = ${email}`);
    assert.deepEqual(mail, { message_sealed: null, sent: true });
  });

  test('with an existing address gets the same response, and its owner gets a mail without a code', async () => {
    const email = address();
    await signUp(app, { email });
    const eve = await startSignUp(email.toUpperCase(), other_password);
    const notice = await mailTo(app, email, ({ subject }) => /You already have an account/.test(subject));
    assert.doesNotMatch(notice.text, /\d{4} \d{4}/);
    assert.equal((await eve.send('/auth/sign-up/code', { code: '1234 5678' })).status, 422);
    assert.equal((await signIn(email, password)).status, 303);
    assert.equal((await signIn(email, other_password)).status, 401);
  });

  test('cannot be used to flood a mailbox', async () => {
    const email = address();
    const eve = visitor(app.url);
    const statuses = [];
    for (let i = 0; i < 7; i++)
      statuses.push((await eve.send('/auth/sign-up', { name: 'Eve', email, password })).status);
    assert.deepEqual(statuses, [303, 303, 303, 303, 303, 429, 429]);
    const many = [];
    for (let i = 0; i < 7; i++)
      many.push((await visitor(app.url).send('/auth/sign-up', { name: 'Eve', email, password })).status);
    assert.ok(many.includes(303) && many.at(-1) === 429, many.join());
  });
});

describe('a person who signs up with the address of another person (I2)', () => {
  test('does not get the organization when an operator makes that address its owner', async () => {
    const cfo = address();
    const squatter = await startSignUp(cfo);
    const squatters_code = await codeTo(app, cfo);
    const { organization } = await managedOrganization(app);
    await addMember(app, organization.id, { role: 'owner', email: cfo });
    assert.equal((await signIn(cfo, password)).status, 401);
    assert.equal((await squatter.open('/auth')).status, 303);

    const owner = visitor(app.url);
    await owner.send('/auth/sign-up', { name: 'The real one', email: cfo, password: other_password });
    const { text } = await mailTo(app, cfo, (mail) => !mail.text.includes(squatters_code));
    const code = /\d{4} \d{4}/.exec(text)![0];
    assert.equal((await owner.send('/auth/sign-up/code', { code })).status, 303);
    assert.equal((await squatter.send('/auth/sign-up/code', { code: squatters_code })).status, 404);
    const { browser } = await signIn(cfo, other_password);
    assert.match((await browser.open('/auth')).text, /\(owner\)/);
    assert.equal((await signIn(cfo, password)).status, 401, 'the password of the squatter never works');
  });

  test('loses an account of an older version without verification, with its session and its id', async () => {
    const cfo = address();
    const source = address();
    const squatter = await signUp(app, { email: source });
    const before = (await userOf(app.db, source))!;
    await app.db.run(
      sql`update accounts.users set email = ${cfo}, email_verified = false where id = ${before.id}`,
    );
    assert.equal((await squatter.open('/auth')).status, 303, 'an unverified address has no session');
    assert.equal((await signIn(cfo, password)).status, 401);

    const { organization } = await managedOrganization(app);
    const member = await addMember(app, organization.id, { role: 'owner', email: cfo });
    assert.notEqual(member.user_id, before.id, 'tokens for the old id are useless');
    const left = await app.db.rows(sql`
      select id from accounts.users where id = ${before.id} union all
      select id from accounts.session where "userId" = ${before.id} union all
      select id from accounts.account where "userId" = ${before.id}`);
    assert.deepEqual(left, []);
    assert.equal((await signIn(cfo, password)).status, 401);
  });

  test('loses it also when the owner signs up, and only the password of the owner works', async () => {
    const email = address();
    const old_id = await legacyAccount(email);
    const owner = await startSignUp(email, other_password);
    assert.equal((await owner.send('/auth/sign-up/code', { code: await codeTo(app, email) })).status, 303);
    assert.notEqual((await userOf(app.db, email))!.id, old_id);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
  });

  test('has a sign-up that ends when the owner verifies the address', async () => {
    const email = address();
    const squatter = await startSignUp(email);
    const squatters_code = await codeTo(app, email);
    const owner = await startSignUp(email, other_password);
    const owners_code = (await mailTo(app, email, ({ text }) => !text.includes(squatters_code))).text;
    await owner.send('/auth/sign-up/code', { code: /\d{4} \d{4}/.exec(owners_code)![0] });
    assert.equal((await squatter.send('/auth/sign-up/code', { code: squatters_code })).status, 404);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
  });

  test('cannot become a superadmin', async () => {
    const id = await legacyAccount(address());
    const response = await app.client.request('PATCH', `/v1/admin/users/${id}`, { superadmin: true });
    assert.deepEqual([response.status, response.body.code], [403, 'address_not_verified']);
    const [row] = await app.db.rows<{ superadmin: boolean }>(
      sql`select superadmin from accounts.users where id = ${id}`,
    );
    assert.equal(row!.superadmin, false);
  });
});

describe('a user of the external issuer (I2)', () => {
  test('has a separate account, which a password for the same address does not open', async () => {
    const email = address();
    await signUp(app, { email });
    const { organization } = await managedOrganization(app);
    const member = await addMember(app, organization.id, {
      role: 'owner',
      email,
      external_subject: randomUUID(),
    });
    assert.equal(member.email, email);
    assert.notEqual(member.user_id, (await userOf(app.db, email))!.id);
    const { browser } = await signIn(email, password);
    assert.match((await browser.open('/auth')).text, /You are not in an organization yet/);
    const link = await app.client.request('POST', `/v1/admin/users/${member.user_id}/password-links`);
    assert.deepEqual([link.status, link.body.code], [409, 'signs_in_elsewhere']);
  });

  test('is the same user in a second organization, and cannot be added twice to one', async () => {
    const person = { role: 'member', email: address(), external_subject: randomUUID() } as const;
    const first = await managedOrganization(app);
    const second = await managedOrganization(app);
    const here = await addMember(app, first.organization.id, person);
    const there = await addMember(app, second.organization.id, person);
    assert.equal(here.user_id, there.user_id);
    const again = await app.client.request(
      'POST',
      `/v1/admin/organizations/${first.organization.id}/members`,
      { ...person, name: 'Again' },
    );
    assert.deepEqual([again.status, again.body.code], [409, 'member_exists']);
    const listed = await first.client.request<{ items: Member[] }>('GET', '/v1/members');
    assert.equal(listed.body.items.find(({ id }) => id === here.id)?.email, person.email);
  });
});

describe('a forgotten password (I2)', () => {
  const requestLink = (email: string) => visitor(app.url).send('/auth/passwords/forgot', { email });
  const linkTo = async (email: string) => {
    const { text } = await mailTo(app, email, ({ subject }) => /new password/.test(subject));
    return new URL(/http\S+\/auth\/passwords\/[\w-]{20,}/.exec(text)![0]).pathname;
  };

  test('is replaced through a mailed link, once, and every session ends', async () => {
    const email = address();
    const before = await signUp(app, { email });
    assert.equal((await requestLink(email)).status, 200);
    const path = await linkTo(email);
    const later = visitor(app.url);
    const changed = await later.send(path, { password: other_password });
    assert.equal(changed.location, '/auth/sign-in?notice=password-changed');
    assert.equal((await before.open('/auth')).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await later.send(path, { password: 'yet another password' })).status, 404);
  });

  test('can be set by a user whom an operator added without a password', async () => {
    const email = address();
    const { organization } = await managedOrganization(app);
    await addMember(app, organization.id, { role: 'admin', email });
    await requestLink(email);
    await visitor(app.url).send(await linkTo(email), { password: other_password });
    const { browser } = await signIn(email, other_password);
    assert.match((await browser.open('/auth')).text, /\(admin\)/);
  });

  test('gets the same response for an address without an account, and no mail is sent to it', async () => {
    const known = address();
    await signUp(app, { email: known });
    const unknown = address();
    const unverified = address();
    await legacyAccount(unverified);
    const responses = [await requestLink(known), await requestLink(unknown), await requestLink(unverified)];
    assert.deepEqual(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size, 1);
    await linkTo(known);
    await app.app.jobs.drain();
    const outbox = await app.client.request('GET', '/v1/sandbox/outbox?channel=email&limit=100');
    assert.ok(!outbox.text.includes(unknown) && !outbox.text.includes(unverified));
  });

  test('cannot be used to flood a mailbox', async () => {
    const email = address();
    const eve = visitor(app.url);
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await eve.send('/auth/passwords/forgot', { email })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });

  test('has a page that other sites cannot frame and cannot send forms to', async () => {
    const page = await visitor(app.url).open('/auth/passwords/forgot');
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
    const other_site = await visitor(app.url).send(
      '/auth/passwords/forgot',
      { email: address() },
      { origin: 'https://evil.test' },
    );
    assert.equal(other_site.status, 403);
  });
});

test('a server without a mail transport logs a warning at the start and shows it where mail is needed (I2)', async () => {
  const lines: string[] = [];
  const log = makeLog({
    level: 'warn',
    show_personal_data: false,
    destination: { write: (line: string) => void lines.push(line) },
  });
  const silent = await startTestApp(
    { PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open', PARLEY_SANDBOX: 'off' },
    { log },
  );
  assert.ok(lines.some((line) => line.includes('managed mode without a mail transport')));
  const form = { name: 'Ana', email: address(), password };
  const page = await visitor(silent.url).send('/auth/sign-up', form);
  assert.deepEqual([page.status, /cannot send mail/.test(page.text)], [503, true]);
  const program = await visitor(silent.url).send('/auth/sign-up', form, { accept: 'application/json' });
  const problem = JSON.parse(program.text) as { code: string; fix: string };
  assert.equal(problem.code, 'system_mail_not_configured');
  assert.match(problem.fix, /PARLEY_SMTP_URL/);
});

test('an upgrade marks accounts with a membership as verified, and ends the sessions of the others (I2)', async (t) => {
  const { db, close } = await openTestDatabase('empty');
  t.after(close);
  const all = await readMigrations(migrations_folder);
  await migrate(
    db,
    all.filter(({ name }) => name < '0020'),
  );
  const [member, loner, superadmin] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [member, loner, superadmin]) {
    await db.run(sql`
      insert into accounts.users (id, name, email, email_verified, superadmin)
      values (${id}, 'Ana', ${`${id}@example.com`}, false, ${id === superadmin})`);
    await db.run(sql`
      insert into accounts.session ("expiresAt", token, "updatedAt", "userId")
      values (now() + interval '1 day', ${id}, now(), ${id})`);
  }
  await db.run(sql`
    insert into members (id, organization_id, user_id, role, created_at)
    values (${randomUUID()}, ${nil_uuid}, ${member}, 'owner', now())`);
  await migrate(db, all);
  const users = await db.rows<{ id: string; email_verified: boolean; sessions: number }>(sql`
    select id, email_verified, (select count(*)::int from accounts.session s where s."userId" = u.id) as sessions
      from accounts.users u`);
  const of = (id: string) => users.find((user) => user.id === id);
  assert.deepEqual(of(member), { id: member, email_verified: true, sessions: 1 });
  assert.deepEqual(of(superadmin), { id: superadmin, email_verified: true, sessions: 1 });
  assert.deepEqual(of(loner), { id: loner, email_verified: false, sessions: 0 });
});

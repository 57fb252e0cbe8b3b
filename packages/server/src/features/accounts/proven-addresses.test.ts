// Addresses of accounts: proven by mail before anybody is let in, and worth nothing to whoever only claims them (I2).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { nil_uuid } from '@parley/contract/limits';
import type { Member } from '@parley/contract/members';
import { startTestApp } from '../../../testing/app.ts';
import { openTestDatabase } from '../../../testing/database.ts';
import { addMember, managedOrganization } from '../../../testing/managed.ts';
import { codeTo, mailTo, password, signedUp, visitor } from '../../../testing/visitor.ts';
import { migrations_folder } from '../../app/app.ts';
import type { Database } from '../../platform/db/database.ts';
import { migrate, readMigrations } from '../../platform/db/migrate.ts';
import { sql } from '../../platform/db/sql.ts';
import { makeLog } from '../../platform/log.ts';

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
const begin = async (email: string, chosen = password) => {
  const browser = visitor(app.url);
  const answer = await browser.send('/auth/sign-up', { name: 'Ana Sousa', email, password: chosen });
  assert.equal(answer.status, 303, answer.text);
  return browser;
};
const userOf = (db: Database, email: string) =>
  db.maybe<{ id: string; email_verified: boolean }>(
    sql`select id, email_verified from accounts.users where email = ${email}`,
  );
/** An account as servers before this made them: a password, a session and no proof. */
const legacyAccount = async (email: string): Promise<string> => {
  const source = address();
  await signedUp(app, { email: source });
  const { id } = (await userOf(app.db, source))!;
  await app.db.run(sql`update accounts.users set email = ${email}, email_verified = false where id = ${id}`);
  return id;
};

describe('a sign-up (I2)', () => {
  test('makes no account before the code from the mail is typed', async () => {
    const email = address();
    const ana = await begin(email);
    const code = await codeTo(app, email);
    assert.equal((await signIn(email, password)).status, 401);
    assert.equal(await userOf(app.db, email), null);
    assert.equal((await ana.send('/auth/sign-up/code', { code })).status, 303);
    assert.equal((await signIn(email, password)).status, 303);
  });

  test('is mailed by the service, which says nothing that a stranger wrote', async () => {
    const email = address();
    await visitor(app.url).send('/auth/sign-up', { name: 'Click http://evil.test', email, password });
    const mail = await mailTo(app, email);
    assert.equal(mail.from, 'Parley <no-reply@mail.localhost>');
    assert.doesNotMatch(mail.text + mail.subject, /evil/);
  });

  test('takes its code once, five times at most, and only for a while', async () => {
    const email = address();
    const ana = await begin(email);
    const code = await codeTo(app, email);
    await ana.send('/auth/sign-up/code', { code });
    const cookies = [...ana.cookies.keys()];
    assert.deepEqual(cookies, [], 'the browser forgets it');

    const guessed = address();
    const eve = await begin(guessed);
    const right = await codeTo(app, guessed);
    const statuses = [];
    for (let i = 0; i < 5; i++)
      statuses.push((await eve.send('/auth/sign-up/code', { code: '0000 000x' })).status);
    assert.deepEqual(statuses, [422, 422, 422, 422, 422]);
    assert.equal((await eve.send('/auth/sign-up/code', { code: right })).status, 404);

    const old = address();
    const bo = await begin(old);
    const late = await codeTo(app, old);
    await app.db.run(sql`update sign_ups set expires_at = now() - interval '1 second' where email = ${old}`);
    assert.equal((await bo.send('/auth/sign-up/code', { code: late })).status, 404);
  });

  test('takes its code only in the browser that asked for it', async () => {
    const email = address();
    await begin(email);
    const code = await codeTo(app, email);
    assert.equal((await visitor(app.url).send('/auth/sign-up/code', { code })).status, 404);
    const elsewhere = await begin(address());
    assert.equal((await elsewhere.send('/auth/sign-up/code', { code })).status, 422);
    assert.equal(await userOf(app.db, email), null);
  });

  test('keeps neither code nor secret in the database', async () => {
    const email = address();
    const ana = await begin(email);
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

  test('with a known address gives the same answer and mails its owner a notice without a code', async () => {
    const email = address();
    await signedUp(app, { email });
    const eve = await begin(email.toUpperCase(), other_password);
    const notice = await mailTo(app, email, ({ subject }) => /You have an account/.test(subject));
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

describe('somebody who claims an address that is not theirs (I2)', () => {
  test('does not get the organization whose owner an operator names by it', async () => {
    const cfo = address();
    const squatter = await begin(cfo);
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
    assert.equal((await signIn(cfo, password)).status, 401, 'the password of the squatter never counts');
  });

  test('loses an account that was made before addresses were proven, with its session and its id', async () => {
    const cfo = address();
    const source = address();
    const squatter = await signedUp(app, { email: source });
    const before = (await userOf(app.db, source))!;
    await app.db.run(
      sql`update accounts.users set email = ${cfo}, email_verified = false where id = ${before.id}`,
    );
    assert.equal((await squatter.open('/auth')).status, 303, 'an unproven address has no session');
    assert.equal((await signIn(cfo, password)).status, 401);

    const { organization } = await managedOrganization(app);
    const member = await addMember(app, organization.id, { role: 'owner', email: cfo });
    assert.notEqual(member.user_id, before.id, 'tokens that were issued to the old id lead nowhere');
    const left = await app.db.rows(sql`
      select id from accounts.users where id = ${before.id} union all
      select id from accounts.session where "userId" = ${before.id} union all
      select id from accounts.account where "userId" = ${before.id}`);
    assert.deepEqual(left, []);
    assert.equal((await signIn(cfo, password)).status, 401);
  });

  test('loses it also to the owner who signs up, whose password then counts', async () => {
    const email = address();
    const old_id = await legacyAccount(email);
    const owner = await begin(email, other_password);
    assert.equal((await owner.send('/auth/sign-up/code', { code: await codeTo(app, email) })).status, 303);
    assert.notEqual((await userOf(app.db, email))!.id, old_id);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
  });

  test('has a sign-up that ends when the owner proves the address', async () => {
    const email = address();
    const squatter = await begin(email);
    const squatters_code = await codeTo(app, email);
    const owner = await begin(email, other_password);
    const owners_code = (await mailTo(app, email, ({ text }) => !text.includes(squatters_code))).text;
    await owner.send('/auth/sign-up/code', { code: /\d{4} \d{4}/.exec(owners_code)![0] });
    assert.equal((await squatter.send('/auth/sign-up/code', { code: squatters_code })).status, 404);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
  });

  test('is made no superadmin', async () => {
    const id = await legacyAccount(address());
    const answer = await app.client.request('PATCH', `/v1/admin/users/${id}`, { superadmin: true });
    assert.deepEqual([answer.status, answer.body.code], [403, 'address_not_verified']);
    const [row] = await app.db.rows<{ superadmin: boolean }>(
      sql`select superadmin from accounts.users where id = ${id}`,
    );
    assert.equal(row!.superadmin, false);
  });
});

describe('a person of the outside issuer (I2)', () => {
  test('has an account of their own, which no password of the same address opens', async () => {
    const email = address();
    await signedUp(app, { email });
    const { organization } = await managedOrganization(app);
    const member = await addMember(app, organization.id, {
      role: 'owner',
      email,
      external_subject: randomUUID(),
    });
    assert.equal(member.email, email);
    assert.notEqual(member.user_id, (await userOf(app.db, email))!.id);
    const { browser } = await signIn(email, password);
    assert.match((await browser.open('/auth')).text, /You are in no organization yet/);
    const link = await app.client.request('POST', `/v1/admin/users/${member.user_id}/password-links`);
    assert.deepEqual([link.status, link.body.code], [409, 'signs_in_elsewhere']);
  });

  test('is the same person in a second organization, and is not added twice to one', async () => {
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
  const ask = (email: string) => visitor(app.url).send('/auth/passwords/forgot', { email });
  const linkTo = async (email: string) => {
    const { text } = await mailTo(app, email, ({ subject }) => /new password/.test(subject));
    return new URL(/http\S+\/auth\/passwords\/[\w-]{20,}/.exec(text)![0]).pathname;
  };

  test('is replaced through a link that is mailed, once, and everybody is signed out', async () => {
    const email = address();
    const before = await signedUp(app, { email });
    assert.equal((await ask(email)).status, 200);
    const path = await linkTo(email);
    const later = visitor(app.url);
    const kept = await later.send(path, { password: other_password });
    assert.equal(kept.location, '/auth/sign-in?made=password');
    assert.equal((await before.open('/auth')).status, 303);
    assert.equal((await signIn(email, password)).status, 401);
    assert.equal((await signIn(email, other_password)).status, 303);
    assert.equal((await later.send(path, { password: 'yet another password' })).status, 404);
  });

  test('lets a person in whom an operator added, and who never had one', async () => {
    const email = address();
    const { organization } = await managedOrganization(app);
    await addMember(app, organization.id, { role: 'admin', email });
    await ask(email);
    await visitor(app.url).send(await linkTo(email), { password: other_password });
    const { browser } = await signIn(email, other_password);
    assert.match((await browser.open('/auth')).text, /\(admin\)/);
  });

  test('is answered the same for an address without an account, to which nothing is mailed', async () => {
    const known = address();
    await signedUp(app, { email: known });
    const unknown = address();
    const unproven = address();
    await legacyAccount(unproven);
    const answers = [await ask(known), await ask(unknown), await ask(unproven)];
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    await linkTo(known);
    await app.app.jobs.drain();
    const outbox = await app.client.request('GET', '/v1/sandbox/outbox?channel=email&limit=100');
    assert.ok(!outbox.text.includes(unknown) && !outbox.text.includes(unproven));
  });

  test('cannot be used to flood a mailbox', async () => {
    const email = address();
    const eve = visitor(app.url);
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await eve.send('/auth/passwords/forgot', { email })).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  });

  test('has a page that frames and scripts of others cannot reach', async () => {
    const page = await visitor(app.url).open('/auth/passwords/forgot');
    assert.match(page.headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
    const foreign = await visitor(app.url).send(
      '/auth/passwords/forgot',
      { email: address() },
      { origin: 'https://evil.test' },
    );
    assert.equal(foreign.status, 403);
  });
});

test('a server without a mail transport says so at the start and to whoever needs mail (I2)', async () => {
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
  assert.ok(lines.some((line) => line.includes('managed mode has no mail transport')));
  const form = { name: 'Ana', email: address(), password };
  const page = await visitor(silent.url).send('/auth/sign-up', form);
  assert.deepEqual([page.status, /cannot send mail/.test(page.text)], [503, true]);
  const program = await visitor(silent.url).send('/auth/sign-up', form, { accept: 'application/json' });
  const problem = JSON.parse(program.text) as { code: string; fix: string };
  assert.equal(problem.code, 'system_mail_not_configured');
  assert.match(problem.fix, /PARLEY_SMTP_URL/);
});

test('an upgrade counts accounts with a membership as proven, and ends the sessions of the others (I2)', async (t) => {
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

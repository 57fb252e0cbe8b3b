// Open sign-up: a person gets few organizations, and all of them together contact few new people.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { clientWith, startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { signUp, type Visitor, visitor } from '../../../../../testing/visitor.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

const settings = {
  PARLEY_MANAGED: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_NEW_RECIPIENTS_PER_DAY: '4',
};
const secrets = { master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }] };
const app = await startTestApp(settings, secrets);
/** A second process on the same database. */
const second = await startTestApp(
  { ...settings, PARLEY_BASE_URL: app.url },
  { ...secrets, db: openDatabase({ url: app.database_url, max_connections: 6 }) },
);

const newPerson = async () => {
  const email = `${randomUUID()}@example.com`;
  return { email, browser: await signUp(app, { email }) };
};
/** The same person at another process: the cookies are those of the first. */
function elsewhere(browser: Visitor): Visitor {
  const other = visitor(second.url);
  for (const [name, value] of browser.cookies) other.cookies.set(name, value);
  return other;
}
const found = (browser: Visitor) => browser.send('/auth/organizations/new', { organization: 'Acme' });
const organizationsOf = (email: string) =>
  app.db.rows<{ id: string }>(sql`
    select m.organization_id as id from members m join accounts.users u on u.id = m.user_id where u.email = ${email}`);

describe('S11: a person who signs up', () => {
  test('S11: creates three organizations, also when many are created at once at two processes', async () => {
    const { email, browser } = await newPerson();
    const other = elsewhere(browser);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => found(index % 2 === 0 ? browser : other)),
    );
    assert.equal(answers.filter(({ status }) => status === 303).length, 3);
    assert.equal((await organizationsOf(email)).length, 3);
    const refused = await found(browser);
    assert.equal(refused.status, 409);
    assert.match(refused.text, /one person may create 3\.[\s\S]*ask the operator/);
    // Leaving one makes no room: the limit is about what was created.
    await app.db.run(sql`
      delete from members where organization_id = ${(await organizationsOf(email))[0]!.id}`);
    assert.equal((await found(browser)).status, 409);
    assert.equal((await found((await newPerson()).browser)).status, 303, 'another person');
  });

  test('S11: contacts as many new people with all organizations together as with one', async () => {
    const { email, browser } = await newPerson();
    for (let count = 0; count < 3; count++) assert.equal((await found(browser)).status, 303);
    const clients = await Promise.all(
      (await organizationsOf(email)).map(async ({ id }) => {
        const token = await consoleToken(browser, id);
        return [clientWith(app.url, token, id), clientWith(second.url, token, id)];
      }),
    );
    let created = 0;
    const text = (of: (typeof clients)[number][number], to = `+1415555${4000 + created++}`) =>
      of.request<{ to: string; code: string; detail: string; fix: string }>('POST', '/v1/sms', {
        to,
        body: 'Hello',
        recipient_consent: true,
      });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => clients.flatMap((each) => each.map((of) => text(of)))).flat(),
    );
    const sent = answers.filter(({ status }) => status === 201);
    assert.equal(sent.length, 4);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      assert.deepEqual([status, body.code], [429, 'new_recipient_capped']);
      assert.ok(body.fix);
    }
    const [one] = clients.flat();
    const capped = await text(one!);
    assert.match(capped.body.detail, /new recipients/);
    const email_to = await one!.request('POST', '/v1/emails', {
      to: ['somebody@example.org'],
      subject: 'Hi',
      body_text: 'Hi',
      recipient_consent: true,
    });
    assert.equal(email_to.status, 201, 'each channel has its own count');
    const stranger = await newPerson();
    await found(stranger.browser);
    const theirs = clientWith(app.url, await consoleToken(stranger.browser), '');
    assert.equal((await text(theirs)).status, 201, 'another person');
    await app.later(86_400);
    assert.equal((await text(one!)).status, 201, 'the next day');
  });
});

// A new password, and the removal of a person, end at once what was open before: links, sessions, console tokens, invitations.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Member, NewInvitation } from '@parley/contract/access/members';
import { type Client, clientWith, startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { addMember, asPerson, issueKey, managedOrganization } from '../../../../../testing/managed.ts';
import { mailTo, signUp, visitor } from '../../../../../testing/visitor.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

const settings = { PARLEY_MANAGED: 'on', PARLEY_SIGN_UP: 'open', PARLEY_TRUSTED_PROXIES: '127.0.0.1' };
const secrets = { master_keys: [{ id: 'test', key: Buffer.alloc(32, 7) }] };
const app = await startTestApp(settings, secrets);
const { client, url } = app;
/** A second process on the same database. */
const second = await startTestApp(
  { ...settings, PARLEY_BASE_URL: url },
  { ...secrets, db: openDatabase({ url: app.database_url, max_connections: 4 }) },
);
const address = () => `${randomUUID()}@example.com`;
const whoami = async (at: string, token: string) =>
  (await clientWith(at, token, '').request('GET', '/v1/whoami')).status;

const linkMail = ({ text }: { text: string }) => /\/auth\/passwords\/[\w-]{20,}/.test(text);
/** Asks for a link and waits for its mail. */
async function mailedLink(email: string, before: string[]): Promise<string> {
  assert.equal((await visitor(url).send('/auth/passwords/forgot', { email })).status, 200);
  const link = await waitFor('another link', async () => {
    const { text } = await mailTo(app, email, linkMail);
    const found = /\/auth\/passwords\/[\w-]{20,}/.exec(text)![0];
    return before.includes(found) ? null : found;
  });
  return link;
}
const choose = async (link: string, chosen: string) =>
  (await visitor(url).send(link, { password: chosen })).status;

describe('S12: a new password', () => {
  test('S12: ends the older links, also those that an operator created', async () => {
    const email = address();
    await signUp(app, { email });
    const first = await mailedLink(email, []);
    const newer = await mailedLink(email, [first]);
    const user = await app.db.maybe<{ id: string }>(
      sql`select id from accounts.users where email = ${email}`,
    );
    const made = await client.request<{ url: string }>('POST', `/v1/admin/users/${user!.id}/password-links`);
    const by_operator = new URL(made.body.url).pathname;
    assert.equal(await choose(newer, 'a new long password'), 303);
    for (const older of [first, by_operator, newer])
      assert.equal(await choose(older, 'the password of a thief'), 404);
    const signIn = async (chosen: string) =>
      (await visitor(url).send('/auth/sign-in', { email, password: chosen })).status;
    assert.deepEqual(
      [await signIn('a new long password'), await signIn('the password of a thief')],
      [303, 401],
    );
    assert.equal(
      await choose(await mailedLink(email, [first, newer]), 'another long password'),
      303,
      'a later link',
    );
  });

  test('S12: ends sessions and console tokens of the person on every process, and of nobody else', async () => {
    const [email, other_email] = [address(), address()];
    const browser = await signUp(app, { email, organization: 'Acme' });
    const other = await signUp(app, { email: other_email, organization: 'Other' });
    const [token, other_token] = [await consoleToken(browser), await consoleToken(other)];
    for (const at of [url, second.url])
      assert.deepEqual([await whoami(at, token), await whoami(at, other_token)], [200, 200]);
    assert.equal(await choose(await mailedLink(email, []), 'a new long password'), 303);
    assert.equal(await whoami(url, token), 401, 'at once on the process that stored it');
    await waitFor(
      'the other process refuses the token',
      async () => (await whoami(second.url, token)) === 401 || null,
    );
    assert.equal((await browser.send('/auth/console-token', {})).status, 401);
    for (const at of [url, second.url]) assert.equal(await whoami(at, other_token), 200);
    assert.equal((await other.send('/auth/console-token', {})).status, 200);
  });

  test('S12: ends them also when the process dies right after it is stored', async () => {
    const email = address();
    const browser = await signUp(app, { email, organization: 'Acme' });
    const token = await consoleToken(browser);
    const link = await mailedLink(email, []);
    // What the account engine stores, and nothing after it.
    await app.db.run(sql`
      update accounts.account set password = 'another' where "userId" = (select id from accounts.users where email = ${email})`);
    for (const at of [url, second.url])
      await waitFor('the token is refused', async () => (await whoami(at, token)) === 401 || null);
    assert.equal(await choose(link, 'a new long password'), 404);
  });
});

test('S12: a console token ends with the sign-out', async () => {
  const browser = await signUp(app, { email: address(), organization: 'Acme' });
  const token = await consoleToken(browser);
  assert.equal(await whoami(url, token), 200);
  await browser.send('/auth/sign-out', {});
  await waitFor('the token is refused', async () => (await whoami(second.url, token)) === 401 || null);
});

describe('S12: an invitation', () => {
  const invite = async (as: Client, email: string, role = 'admin') => {
    const answer = await as.request<NewInvitation>('POST', '/v1/invitations', { email, role });
    assert.equal(answer.status, 201, answer.text);
    return new URL(answer.body.accept_url).pathname;
  };
  const accepts = async (path: string, email: string) => {
    const browser = await signUp(app, { email });
    const shown = (await browser.open(path)).status;
    const joined = (await browser.send(path, { step: 'accept' })).status;
    return [shown, joined];
  };
  const newAdmin = async () => {
    const { organization, owner } = await managedOrganization(app);
    const admin = await addMember(app, organization.id, { role: 'admin' });
    return { organization, owner: asPerson(app, owner), admin, person: asPerson(app, admin) };
  };
  const remove = (as: Client, { id }: Member) => as.request('DELETE', `/v1/members/${id}`);

  test('S12: ends with the removal of who wrote it, and does not come back with the person', async () => {
    const { organization, owner, admin, person } = await newAdmin();
    const [hers, other] = [address(), address()];
    const own = await invite(person, hers);
    const by_owner = await invite(owner, other);
    assert.equal((await remove(owner, admin)).status, 204);
    assert.deepEqual(await accepts(own, hers), [404, 404]);
    await addMember(app, organization.id, { role: 'admin', email: admin.email });
    assert.equal((await visitor(url).open(own)).status, 404);
    assert.deepEqual(await accepts(by_owner, other), [200, 303]);
    const list = await owner.request<{ items: { email: string }[] }>('GET', '/v1/invitations');
    assert.deepEqual(
      list.body.items.map(({ email }) => email),
      [other],
    );
  });

  test('S12: for a role ends when who wrote it may not give that role any more', async () => {
    const { owner, admin, person } = await newAdmin();
    const [one, two] = [address(), address()];
    const as_admin = await invite(person, one);
    assert.equal((await owner.request('PATCH', `/v1/members/${admin.id}`, { role: 'member' })).status, 200);
    assert.deepEqual(await accepts(as_admin, one), [404, 404]);
    const by_former_owner = await newAdmin();
    const co_owner = await addMember(app, by_former_owner.organization.id, { role: 'owner' });
    const of_owner = await invite(asPerson(app, co_owner), two, 'owner');
    const of_admin = await invite(asPerson(app, co_owner), address(), 'admin');
    const lowered = await by_former_owner.owner.request('PATCH', `/v1/members/${co_owner.id}`, {
      role: 'admin',
    });
    assert.equal(lowered.status, 200);
    assert.deepEqual(await accepts(of_owner, two), [404, 404]);
    assert.equal((await visitor(url).open(of_admin)).status, 200, 'an admin may invite an admin');
  });

  test('S12: by a key of an operator ends with the key, and with the rights of its owner', async () => {
    const { organization, owner } = await managedOrganization(app);
    const makeSuperadmin = (superadmin: boolean) =>
      client.request('PATCH', `/v1/admin/users/${owner.user_id}`, { superadmin });
    const inviteWith = async (key: string, email: string) => {
      const path = `/v1/admin/organizations/${organization.id}/invitations`;
      const answer = await app.holder(key).request<NewInvitation>('POST', path, { email, role: 'owner' });
      assert.equal(answer.status, 201, answer.text);
      return new URL(answer.body.accept_url).pathname;
    };
    assert.equal((await makeSuperadmin(true)).status, 200);
    const [one, two, three] = [address(), address(), address()];
    const [revoked, kept] = [
      await issueKey(app, owner, { scopes: ['*', 'admin'] }),
      await issueKey(app, owner, { scopes: ['*', 'admin'] }),
    ];
    const [by_revoked, by_kept] = [await inviteWith(revoked.key, one), await inviteWith(kept.key, two)];
    const third = await inviteWith(kept.key, three);
    const deleted = await asPerson(app, owner).request('DELETE', `/v1/api-keys/${revoked.id}`);
    assert.equal(deleted.status, 204, deleted.text);
    assert.deepEqual(await accepts(by_revoked, one), [404, 404]);
    assert.deepEqual(await accepts(by_kept, two), [200, 303]);
    assert.equal((await makeSuperadmin(false)).status, 200);
    assert.deepEqual(await accepts(third, three), [404, 404]);
  });

  test('S12: is not accepted by anybody while who wrote it is being removed', async () => {
    for (let round = 0; round < 5; round++) {
      const { organization, owner, admin, person } = await newAdmin();
      const hers = address();
      const path = await invite(person, hers);
      const browser = await signUp(app, { email: hers });
      const [removed, joined] = await Promise.all([
        remove(owner, admin),
        browser.send(path, { step: 'accept' }),
      ]);
      assert.equal(removed.status, 204);
      const members = await app.db.rows<{ email: string }>(sql`
        select u.email from members m join accounts.users u on u.id = m.user_id where m.organization_id = ${organization.id}`);
      const is_member = members.some(({ email }) => email === hers);
      assert.equal(is_member, joined.status === 303, 'who joins did so before the removal');
    }
  });
});

test('S12: a removed person’s console token ends on every process', async () => {
  const { organization, owner } = await managedOrganization(app);
  const email = address();
  const browser = await signUp(app, { email });
  const member = await addMember(app, organization.id, { role: 'admin', email });
  const token = await consoleToken(browser);
  for (const at of [url, second.url]) assert.equal(await whoami(at, token), 200);
  assert.equal((await asPerson(app, owner).request('DELETE', `/v1/members/${member.id}`)).status, 204);
  assert.equal(await whoami(url, token), 403);
  await waitFor(
    'the other process refuses the token',
    async () => (await whoami(second.url, token)) === 403 || null,
  );
});

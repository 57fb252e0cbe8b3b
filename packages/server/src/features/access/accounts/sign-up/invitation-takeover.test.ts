// An invitation must not give an existing account to the person who has the link (I1).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NewInvitation } from '@parley/contract/access/members';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { addMember, asPerson, managedOrganization } from '../../../../../testing/managed.ts';
import { password, signUp, visitor } from '../../../../../testing/visitor.ts';
import { sql } from '../../../../platform/db/sql.ts';

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
});
const address = () => `${randomUUID()}@example.com`;
const eves_password = 'a password that eve chose';

const invite = async (as: Client, email: string): Promise<string> => {
  const created = await as.request<NewInvitation>('POST', '/v1/invitations', { email });
  assert.equal(created.status, 201, created.text);
  return new URL(created.body.accept_url).pathname;
};

/** Opens the link, as the inviting person could, and tries to set a password with it. */
const tryToSetPassword = async (path: string) => {
  const eve = visitor(app.url);
  const response = await eve.send(path, { step: 'sign-up', name: 'Eve', password: eves_password });
  assert.equal(response.status, 303);
  return eve;
};

const hasNoPassword = async (email: string) => {
  const rows = await app.db.rows(sql`
    select a.id from accounts.account a join accounts.users u on u.id = a."userId" where u.email = ${email}`);
  assert.equal(rows.length, 0);
  assert.equal(
    (await visitor(app.url).send('/auth/sign-in', { email, password: eves_password })).status,
    401,
  );
};

describe('an invitation sets no password on an account that it did not create (I1)', () => {
  test('not on the account of a superadmin whom another organization invites', async () => {
    const victim = address();
    const { organization } = await managedOrganization(app);
    const superadmin = await addMember(app, organization.id, { role: 'owner', email: victim });
    const patched = await app.client.request('PATCH', `/v1/admin/users/${superadmin.user_id}`, {
      superadmin: true,
    });
    assert.equal(patched.status, 200, patched.text);

    const outsider = await signUp(app, { email: address(), organization: 'Other' });
    const token = JSON.parse((await outsider.send('/auth/console-token', {})).text) as {
      token: string;
      organization: { id: string };
    };
    const as_outsider = { ...app.holder(token.token), organization_id: token.organization.id };
    const path = await invite(as_outsider, victim);
    const eve = await tryToSetPassword(path);
    await hasNoPassword(victim);
    assert.equal((await eve.open('/auth')).status, 303, 'no user is signed in');
    assert.equal((await eve.send(path, { step: 'accept' })).location?.startsWith('/auth/sign-in'), true);
  });

  test('not on that of a user whom an operator added', async () => {
    const email = address();
    const { organization } = await managedOrganization(app);
    await addMember(app, organization.id, { role: 'member', email });
    const inviter = await managedOrganization(app);
    await tryToSetPassword(await invite(asPerson(app, inviter.owner), email));
    await hasNoPassword(email);
  });

  test('not on that of a user of an external issuer', async () => {
    const email = address();
    const { organization } = await managedOrganization(app);
    await addMember(app, organization.id, { role: 'owner', email, external_subject: randomUUID() });
    const inviter = await managedOrganization(app);
    await tryToSetPassword(await invite(asPerson(app, inviter.owner), email));
    const rows = await app.db.rows(sql`
      select a.id from accounts.account a join accounts.users u on u.id = a."userId"
       where u.external_subject is not null`);
    assert.equal(rows.length, 0);
  });

  test('not on that of a user who left every organization', async () => {
    const email = address();
    const { organization, client, owner } = await managedOrganization(app);
    const member = await addMember(app, organization.id, { role: 'member', email });
    assert.equal((await client.request('DELETE', `/v1/members/${member.id}`)).status, 204);
    await tryToSetPassword(await invite(asPerson(app, owner), email));
    await hasNoPassword(email);
  });

  test('not on one that already has a password', async () => {
    const email = address();
    await signUp(app, { email });
    const inviter = await managedOrganization(app);
    await tryToSetPassword(await invite(asPerson(app, inviter.owner), email));
    const eve = await visitor(app.url).send('/auth/sign-in', { email, password: eves_password });
    assert.equal(eve.status, 401);
    assert.equal((await visitor(app.url).send('/auth/sign-in', { email, password })).status, 303);
  });

  test('not on one that another invitation created, also when two invitations are used concurrently', async () => {
    const email = address();
    const first = await managedOrganization(app);
    const second = await managedOrganization(app);
    const paths = [
      await invite(asPerson(app, first.owner), email),
      await invite(asPerson(app, second.owner), email),
    ];
    const passwords = ['the password of the first', 'the password of the second'];
    const responses = await Promise.all(
      paths.map((path, at) =>
        visitor(app.url).send(path, { step: 'sign-up', name: 'Bo', password: passwords[at]! }),
      ),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [303, 303],
    );
    const canSignIn = async (tried: string) =>
      (await visitor(app.url).send('/auth/sign-in', { email, password: tried })).status === 303;
    assert.ok(!((await canSignIn(passwords[0]!)) && (await canSignIn(passwords[1]!))), 'two passwords work');
    await tryToSetPassword(paths[0]!);
    assert.equal(await canSignIn(eves_password), false);
  });
});

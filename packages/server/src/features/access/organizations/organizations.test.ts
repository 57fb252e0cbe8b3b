// Organizations and their members: roles, invitations and the audit log.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { AuditEntry } from '@parley/contract/access/admin';
import type { Invitation, Member, NewInvitation } from '@parley/contract/access/members';
import type { Organization } from '@parley/contract/access/organizations';
import { nil_uuid } from '@parley/contract/limits';
import type { ContactRules } from '@parley/contract/rules/people/contact-rules';
import type { Contact } from '@parley/contract/rules/people/contacts';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import {
  addMember,
  asPerson,
  issueKey,
  managedOrganization,
  memberClient,
  memberPerson,
} from '../../../../testing/managed.ts';
import { sql } from '../../../platform/db/sql.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client } = managed;
type Problem = { code: string };

const membersOf = async (as: Client) =>
  (await as.request<{ items: Member[] }>('GET', '/v1/members')).body.items;
const setRole = (as: Client, member: Member, role: string) =>
  as.request<Member & Problem>('PATCH', `/v1/members/${member.id}`, { role });
const remove = (as: Client, member: Member) => as.request<Problem>('DELETE', `/v1/members/${member.id}`);

describe('an organization', () => {
  test('can be created, read, listed and changed by superadmins', async () => {
    const created = await client.request<Organization>('POST', '/v1/admin/organizations', {
      name: 'Sousa Trading',
      origin: 'agent',
    });
    assert.equal(created.status, 201);
    assert.equal(created.body.origin, 'agent');
    const path = `/v1/admin/organizations/${created.body.id}`;
    const changed = await client.request<Organization>('PATCH', path, {
      origin: 'human',
      velocity_caps: { calls: 5 },
    });
    assert.deepEqual(changed.body.velocity_caps, { calls: 5, emails: null, sms: null });
    const again = await client.request<Organization>('PATCH', path, { velocity_caps: { sms: 7 } });
    assert.deepEqual(again.body.velocity_caps, { calls: 5, emails: null, sms: 7 });
    assert.deepEqual((await client.request('GET', path)).body, again.body);
    const listed = await client.request<{ items: Organization[] }>('GET', '/v1/admin/organizations?limit=1');
    assert.equal(listed.body.items[0]!.id, created.body.id);
  });

  test('of agent origin contacts 20 new people per day and channel; one of people has no such limit', async () => {
    const limitOf = async (as: Client) =>
      (await as.request<ContactRules>('GET', '/v1/contact-rules')).body.new_recipients_per_day;
    assert.equal(await limitOf((await managedOrganization(managed, { origin: 'agent' })).client), 20);
    const { client: owner, organization } = await managedOrganization(managed);
    assert.equal(await limitOf(owner), null);
    await client.request('PATCH', `/v1/admin/organizations/${organization.id}`, { origin: 'agent' });
    assert.equal(await limitOf(owner), 20, 'it became one of agent origin');
  });

  test('of the shared key exists from the start', async () => {
    const nil = await client.request<Organization>('GET', `/v1/admin/organizations/${nil_uuid}`);
    assert.deepEqual([nil.status, nil.body.origin], [200, 'human']);
  });
});

describe('a member', () => {
  test('has a contact of kind member, created with the membership', async () => {
    const { organization, client: owner } = await managedOrganization(managed);
    const email = `${randomUUID()}@example.com`;
    const member = await addMember(managed, organization.id, { role: 'member', email, name: 'Ana Sousa' });
    const contact = await owner.request<Contact>('GET', `/v1/contacts/${member.contact_id}`);
    const { kind, name, role } = contact.body;
    assert.deepEqual([kind, name, contact.body.email, role], ['member', 'Ana Sousa', email, 'member']);
    assert.equal((await remove(owner, member)).status, 204);
    const left = await owner.request<Contact>('GET', `/v1/contacts/${member.contact_id}`);
    assert.equal(left.body.kind, 'contact');
  });

  test('who was already a contact keeps that contact', async () => {
    const { organization, client: owner } = await managedOrganization(managed);
    const email = `${randomUUID()}@example.com`;
    const before = await owner.request<Contact>('POST', '/v1/contacts', {
      name: 'Bo',
      email: email.toUpperCase(),
    });
    const member = await addMember(managed, organization.id, { role: 'member', email });
    assert.equal(member.contact_id, before.body.id);
  });

  test('cannot be added twice', async () => {
    const { organization, owner } = await managedOrganization(managed);
    const again = await client.request<Problem>(
      'POST',
      `/v1/admin/organizations/${organization.id}/members`,
      {
        email: owner.email,
        name: 'Again',
      },
    );
    assert.deepEqual([again.status, again.body.code], [409, 'member_exists']);
  });

  test('cannot have the sub claim of another user', async () => {
    const { organization } = await managedOrganization(managed);
    const external_subject = randomUUID();
    await addMember(managed, organization.id, { role: 'member', external_subject });
    const taken = await client.request<Problem>(
      'POST',
      `/v1/admin/organizations/${organization.id}/members`,
      {
        email: `${randomUUID()}@example.com`,
        name: 'Other',
        external_subject,
      },
    );
    assert.deepEqual([taken.status, taken.body.code], [409, 'external_subject_taken']);
  });
});

describe('roles', async () => {
  const { organization, owner: owner_member } = await managedOrganization(managed);
  const owner = asPerson(managed, owner_member);
  const admin = await memberPerson(managed, organization.id, 'admin');
  const member = await memberPerson(managed, organization.id, 'member');
  const target = await addMember(managed, organization.id, { role: 'member' });

  test('let owners change everyone, admins everyone except owners, and members no one', async () => {
    for (const [as, member_to_change, role, status] of [
      [member.person, target, 'admin', 403],
      [admin.person, target, 'admin', 200],
      [admin.person, target, 'owner', 403],
      [admin.person, owner_member, 'member', 403],
      [owner, target, 'owner', 200],
      [admin.person, target, 'member', 403],
      [owner, target, 'member', 200],
    ] as const) {
      const response = await setRole(as, member_to_change, role);
      assert.equal(response.status, status, `${role}: ${response.text}`);
      if (status === 403) assert.equal(response.body.code, 'role_too_low');
    }
    assert.equal((await remove(member.person, target)).status, 403);
    assert.equal((await remove(admin.person, owner_member)).status, 403);
  });

  test('are raised only by a person; a key can lower them', async () => {
    const { key } = await issueKey(managed, owner_member);
    const program = managed.holder(key);
    const raised = await addMember(managed, organization.id, { role: 'member' });
    for (const role of ['admin', 'owner']) {
      const refused = await setRole(program, raised, role);
      assert.deepEqual([refused.status, refused.body.code], [403, 'person_required'], role);
    }
    assert.equal((await setRole(owner, raised, 'owner')).status, 200);
    for (const role of ['admin', 'member'])
      assert.equal((await setRole(program, raised, role)).body.role, role);
  });

  test('keep at least one owner', async () => {
    const down = await setRole(owner, owner_member, 'member');
    assert.deepEqual([down.status, down.body.code], [409, 'last_owner']);
    const leave = await remove(owner, owner_member);
    assert.deepEqual([leave.status, leave.body.code], [409, 'last_owner']);
  });

  test('keep at least one owner when two owners step down concurrently', async () => {
    const two = await managedOrganization(managed);
    const second = await memberClient(managed, two.organization.id, 'owner');
    const responses = await Promise.all([
      setRole(two.client, two.owner, 'member'),
      setRole(second.client, second.member, 'member'),
    ]);
    assert.deepEqual(responses.map((response) => response.status).sort(), [200, 409]);
  });

  test('let every member leave', async () => {
    const leaver = await memberClient(managed, organization.id, 'member');
    assert.equal((await remove(leaver.client, leaver.member)).status, 204);
    assert.ok((await membersOf(owner)).every((each) => each.id !== leaver.member.id));
  });
});

describe('an invitation', () => {
  const signedInOwner = async () => asPerson(managed, (await managedOrganization(managed)).owner);

  test('has a link that is shown once and stored as a hash', async () => {
    const owner = await signedInOwner();
    const created = await owner.request<NewInvitation>('POST', '/v1/invitations', {
      email: 'Bo@Example.com',
    });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual([created.body.email, created.body.role], ['bo@example.com', 'member']);
    const token = created.body.accept_url.split('/').at(-1)!;
    assert.equal(created.body.accept_url, `${managed.url}/auth/invitations/${token}`);
    const listed = await owner.request<{ items: Invitation[] }>('GET', '/v1/invitations');
    assert.ok(!listed.text.includes(token));
    const stored = await managed.db.rows<{ row: string }>(
      sql`select to_json(i)::text as row from invitations i`,
    );
    assert.ok(stored.every(({ row }) => !row.includes(token)));
  });

  test('can be created and withdrawn by owners and admins, for roles that they may give', async () => {
    const { organization, owner: owner_member } = await managedOrganization(managed);
    const owner = asPerson(managed, owner_member);
    const admin = await memberPerson(managed, organization.id, 'admin');
    const member = await memberPerson(managed, organization.id, 'member');
    const invite = (as: Client, role: string) =>
      as.request<NewInvitation & Problem>('POST', '/v1/invitations', { email: 'x@example.com', role });
    assert.equal((await invite(member.person, 'member')).body.code, 'role_too_low');
    assert.equal((await invite(admin.person, 'owner')).body.code, 'role_too_low');
    assert.equal((await invite(admin.person, 'admin')).status, 201);
    const owners = await invite(owner, 'owner');
    const path = `/v1/invitations/${owners.body.id}`;
    assert.equal((await admin.person.request('DELETE', path)).status, 403);
    assert.equal((await owner.request('DELETE', path)).status, 204);
    assert.equal((await owner.request('DELETE', path)).status, 404);
  });

  test('for a member is refused with 409', async () => {
    const { owner: member } = await managedOrganization(managed);
    const owner = asPerson(managed, member);
    const response = await owner.request<Problem>('POST', '/v1/invitations', { email: member.email });
    assert.deepEqual([response.status, response.body.code], [409, 'member_exists']);
  });
});

test('a program cannot invite: an invited person may approve what programs send', async () => {
  const { organization, client: program, owner } = await managedOrganization(managed);
  const body = { email: 'x@example.com', role: 'member' };
  for (const as of [program, client]) {
    const refused = await as.request<Problem>('POST', '/v1/invitations', body);
    assert.deepEqual([refused.status, refused.body.code], [403, 'person_required'], refused.text);
  }
  assert.equal((await asPerson(managed, owner).request('POST', '/v1/invitations', body)).status, 201);
  assert.equal((await managed.operator.request('POST', '/v1/invitations', body)).status, 201);
  const path = `/v1/admin/organizations/${organization.id}/invitations`;
  assert.equal((await client.request('POST', path, body)).status, 201, 'the operator of the server');
  assert.equal((await program.request('POST', path, body)).status, 404);
});

describe('the audit log', () => {
  test('shows the user, the action and the request of changes to credentials and members', async () => {
    const { organization, client: owner, owner: member } = await managedOrganization(managed);
    const key = await owner.request<{ id: string }>('POST', '/v1/api-keys', { name: 'Agent' });
    await owner.request('DELETE', `/v1/api-keys/${key.body.id}`, undefined, { 'x-request-id': 'revoke-1' });
    const log = await client.request<{ items: AuditEntry[] }>(
      'GET',
      `/v1/admin/audit-log?organization_id=${organization.id}`,
    );
    assert.deepEqual(
      log.body.items.map((entry) => entry.action),
      ['api_key.revoked', 'api_key.created', 'api_key.created', 'member.added', 'organization.created'],
    );
    const [revoked] = log.body.items;
    assert.equal(revoked!.user_id, member.user_id);
    assert.equal(revoked!.object_id, key.body.id);
    assert.equal(revoked!.request_id, 'revoke-1');
    assert.equal(revoked!.ip, '127.0.0.1');
    assert.equal(log.body.items.at(-1)!.credential_id, 'shared_key');
    const one = await client.request<{ items: AuditEntry[] }>(
      'GET',
      `/v1/admin/audit-log?organization_id=${organization.id}&action=api_key.revoked`,
    );
    assert.equal(one.body.items.length, 1);
  });

  test('contains no keys and no secrets', async () => {
    const owner = asPerson(managed, (await managedOrganization(managed)).owner);
    const created = await owner.request<{ key: string }>('POST', '/v1/api-keys', { name: 'Agent' });
    const invited = await owner.request<NewInvitation>('POST', '/v1/invitations', { email: 'x@example.com' });
    const log = await client.request('GET', '/v1/admin/audit-log');
    assert.ok(!log.text.includes(created.body.key.slice(15)));
    assert.ok(!log.text.includes(invited.body.accept_url.split('/').at(-1)!));
  });

  test('does not contain failed changes', async () => {
    const { organization, owner } = await managedOrganization(managed);
    await client.request('POST', `/v1/admin/organizations/${organization.id}/members`, {
      email: owner.email,
      name: 'Again',
    });
    const log = await client.request<{ items: AuditEntry[] }>(
      'GET',
      `/v1/admin/audit-log?organization_id=${organization.id}&action=member.added`,
    );
    assert.equal(log.body.items.length, 1);
  });
});

test('without managed mode no organization can be created, and no one can be added or invited (I14)', async () => {
  const alone = await startTestApp();
  const created = await alone.client.request<{ code: string; fix: string }>(
    'POST',
    '/v1/admin/organizations',
    {
      name: 'Without members',
    },
  );
  assert.deepEqual([created.status, created.body.code], [404, 'not_found']);
  assert.match(created.body.fix, /PARLEY_MANAGED=on/);
  const { body } = await alone.client.request<{ items: Organization[] }>('GET', '/v1/admin/organizations');
  assert.deepEqual(
    body.items.map(({ id }) => id),
    [nil_uuid],
  );
  const invited = await alone.client.request('POST', '/v1/invitations', { email: 'x@example.com' });
  assert.equal(invited.status, 404);
  const path = `/v1/admin/organizations/${nil_uuid}/members`;
  const added = await alone.client.request('POST', path, { email: 'x@example.com', name: 'x' });
  assert.equal(added.status, 404);
});

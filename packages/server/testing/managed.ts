// Organizations and members for tests of managed mode, created over HTTP with the shared key, as an operator does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Member } from '@parley/contract/access/members';
import type { Organization } from '@parley/contract/access/organizations';
import type { Role } from '@parley/contract/access/roles';
import type { Client, TestApp } from './app.ts';

export type ManagedOrganization = {
  organization: Organization;
  owner: Member;
  /** Uses a key of the owner. */
  client: Client;
};

type Operator = Pick<TestApp, 'client' | 'holder'>;

async function create<T>(client: Client, path: string, body: unknown): Promise<T> {
  const response = await client.request<T>('POST', path, body);
  assert.equal(response.status, 201, response.text);
  return response.body;
}

export const addMember = (
  { client }: Operator,
  organization_id: string,
  person: { role: Role; email?: string; name?: string; external_subject?: string },
): Promise<Member> =>
  create(client, `/v1/admin/organizations/${organization_id}/members`, {
    email: `${randomUUID()}@example.com`,
    name: 'Ana Sousa',
    ...person,
  });

export const issueKey = (
  { client }: Operator,
  member: Pick<Member, 'organization_id' | 'user_id'>,
  key: { scopes?: string[]; expires_at?: string } = {},
): Promise<NewApiKey> =>
  create(client, `/v1/admin/organizations/${member.organization_id}/api-keys`, {
    user_id: member.user_id,
    name: 'For a test',
    ...key,
  });

/** A new member, and a client with a key of that member. */
export async function memberClient(app: Operator, organization_id: string, role: Role) {
  const member = await addMember(app, organization_id, { role });
  const { key } = await issueKey(app, member);
  return { member, client: { ...app.holder(key), organization_id } };
}

/** The member as a person who is signed in. */
export const asPerson = (
  app: Pick<TestApp, 'organization'>,
  { organization_id, user_id, role }: Member,
): Client => app.organization({ organization_id, user_id, role, credential_kind: 'session' });

/** A new member who is signed in. */
export async function memberPerson(
  app: Operator & Pick<TestApp, 'organization'>,
  organization_id: string,
  role: Role,
) {
  const member = await addMember(app, organization_id, { role });
  return { member, person: asPerson(app, member) };
}

export async function managedOrganization(
  app: Operator,
  options: { name?: string; origin?: 'human' | 'agent' } = {},
): Promise<ManagedOrganization> {
  const organization = await create<Organization>(app.client, '/v1/admin/organizations', {
    name: 'An organization',
    ...options,
  });
  const { member, client } = await memberClient(app, organization.id, 'owner');
  return { organization, owner: member, client };
}

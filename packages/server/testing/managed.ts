// Organizations of managed mode for tests, made as an operator makes them: over HTTP with the shared key.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { NewApiKey } from '@parley/contract/api-keys';
import type { Member } from '@parley/contract/members';
import type { Organization } from '@parley/contract/organizations';
import type { Role } from '@parley/contract/roles';
import type { Client, TestApp } from './app.ts';

export type ManagedOrganization = {
  organization: Organization;
  owner: Member;
  /** Holds a key of the owner. */
  client: Client;
};

type Operator = Pick<TestApp, 'client' | 'holder'>;

async function made<T>(client: Client, path: string, body: unknown): Promise<T> {
  const answer = await client.request<T>('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export const addMember = (
  { client }: Operator,
  organization_id: string,
  person: { role: Role; email?: string; name?: string; external_subject?: string },
): Promise<Member> =>
  made(client, `/v1/admin/organizations/${organization_id}/members`, {
    email: `${randomUUID()}@example.com`,
    name: 'Somebody',
    ...person,
  });

export const issueKey = (
  { client }: Operator,
  member: Pick<Member, 'organization_id' | 'user_id'>,
  key: { scopes?: string[]; expires_at?: string } = {},
): Promise<NewApiKey> =>
  made(client, `/v1/admin/organizations/${member.organization_id}/api-keys`, {
    user_id: member.user_id,
    name: 'Made for a test',
    ...key,
  });

/** A member of their own with a client that holds their key. */
export async function memberClient(app: Operator, organization_id: string, role: Role) {
  const member = await addMember(app, organization_id, { role });
  const { key } = await issueKey(app, member);
  return { member, client: { ...app.holder(key), organization_id } };
}

export async function managedOrganization(
  app: Operator,
  given: { name?: string; origin?: 'human' | 'agent' } = {},
): Promise<ManagedOrganization> {
  const organization = await made<Organization>(app.client, '/v1/admin/organizations', {
    name: 'An organization',
    ...given,
  });
  const { member, client } = await memberClient(app, organization.id, 'owner');
  return { organization, owner: member, client };
}

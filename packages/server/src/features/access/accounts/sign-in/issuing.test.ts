// A credential issues no credential with more rights or a later expiry, or that is valid after its own grant ends.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Member } from '@parley/contract/access/members';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { consoleToken } from '../../../../../testing/console.ts';
import { addMember, issueKey, managedOrganization } from '../../../../../testing/managed.ts';
import { oauthProgram } from '../../../../../testing/oauth.ts';
import { signUp } from '../../../../../testing/visitor.ts';

const app = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_TRUSTED_PROXIES: '127.0.0.1',
});
const { url, holder } = app;
type Problem = { code: string };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const issue = (of: Client, body: Record<string, unknown> = {}) =>
  of.request<NewApiKey & Problem>('POST', '/v1/api-keys', { name: 'Issued', ...body });

describe('a key that expires (I6)', () => {
  test('cannot issue a key that expires later or never', async () => {
    const { owner } = await managedOrganization(app);
    const expires_at = inSeconds(3600);
    const short = holder((await issueKey(app, owner, { expires_at })).key);
    const later = new Date(Date.parse(expires_at) + 1000).toISOString();
    for (const body of [{}, { expires_at: null }, { expires_at: later }]) {
      const response = await issue(short, body);
      assert.deepEqual(
        [response.status, response.body.code],
        [403, 'outlives_credential'],
        JSON.stringify(body),
      );
    }
    assert.equal((await issue(short, { expires_at })).status, 201);
    const shorter = await issue(short, { expires_at: inSeconds(60) });
    assert.equal(shorter.status, 201);
    assert.equal((await issue(holder(shorter.body.key), { expires_at })).status, 403);
  });

  test('and has the scope admin cannot issue longer keys for other users either', async () => {
    const { owner } = await managedOrganization(app);
    await app.client.request('PATCH', `/v1/admin/users/${owner.user_id}`, { superadmin: true });
    const expires_at = inSeconds(3600);
    const { key } = await issueKey(app, owner, { scopes: ['*', 'admin'], expires_at });
    const other = await managedOrganization(app);
    const path = `/v1/admin/organizations/${other.organization.id}/api-keys`;
    const body = { user_id: other.owner.user_id, name: 'Issued' };
    const response = await holder(key).request<Problem>('POST', path, body);
    assert.deepEqual([response.status, response.body.code], [403, 'outlives_credential']);
    assert.equal((await holder(key).request('POST', path, { ...body, expires_at })).status, 201);
  });
});

test('a program that holds a key with every scope cannot become a person who approves what it sends', async () => {
  const ana = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Sousa' });
  const issued = await issue(holder(await consoleToken(ana)));
  const invited = await holder(issued.body.key).request<Problem>('POST', '/v1/invitations', {
    email: `${randomUUID()}@example.com`,
    role: 'admin',
  });
  assert.deepEqual([invited.status, invited.body.code], [403, 'person_required'], invited.text);
});

test('a token with few scopes cannot create owners and admins (I6)', async () => {
  const { owner, organization } = await managedOrganization(app);
  const token = app.organization({
    organization_id: organization.id,
    user_id: owner.user_id,
    credential_kind: 'outside_token',
    scopes: ['invitations:write', 'members:write'],
  });
  const email = () => `${randomUUID()}@example.com`;
  const invite = (role: string) =>
    token.request<Problem>('POST', '/v1/invitations', { email: email(), role });
  assert.equal((await invite('member')).status, 201);
  for (const role of ['admin', 'owner']) {
    const response = await invite(role);
    assert.deepEqual([response.status, response.body.code], [403, 'insufficient_scope']);
  }
  const { id } = await addMember(app, organization.id, { role: 'member' });
  const raised = await token.request<Problem>('PATCH', `/v1/members/${id}`, { role: 'owner' });
  assert.deepEqual([raised.status, raised.body.code], [403, 'insufficient_scope']);
});

test('an OAuth token cannot issue keys, invite people or change members (I6)', async () => {
  const ana = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Sousa' });
  const program = oauthProgram(url);
  const { access_token } = await program.connect(ana, await program.register());
  const token = holder(access_token);
  const { body } = await token.request<{ items: Member[] }>('GET', '/v1/members');
  const { id } = body.items[0]!;
  for (const [method, path, input] of [
    ['POST', '/v1/api-keys', { name: 'Issued', expires_at: inSeconds(5) }],
    ['POST', '/v1/invitations', { email: 'bo@example.com' }],
    ['PATCH', `/v1/members/${id}`, { role: 'owner' }],
    ['DELETE', `/v1/members/${id}`, undefined],
  ] as const) {
    const response = await token.request<Problem>(method, path, input);
    assert.deepEqual([response.status, response.body.code], [403, 'credential_cannot_issue'], path);
  }
});

test('a user of the console can issue keys that never expire (I6)', async () => {
  const ana = await signUp(app, { email: `${randomUUID()}@example.com`, organization: 'Sousa' });
  const response = await issue(holder(await consoleToken(ana)));
  assert.deepEqual([response.status, response.body.expires_at], [201, null]);
});

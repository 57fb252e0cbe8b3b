// Issued keys: shown once, stored as a hash, limited by scopes, membership and time, and revoked immediately.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { describe, test } from 'node:test';
import type { ApiKey, NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Identity } from '@parley/contract/access/identity';
import { nil_uuid } from '@parley/contract/limits';
import { startTestApp } from '../../../../../testing/app.ts';
import { addMember, issueKey, managedOrganization, memberClient } from '../../../../../testing/managed.ts';
import { buildApp } from '../../../../app/app.ts';
import { readConfig } from '../../../../config/config.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { makeLog } from '../../../../platform/log.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client, db, url, holder } = managed;
type Problem = { code: string; detail: string; status: number };

const create = (body: unknown, as = client) => as.request<NewApiKey & Problem>('POST', '/v1/api-keys', body);

describe('a key', () => {
  test('is shown once, has a known prefix, and is stored only as SHA-256 in base64url', async () => {
    const { client: owner } = await managedOrganization(managed);
    const created = await create({ name: 'Agent' }, owner);
    assert.equal(created.status, 201, created.text);
    const { key, id } = created.body;
    assert.match(key, /^parley_key_[\w-]{43}$/);
    const rows = await db.rows<{ hash: string; row: string }>(
      sql`select hash, to_json(k)::text as row from api_keys k where id = ${id}`,
    );
    assert.equal(rows[0]!.hash, createHash('sha256').update(key).digest('base64url'));
    assert.ok(!rows[0]!.row.includes(key));
    const listed = await owner.request('GET', '/v1/api-keys');
    assert.ok(listed.text.includes(id));
    assert.ok(!listed.text.includes(key));
    assert.ok(!listed.text.includes(rows[0]!.hash));
  });

  test('returns the identity of its owner', async () => {
    const { client: owner, organization, owner: member } = await managedOrganization(managed);
    const me = await owner.request<Identity>('GET', '/v1/whoami');
    assert.deepEqual(me.body, {
      auth_kind: 'apikey',
      organization_id: organization.id,
      user_id: member.user_id,
      email: member.email,
      name: member.name,
      superadmin: false,
    });
  });

  test('grants consent only when a person issues it, and the audit log says so', async () => {
    const { client: owner, owner: member } = await managedOrganization(managed);
    assert.equal((await create({ name: 'Plain' }, owner)).body.grants_consent, false);
    const refused = await create({ name: 'Mail', grants_consent: true }, owner);
    assert.equal(refused.status, 403, refused.text);
    assert.equal(refused.body.code, 'person_required');
    const created = await managed.operator.request<NewApiKey>(
      'POST',
      `/v1/admin/organizations/${member.organization_id}/api-keys`,
      { user_id: member.user_id, name: 'Mail', grants_consent: true },
    );
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.grants_consent, true);
    const listed = await owner.request<{ items: ApiKey[] }>('GET', '/v1/api-keys');
    assert.equal(listed.body.items.find(({ id }) => id === created.body.id)!.grants_consent, true);
    const entries = await db.rows<{ detail: { grants_consent?: boolean } }>(
      sql`select detail from audit_entries where object_id = ${created.body.id}`,
    );
    assert.equal(entries[0]!.detail.grants_consent, true);
  });

  test('works in addition to the shared key, which always works', async () => {
    const { client: owner } = await managedOrganization(managed);
    assert.equal((await owner.request('GET', '/v1/whoami')).status, 200);
    const shared = await client.request<Identity>('GET', '/v1/whoami');
    assert.equal(shared.body.auth_kind, 'shared_key');
  });

  test('stores when it was last used', async () => {
    const { client: owner } = await managedOrganization(managed);
    const created = await create({ name: 'Used' }, owner);
    const { id, key } = created.body;
    const lastUse = async () => {
      const { body } = await owner.request<{ items: ApiKey[] }>('GET', '/v1/api-keys');
      return body.items.find((item) => item.id === id)!.last_used_at;
    };
    assert.equal(await lastUse(), null);
    await holder(key).request('GET', '/v1/whoami');
    let seen = await lastUse();
    for (let tries = 0; seen === null && tries < 200; tries++) seen = await lastUse();
    assert.match(seen!, /Z$/);
  });

  test('stops working when it expires', async () => {
    const { owner } = await managedOrganization(managed);
    const { key, id } = await issueKey(managed, owner, { expires_at: '2999-01-01T00:00:00Z' });
    assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 200);
    const { key: other, id: other_id } = await issueKey(managed, owner);
    await db.run(sql`update api_keys set expires_at = now() - interval '1 second' where id in (${other_id})`);
    assert.equal((await holder(other).request('GET', '/v1/whoami')).status, 401);
    assert.notEqual(id, other_id);
    const past = await create({ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, holder(key));
    assert.deepEqual([past.status, past.body.code], [422, 'validation_failed']);
  });

  test('of a user who is no longer a member gets 403 with the exact text "user not provisioned"', async () => {
    const { organization } = await managedOrganization(managed);
    const { member, client: leaver } = await memberClient(managed, organization.id, 'member');
    assert.equal((await leaver.request('GET', '/v1/whoami')).status, 200);
    const gone = await client.request(
      'DELETE',
      `/v1/admin/organizations/${organization.id}/members/${member.id}`,
    );
    assert.equal(gone.status, 204);
    const response = await leaver.request<Problem>('GET', '/v1/whoami');
    assert.deepEqual(
      [response.status, response.body.code, response.body.detail],
      [403, 'user_not_provisioned', 'user not provisioned'],
    );
  });

  test('of a user who was removed stays ended when that person is added again', async () => {
    const { organization, client: owner } = await managedOrganization(managed);
    const member = await addMember(managed, organization.id, { role: 'member' });
    const before = await issueKey(managed, member);
    assert.equal((await owner.request('DELETE', `/v1/members/${member.id}`)).status, 204);
    const again = await addMember(managed, organization.id, { role: 'admin', email: member.email });
    assert.equal(again.user_id, member.user_id);
    assert.equal((await holder(before.key).request('GET', '/v1/whoami')).status, 401);
    const after = await issueKey(managed, again);
    assert.equal((await holder(after.key).request('GET', '/v1/whoami')).status, 200);
  });

  test('of a user who was removed by an earlier release is ended when that person is added again', async () => {
    const { organization } = await managedOrganization(managed);
    const member = await addMember(managed, organization.id, { role: 'member' });
    const { key } = await issueKey(managed, member);
    await db.run(sql`delete from members where id = ${member.id}`);
    await addMember(managed, organization.id, { role: 'member', email: member.email });
    assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 401);
  });
});

describe('the scopes of a key', () => {
  test('limit what it can do', async () => {
    const { owner } = await managedOrganization(managed);
    const { key } = await issueKey(managed, owner, { scopes: ['contacts:read'] });
    assert.equal((await holder(key).request('GET', '/v1/contacts')).status, 200);
    const write = await holder(key).request<Problem>('POST', '/v1/contacts', {
      name: 'x',
      email: 'x@example.com',
    });
    assert.deepEqual([write.status, write.body.code], [403, 'insufficient_scope']);
  });

  test('cannot be extended by issuing another key with it', async () => {
    const { owner } = await managedOrganization(managed);
    const { key } = await issueKey(managed, owner, { scopes: ['api_keys:write', 'contacts:read'] });
    for (const scopes of [undefined, ['*'], ['contacts:write'], ['contacts:read', 'members:write']]) {
      const response = await create({ name: 'Stronger', ...(scopes ? { scopes } : {}) }, holder(key));
      assert.deepEqual([response.status, response.body.code], [403, 'insufficient_scope'], String(scopes));
    }
    assert.equal((await create({ name: 'Weaker', scopes: ['contacts:read'] }, holder(key))).status, 201);
  });

  test('must have the documented format', async () => {
    const { client: owner } = await managedOrganization(managed);
    for (const scopes of [[], ['everything'], ['contacts:*'], ['Contacts:read'], [1]]) {
      assert.equal((await create({ name: 'x', scopes }, owner)).status, 422, String(scopes));
    }
  });
});

describe('a scope (I12)', () => {
  test('that no operation uses is 422, with the list of known scopes', async () => {
    const { client: owner, owner: member } = await managedOrganization(managed);
    const scopes = ['contacts:read', 'nothing:read', 'identity:write'];
    const response = await create({ name: 'x', scopes }, owner);
    assert.deepEqual([response.status, response.body.code], [422, 'validation_failed']);
    for (const path of ['body.scopes[1]', 'body.scopes[2]']) assert.ok(response.text.includes(path));
    assert.match(
      response.text,
      /expected one of \*, admin, calls:read, .*identity:read, .*api_keys:read, api_keys:write/,
    );
    const by_operator = await client.request<Problem>(
      'POST',
      `/v1/admin/organizations/${member.organization_id}/api-keys`,
      { user_id: member.user_id, name: 'x', scopes: ['nothing:read'] },
    );
    assert.equal(by_operator.status, 422);
    assert.equal((await create({ name: 'x', scopes: ['contacts:read'] }, owner)).status, 201);
  });

  test('is not needed for whoami', async () => {
    const { owner } = await managedOrganization(managed);
    const { key } = await issueKey(managed, owner, { scopes: ['contacts:read'] });
    const me = await holder(key).request<Identity>('GET', '/v1/whoami');
    assert.deepEqual([me.status, me.body.user_id], [200, owner.user_id]);
  });
});

describe('revoking', () => {
  test('works immediately on this process, and soon on every other process', async () => {
    const other_db = openDatabase({ url: managed.database_url, max_connections: 4 });
    const other = buildApp({
      config: readConfig(
        { PORT: '0', PARLEY_MANAGED: 'on', PARLEY_AUTH_SECRET: 'x'.repeat(32) },
        process.cwd(),
      ),
      db: other_db,
      log: makeLog({ level: 'silent', show_personal_data: false }),
      shared_key: null,
      master_keys: [{ id: 'test', key: Buffer.alloc(32) }],
    });
    try {
      const { owner } = await managedOrganization(managed);
      const { key, id } = await issueKey(managed, owner);
      const elsewhere = async () =>
        (
          await other.http.inject({
            method: 'GET',
            url: '/v1/whoami',
            headers: { authorization: `Bearer ${key}` },
          })
        ).statusCode;
      assert.equal(await elsewhere(), 200);
      assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 200);
      const { key: admin_key } = await issueKey(managed, owner);
      assert.equal((await holder(admin_key).request('DELETE', `/v1/api-keys/${id}`)).status, 204);
      assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 401);
      const began = performance.now();
      while ((await elsewhere()) === 200) assert.ok(performance.now() - began < 20_000, 'still accepted');
      assert.equal((await holder(admin_key).request('DELETE', `/v1/api-keys/${id}`)).status, 404);
    } finally {
      await other.http.close();
      await other_db.close();
    }
  });

  test('is possible for owners and admins, and for members only with their own keys', async () => {
    const { organization, owner } = await managedOrganization(managed);
    const { key: _, id: owners_key } = await issueKey(managed, owner);
    const member = await memberClient(managed, organization.id, 'member');
    const admin = await memberClient(managed, organization.id, 'admin');
    const own = await create({ name: 'Own' }, member.client);
    const seen = await member.client.request<{ items: ApiKey[] }>('GET', '/v1/api-keys');
    assert.ok(seen.body.items.every((item) => item.user_id === member.member.user_id));
    assert.equal((await member.client.request('DELETE', `/v1/api-keys/${owners_key}`)).status, 404);
    assert.equal((await member.client.request('DELETE', `/v1/api-keys/${own.body.id}`)).status, 204);
    assert.equal((await admin.client.request('DELETE', `/v1/api-keys/${owners_key}`)).status, 204);
  });
});

test('a key loses a removed role or superadmin right immediately', async () => {
  const { organization } = await managedOrganization(managed);
  const { member } = await memberClient(managed, organization.id, 'admin');
  const promote = (superadmin: boolean) =>
    client.request('PATCH', `/v1/admin/users/${member.user_id}`, { superadmin });
  assert.equal((await promote(true)).status, 200);
  const boss = holder((await issueKey(managed, member, { scopes: ['*', 'admin'] })).key);
  assert.equal((await boss.request('GET', '/v1/admin/organizations')).status, 200);
  assert.equal((await promote(false)).status, 200);
  assert.equal((await boss.request('GET', '/v1/admin/organizations')).status, 404);
});

test('an organization cannot exceed its limit of keys, also with concurrent requests (I8)', async () => {
  const few = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_KEYS_PER_ORGANIZATION: '4' });
  const { client: owner, owner: member } = await managedOrganization(few);
  const expiring = await issueKey(few, member, { expires_at: '2999-01-01T00:00:00Z' });
  const responses = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'One more' }, owner)));
  const created = responses.filter(({ status }) => status === 201);
  const refused = responses.filter(({ body }) => body.code === 'too_many_keys');
  assert.deepEqual([created.length, refused.length, refused[0]!.status], [2, 3, 409]);
  const path = `/v1/admin/organizations/${member.organization_id}/api-keys`;
  const by_operator = await few.client.request<Problem>('POST', path, {
    user_id: member.user_id,
    name: 'By the operator',
  });
  assert.equal(by_operator.body.code, 'too_many_keys');
  assert.equal((await owner.request('DELETE', `/v1/api-keys/${created[0]!.body.id}`)).status, 204);
  assert.equal((await create({ name: 'Instead' }, owner)).status, 201);
  await few.db.run(
    sql`update api_keys set expires_at = now() - interval '1 second' where id = ${expiring.id}`,
  );
  assert.equal((await create({ name: 'Expired ones are free' }, owner)).status, 201);
  const { client: other } = await managedOrganization(few);
  assert.equal((await create({ name: 'Of others' }, other)).status, 201);
});

test('a key that the shared key issues belongs to no person, also in managed mode', async () => {
  const response = await create({ name: 'x' });
  assert.equal(response.status, 201, response.text);
  assert.deepEqual([response.body.user_id, response.body.organization_id], [nil_uuid, nil_uuid]);
});

test('without managed mode no key of a person can be issued, and none works', async () => {
  const alone = await startTestApp();
  const response = await alone.organization().request<Problem>('POST', '/v1/api-keys', { name: 'x' });
  assert.deepEqual([response.status, response.body.code], [404, 'not_found']);
  assert.match(response.text, /PARLEY_MANAGED=on/);
  const { owner } = await managedOrganization(managed);
  const { key } = await issueKey(managed, owner);
  assert.equal((await alone.holder(key).request('GET', '/v1/whoami')).status, 401);
});

test('every invalid credential gets the same 401, byte for byte', async () => {
  const { owner } = await managedOrganization(managed);
  const { key } = await issueKey(managed, owner);
  const other_letter = key.at(-1) === 'A' ? 'B' : 'A';
  const bad = [
    undefined,
    'Bearer',
    'Bearer ',
    `Bearer ${key.slice(0, -1)}${other_letter}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}x`,
    `Bearer ${client.key.slice(0, -1)}`,
    `Bearer ${client.key.toUpperCase()}`,
    `Bearer ${'x'.repeat(8000)}`,
    `Basic ${Buffer.from(`x:${key}`).toString('base64')}`,
    `Token ${key}`,
    [`Bearer ${key}`, `Bearer ${key}`],
    [`Bearer ${key}`, 'Bearer x'],
  ];
  const raw = (authorization: string | string[] | undefined) =>
    new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${url}/v1/whoami`, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.on('end', () =>
          resolve(`${response.statusCode} ${response.headers['www-authenticate']} ${body}`),
        );
      });
      request.on('error', reject);
      request.setHeader('x-request-id', 'same');
      if (authorization) request.setHeader('authorization', authorization as string);
      request.end();
    });
  const responses = await Promise.all(bad.map(raw));
  assert.match(responses[0]!, /^401 Bearer .*"code":"unauthenticated"/);
  for (const [index, response] of responses.entries())
    assert.equal(response, responses[0], String(bad[index]));
});

test('a member of two organizations has separate keys for each', async () => {
  const [one, two] = [await managedOrganization(managed), await managedOrganization(managed)];
  const both = await addMember(managed, two.organization.id, { role: 'member', email: one.owner.email });
  assert.equal(both.user_id, one.owner.user_id);
  const { key } = await issueKey(managed, both);
  const me = await holder(key).request<Identity>('GET', '/v1/whoami');
  assert.equal(me.body.organization_id, two.organization.id);
  const stray = await issueKey(managed, one.owner);
  assert.equal(stray.organization_id, one.organization.id);
  const other = await client.request<Problem>(
    'POST',
    `/v1/admin/organizations/${two.organization.id}/api-keys`,
    {
      user_id: randomUUID(),
      name: 'x',
    },
  );
  assert.equal(other.status, 404);
});

// Keys on a server with a shared key and without managed mode: fewer rights than the shared key, with budgets, rules and an end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey, NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { nil_uuid } from '@parley/contract/limits';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok } from '../../../../testing/conversations.ts';
import { openDatabase } from '../../../platform/db/database.ts';

const { client, operator, holder, database_url } = await startTestApp({
  PARLEY_SHARED_KEY_PREVIOUS: 'the-former-shared-key',
});
type Problem = { code: string };

const issue = (body: object, as: Client = operator) =>
  as.request<NewApiKey & Problem>('POST', '/v1/api-keys', { name: 'Agent', ...body });
const issued = async (body: object = {}, as: Client = operator) => {
  const answer = await issue(body, as);
  assert.equal(answer.status, 201, answer.text);
  return { ...answer.body, client: holder(answer.body.key) };
};
const text = (of: Client) =>
  of.request<Sms & Problem>('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Hello.',
    recipient_consent: true,
  });
const status = async (of: Client) => (await of.request('GET', '/v1/whoami')).status;

test('U9: the operator key issues a key that does only what its scopes say', async () => {
  const key = await issued({ scopes: ['sms:read', 'sms:write'] });
  assert.deepEqual([key.user_id, key.organization_id, key.parent_key_id], [nil_uuid, nil_uuid, null]);
  const me = await ok<{ auth_kind: string; superadmin: boolean }>(key.client, 'GET', '/v1/whoami');
  assert.deepEqual([me.auth_kind, me.superadmin], ['apikey', false]);
  const sent = await text(key.client);
  assert.equal(sent.status, 201, sent.text);
  // It works on the same records as the shared key.
  assert.equal((await ok<Sms>(client, 'GET', `/v1/sms/${sent.body.id}`)).id, sent.body.id);
  assert.equal((await key.client.request('GET', '/v1/emails')).status, 403);
  assert.equal((await key.client.request('GET', '/v1/admin/prices')).status, 404);
});

test('U9: the shared key issues keys with fewer rights, and none that decides, grants consent or administrates', async () => {
  const key = await issued({}, client);
  assert.equal((await key.client.request('PATCH', '/v1/admin/prices', { sms_segment: 0 })).status, 404);
  assert.equal((await issue({ scopes: ['approvals:write'] }, client)).body.code, 'person_required');
  assert.equal((await issue({ grants_consent: true }, client)).body.code, 'person_required');
  for (const as of [client, operator, key.client])
    assert.ok((await issue({ scopes: ['admin'] }, as)).status >= 400);
  assert.equal((await issued({ scopes: ['approvals:read', 'approvals:write'] })).grants_consent, false);
});

test('U9: a key is held where the operator decides, spends its budget with its children, and ends with its parent', async () => {
  const parent = await issued();
  const child = await issued({}, parent.client);
  assert.equal(child.parent_key_id, parent.id);
  await ok(operator, 'PUT', '/v1/approval-policy', {
    rules: [
      { name: 'Agent', when: ['always'], then: 'hold', subjects: [{ kind: 'api_key', id: parent.id }] },
    ],
  });
  const { hold } = (await text(child.client)).body;
  assert.equal(hold?.kind, 'approval');
  const approval = await ok<Approval>(operator, 'GET', `/v1/approvals/${hold!.approval_id}`);
  const decide = (as: Client) =>
    as.request<Problem>('POST', `/v1/approvals/${approval.id}/approve`, {
      payload_sha256: approval.payload_sha256,
    });
  for (const as of [client, parent.client, child.client])
    assert.equal((await decide(as)).body.code, 'approval_not_yours');
  assert.equal((await decide(operator)).status, 200);
  await ok(operator, 'PUT', '/v1/approval-policy', { rules: [] });

  await ok(operator, 'POST', '/v1/budgets', {
    subject: { kind: 'api_key', id: parent.id },
    channel: 'sms',
    window: 'day',
    max_count: 2,
  });
  const answers = await Promise.all([parent, child, parent, child, child].map((each) => text(each.client)));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 2);
  assert.equal((await text(client)).status, 201);

  await ok(operator, 'DELETE', `/v1/api-keys/${parent.id}`);
  assert.deepEqual([await status(parent.client), await status(child.client)], [401, 401]);
});

test('U9: the operator sees and revokes every key, and a key only itself and its descendants', async () => {
  const [mine, other] = [await issued(), await issued({}, client)];
  const child = await issued({}, mine.client);
  const seen = async (as: Client) =>
    (await ok<{ items: ApiKey[] }>(as, 'GET', '/v1/api-keys?limit=100')).items.map(({ id }) => id);
  assert.deepEqual((await seen(mine.client)).sort(), [mine.id, child.id].sort());
  for (const { id } of [mine, other, child]) assert.ok((await seen(operator)).includes(id));
  assert.equal((await mine.client.request('DELETE', `/v1/api-keys/${other.id}`)).status, 404);
  await ok(mine.client, 'DELETE', `/v1/api-keys/${child.id}`);
  await ok(client, 'DELETE', `/v1/api-keys/${other.id}`);
  assert.deepEqual([await status(child.client), await status(other.client)], [401, 401]);
});

test('U9: a key that a shared key issued ends when that shared key is replaced; one of the operator key stays', async () => {
  const former = await issued({}, holder('the-former-shared-key'));
  const child = await issued({}, former.client);
  const of_operator = await issued();
  assert.equal(await status(child.client), 200);
  // The same database, started without the former key.
  const next = await startTestApp({}, { db: openDatabase({ url: database_url, max_connections: 4 }) });
  const there = (key: string) => status(next.holder(key));
  assert.deepEqual(
    [await there(former.key), await there(child.key), await there(of_operator.key)],
    [401, 401, 200],
  );
});

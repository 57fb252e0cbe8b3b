// The lineage of keys: a key that another key created has the budgets, rules and limits of its parent, and ends with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey, NewApiKey } from '@parley/contract/access/credentials/api-keys';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { Budget } from '@parley/contract/rules/spending/budgets';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { ok } from '../../../../testing/conversations.ts';
import {
  addMember,
  asPerson,
  issueKey,
  type ManagedOrganization,
  managedOrganization,
  memberClient,
} from '../../../../testing/managed.ts';
import { scriptedModel } from '../../../../testing/scripted-model.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';

const app = await startTestApp({ PARLEY_MANAGED: 'on', WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' });
type Problem = { code: string; detail: string };

const childOf = (parent: Client, more: object = {}) =>
  ok<NewApiKey>(parent, 'POST', '/v1/api-keys', { name: 'Child', ...more });
const text = (client: Client, more: object = {}) =>
  client.request<Sms & Problem>('POST', '/v1/sms', {
    to: '+15005550001',
    body: 'Your table is booked.',
    recipient_consent: true,
    ...more,
  });
const status = async (key: string) => (await app.holder(key).request('GET', '/v1/whoami')).status;

async function keyWithBudget({ owner }: ManagedOrganization, max_count: number) {
  const person = asPerson(app, owner);
  const parent = await issueKey(app, owner);
  const budget = await ok<Budget>(person, 'POST', '/v1/budgets', {
    subject: { kind: 'api_key', id: parent.id },
    channel: 'sms',
    window: 'day',
    max_count,
  });
  return { person, parent, budget, client: app.holder(parent.key) };
}

test('S8: a key shows which key created it', async () => {
  const { client, owner } = await managedOrganization(app);
  const child = await childOf(client);
  const grandchild = await childOf(app.holder(child.key));
  assert.equal(grandchild.parent_key_id, child.id);
  const { items } = await ok<{ items: ApiKey[] }>(client, 'GET', '/v1/api-keys');
  const root = items.find(({ id }) => id === child.parent_key_id)!;
  assert.deepEqual([root.parent_key_id, root.user_id], [null, owner.user_id]);
  const by_person = await ok<NewApiKey>(asPerson(app, owner), 'POST', '/v1/api-keys', { name: 'Mine' });
  assert.equal(by_person.parent_key_id, null);
});

test('S8: descendants of a key spend its budget, exactly, also when all of them send at once', async () => {
  const own = await managedOrganization(app);
  const { client, person, budget } = await keyWithBudget(own, 15);
  const child = app.holder((await childOf(client)).key);
  const grandchild = app.holder((await childOf(child)).key);
  const answers = await Promise.all(
    [client, child, grandchild].flatMap((each) => Array.from({ length: 12 }, () => text(each))),
  );
  assert.equal(answers.filter((answer) => answer.status === 201).length, 15);
  assert.ok(answers.every((answer) => answer.status === 201 || answer.body.code === 'budget_exceeded'));
  assert.equal((await ok<Budget>(person, 'GET', `/v1/budgets/${budget.id}`)).used_count, 15);
});

test('S8: a revoked key ends all of its descendants at once, and the audit log names each', async () => {
  const { client, owner } = await managedOrganization(app);
  const parent = await issueKey(app, owner);
  const child = await childOf(app.holder(parent.key));
  const grandchild = await childOf(app.holder(child.key));
  const other = await childOf(client);
  for (const { key } of [child, grandchild, other]) assert.equal(await status(key), 200);
  await ok(client, 'DELETE', `/v1/api-keys/${parent.id}`);
  assert.deepEqual(
    await Promise.all([parent, child, grandchild, other].map(({ key }) => status(key))),
    [401, 401, 401, 200],
  );
  const entries = await app.db.rows<{ object_id: string }>(
    sql`select object_id from audit_entries where action = 'api_key.revoked' order by id`,
  );
  const revoked = entries.map(({ object_id }) => object_id);
  for (const { id } of [parent, child, grandchild]) assert.ok(revoked.includes(id));
});

test('S8: a key that expires or whose owner is removed ends its descendants, whoever owns them', async () => {
  const { organization, client: owner_key } = await managedOrganization(app);
  const { member, client } = await memberClient(app, organization.id, 'admin');
  const child = await childOf(client);
  const parent = await issueKey(app, member, { expires_at: '2999-01-01T00:00:00Z' });
  const late = await childOf(app.holder(parent.key), { expires_at: '2998-01-01T00:00:00Z' });
  await app.db.run(sql`update api_keys set expires_at = now() - interval '1 second' where id = ${parent.id}`);
  assert.equal(await status(late.key), 401);
  assert.equal(await status(child.key), 200);
  // A program of the operator issued it to somebody else, within the lineage.
  const colleague = await addMember(app, organization.id, { role: 'member' });
  await app.db.run(sql`update api_keys set user_id = ${colleague.user_id} where id = ${child.id}`);
  await ok(owner_key, 'DELETE', `/v1/members/${member.id}`);
  assert.equal(await status(child.key), 401);
});

test('S8: a conversation token ends with the ancestors of the key that created it', async () => {
  const { client, owner } = await managedOrganization(app);
  const sms = (await text(client)).body;
  const path = `/v1/conversations/${sms.conversation_id}/tokens`;
  const parent = await issueKey(app, owner);
  const [revoked, expired] = [await childOf(app.holder(parent.key)), await issueKey(app, owner)];
  const late = await childOf(app.holder(expired.key));
  const [first, second] = [
    await ok<{ token: string }>(app.holder(revoked.key), 'POST', path, {}),
    await ok<{ token: string }>(app.holder(late.key), 'POST', path, {}),
  ];
  // Not used before: a process remembers the end of a token, which nothing but this test moves.
  assert.equal(await status(first.token), 200);
  await app.db.run(
    sql`update api_keys set expires_at = now() - interval '1 second' where id = ${expired.id}`,
  );
  await ok(client, 'DELETE', `/v1/api-keys/${parent.id}`);
  assert.deepEqual([await status(first.token), await status(second.token)], [401, 401]);
});

test('S8: a key of a parent that is revoked at the same time is not left behind', async () => {
  const { client, owner } = await managedOrganization(app);
  for (let round = 0; round < 5; round++) {
    const parent = await issueKey(app, owner);
    const [created] = await Promise.all([
      app.holder(parent.key).request<NewApiKey>('POST', '/v1/api-keys', { name: 'Late' }),
      client.request('DELETE', `/v1/api-keys/${parent.id}`),
    ]);
    assert.ok([201, 401].includes(created.status), created.text);
    if (created.status === 201) assert.equal(await status(created.body.key), 401);
  }
});

test('S8: keys of one lineage share the request limit of the first one', async () => {
  const { client } = await managedOrganization(app);
  const remaining = async (of: Client) =>
    Number((await of.request('GET', '/v1/whoami')).headers.get('ratelimit-remaining'));
  const child = app.holder((await childOf(client)).key);
  const before = await remaining(client);
  await remaining(child);
  assert.ok((await remaining(client)) <= before - 2);
});

test('S8: a rule about a key also holds what its children and its agents send', async () => {
  const own = await managedOrganization(app);
  const { person, parent, client } = await keyWithBudget(own, 1000);
  await ok(person, 'PUT', '/v1/approval-policy', {
    rules: [
      { name: 'This key', when: ['always'], then: 'hold', subjects: [{ kind: 'api_key', id: parent.id }] },
    ],
  });
  const child = app.holder((await childOf(client)).key);
  assert.equal((await text(child)).body.hold?.kind, 'approval');
  assert.equal((await text(own.client)).body.hold, null);
});

test('S8: no key decides what its parent, child or sibling asked, nor what other programs of its owner asked', async () => {
  const own = await managedOrganization(app);
  const { organization, owner } = own;
  const person = asPerson(app, owner);
  await ok(person, 'PUT', '/v1/approval-policy', {
    rules: [{ name: 'All', when: ['always'], then: 'hold' }],
  });
  const issued = (scopes: string[], as = person) =>
    ok<NewApiKey>(as, 'POST', '/v1/api-keys', { name: 'Program', scopes });
  const pending = async (by: Client) => {
    const { body } = await text(by);
    return ok<Approval>(person, 'GET', `/v1/approvals/${body.hold!.approval_id}`);
  };
  const decide = (by: Client, { id, payload_sha256 }: Approval) =>
    by.request<Problem>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });

  const parent = app.holder((await issued(['*', 'approvals:write'])).key);
  const child = app.holder((await childOf(parent)).key);
  for (const asked of [await pending(child), await pending(parent)])
    assert.deepEqual((await decide(parent, asked)).body.code, 'approval_not_yours');

  // Children cannot get the scope, so siblings that decide exist only by the hand of a person; the lineage is compared anyway.
  const sibling = await childOf(parent, { scopes: ['sms:write', 'sms:read'] });
  await app.db.run(
    sql`update api_keys set scopes = ${['approvals:write', 'sms:read']} where id = ${sibling.id}`,
  );
  assert.equal((await decide(app.holder(sibling.key), await pending(child))).body.code, 'approval_not_yours');

  const other = app.holder((await issued(['*', 'approvals:write'])).key);
  assert.equal((await decide(other, await pending(child))).body.code, 'approval_not_yours');
  const only_decides = app.holder((await issued(['approvals:write', 'approvals:read'])).key);
  assert.equal((await decide(only_decides, await pending(child))).status, 200);
  const colleague = await memberClient(app, organization.id, 'owner');
  const of_colleague = await issued(['*', 'approvals:write'], asPerson(app, colleague.member));
  assert.equal((await decide(app.holder(of_colleague.key), await pending(child))).status, 200);
});

test('S8: what an agent sends counts for the key that created it, also after that key was revoked', async () => {
  const own = await managedOrganization(app);
  const { client, parent } = await keyWithBudget(own, 1);
  const model = await scriptedModel([]);
  await ok(own.client, 'PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-model',
    params: { base_url: model.base_url, model: 'm' },
  });
  const number = await ok<{ id: string; e164: string }>(own.client, 'POST', '/v1/numbers', {
    country_code: 'US',
  });
  const agent = await ok<{ id: string }>(app.holder((await childOf(client)).key), 'POST', '/v1/agents', {
    name: 'Desk',
    ai_disclosure: false,
  });
  await ok(own.client, 'PATCH', `/v1/numbers/${number.id}`, { sms_agent_id: agent.id });
  const say = async (from: string) => {
    model.left.splice(0, model.left.length, ...[1, 2, 3].map(() => ({ when: /./, say: 'Yes.' })));
    await ok(own.client, 'POST', '/v1/sandbox/inbound-sms', { from, to: number.e164, body: 'Are you open?' });
    await app.later(60);
  };
  const answers = async () =>
    (await ok<{ items: Sms[] }>(own.client, 'GET', '/v1/sms?direction=outbound')).items.length;
  await say('+14155550101');
  await waitFor('the first answer', async () => (await answers()) === 1);
  await ok(own.client, 'DELETE', `/v1/api-keys/${parent.id}`);
  await say('+14155550102');
  await app.later(3600);
  assert.equal(await answers(), 1);
});

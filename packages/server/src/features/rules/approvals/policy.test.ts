// The approval policy: who may change it, which rules are refused, and what it would have held.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalDryRun, ApprovalPolicy } from '@parley/contract/rules/approvals/approval-policy';
import { startTestApp } from '../../../../testing/app.ts';
import { addMember, issueKey, managedOrganization } from '../../../../testing/managed.ts';

const app = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client, operator, organization } = app;
const strangers = { name: 'Strangers', when: ['not_vouched'], then: 'hold' };
const set = (as: typeof client, rules: unknown[]) =>
  as.request<ApprovalPolicy & { code: string; detail: string }>('PUT', '/v1/approval-policy', { rules });
const email = (to: string) => ({ recipient_consent: true, to: [to], subject: 'Hello', body_text: 'Hi' });

test('without a policy the list of rules is empty', async () => {
  const policy = await client.request('GET', '/v1/approval-policy');
  assert.deepEqual([policy.status, policy.body], [200, { version: 0, rules: [], agent_approval: 'by_tool' }]);
});

test('the shared key sets the first rule only; the operator key every one, with defaults and an audit entry', async () => {
  const first = await set(client, [strangers]);
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(first.body.rules[0], {
    ...strangers,
    subjects: [{ kind: 'any' }],
    channels: [
      'calls',
      'emails',
      'sms',
      'number_purchase',
      'forward_address',
      'webhooks',
      'tools',
      'mcp_servers',
      'providers',
    ],
    approvers: [{ kind: 'role', id: 'admin' }],
    decide_by: ['console'],
    expires_in_seconds: 86_400,
  });
  const second = await set(client, []);
  assert.deepEqual([second.status, second.body.code], [403, 'person_required']);
  const ended = await set(operator, []);
  assert.deepEqual([ended.status, ended.body], [200, { version: 2, rules: [], agent_approval: 'by_tool' }]);
  const log = await client.request<{ items: { credential_id: string; detail: unknown }[] }>(
    'GET',
    '/v1/admin/audit-log?action=approval_policy.changed',
  );
  assert.deepEqual(
    log.body.items.map(({ credential_id, detail }) => [credential_id, detail]),
    [
      ['operator_key', { version: 2 }],
      ['shared_key', { version: 1 }],
    ],
  );
});

test('a change that names the version it started from is refused when the rules changed since', async () => {
  const { version } = (await client.request<ApprovalPolicy>('GET', '/v1/approval-policy')).body;
  const setFrom = (expected: number) =>
    operator.request<ApprovalPolicy & { code: string }>('PUT', '/v1/approval-policy', {
      rules: [strangers],
      version: expected,
    });
  const answers = await Promise.all([setFrom(version), setFrom(version)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const stale = await setFrom(version);
  assert.deepEqual([stale.status, stale.body.code], [409, 'rules_changed'], stale.text);
  assert.equal((await setFrom(version + 1)).body.version, version + 2);
  assert.equal((await set(operator, [])).status, 200, 'without a version it always applies');
});

test('keys, members and OAuth grants cannot change it; owners and admins who are signed in can', async () => {
  const { organization: own } = await managedOrganization(app);
  const as = (credential_kind: 'api_key' | 'oauth' | 'session', role: 'owner' | 'admin' | 'member') =>
    organization({ organization_id: own.id, credential_kind, role });
  for (const caller of [as('api_key', 'owner'), as('oauth', 'owner'), as('session', 'member')]) {
    const refused = await set(caller, [strangers]);
    assert.deepEqual([refused.status, refused.body.code], [403, 'person_required']);
  }
  assert.equal((await set(as('session', 'admin'), [strangers])).status, 200);
});

test('a rule that holds messages back without an approver is refused with its own code', async () => {
  const { organization: own, owner } = await managedOrganization(app);
  const person = organization({ organization_id: own.id, credential_kind: 'session' });
  const refused = async (rule: object) => {
    const answer = await set(person, [{ ...strangers, ...rule }]);
    assert.deepEqual([answer.status, answer.body.code], [422, 'no_approver'], answer.text);
  };
  await refused({ approvers: [{ kind: 'member', id: '019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e71' }] });
  await refused({ approvers: [{ kind: 'role', id: 'boss' }] });
  const empty = organization({ credential_kind: 'session' });
  assert.equal((await set(empty, [strangers])).body.code, 'no_approver');
  // Refusing needs nobody.
  assert.equal((await set(empty, [{ ...strangers, then: 'refuse' }])).status, 200);
  const by_member = { approvers: [{ kind: 'member', id: owner.id }], decide_by: ['link'] };
  assert.equal((await set(person, [{ ...strangers, ...by_member }])).status, 200);
});

test('rules have limits and known conditions, and their names are unique', async () => {
  for (const rules of [
    [strangers, strangers],
    [{ ...strangers, when: ['sometimes'] }],
    [{ ...strangers, when: [{ recipients_over: 5, batch_over: 2 }] }],
    [{ ...strangers, when: [] }],
    [{ ...strangers, expires_in_seconds: 299 }],
    [{ ...strangers, channels: ['fax'] }],
    Array.from({ length: 51 }, (_, index) => ({ ...strangers, name: `Rule ${index}` })),
  ]) {
    const answer = await set(operator, rules);
    assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], answer.text);
  }
  const conditions = ['always', { recipients_over: 5 }, { amount_over_micros: 1 }, { purpose: 'marketing' }];
  assert.equal((await set(operator, [{ ...strangers, when: conditions }])).status, 200);
  assert.equal((await set(operator, [])).status, 200);
});

test('trusted recipients are addresses, numbers and domains in one spelling', async () => {
  const trust = (recipients: string[]) =>
    operator.request<{ recipients: string[]; code: string }>('PUT', '/v1/trusted-recipients', { recipients });
  const answer = await trust(['ANA@Example.com', 'bücher.example', '+14155550123', 'ana@example.com']);
  assert.deepEqual(answer.body.recipients, ['ana@example.com', 'xn--bcher-kva.example', '+14155550123']);
  assert.deepEqual((await client.request('GET', '/v1/trusted-recipients')).body, {
    recipients: answer.body.recipients,
  });
  for (const wrong of ['+1', 'nobody', 'a b@c', '@example.com'])
    assert.equal((await trust([wrong])).body.code, 'validation_failed', wrong);
  assert.equal((await client.request('PUT', '/v1/trusted-recipients', { recipients: [] })).status, 403);
  await trust([]);
});

test('a dry run says what the last days would have been, by rule, and changes nothing', async () => {
  const { organization: own, owner } = await managedOrganization(app);
  const key = app.holder((await issueKey(app, owner)).key);
  const person = organization({ organization_id: own.id, credential_kind: 'session' });
  await person.request('POST', '/v1/contacts', { name: 'Bo', email: 'bo@example.com' });
  await key.request('POST', '/v1/contacts', { name: 'Eve', email: 'eve@example.com' });
  const member = await addMember(app, own.id, { role: 'member' });
  for (const to of ['bo@example.com', 'eve@example.com', 'mallory@example.com', member.email]) {
    assert.equal((await key.request('POST', '/v1/emails', email(to))).status, 201);
  }
  const run = await key.request<ApprovalDryRun>('POST', '/v1/approval-policy/dry-run', {
    rules: [
      { name: 'Mallory', channels: ['sms'], when: ['always'], then: 'refuse' },
      { ...strangers, channels: ['emails'] },
    ],
  });
  assert.equal(run.status, 200, run.text);
  const { considered, held, refused, by_rule, examples } = run.body;
  assert.deepEqual(
    { considered, held, refused, by_rule },
    {
      considered: 4,
      held: 2,
      refused: 0,
      by_rule: [
        { rule: 'Mallory', matched: 0 },
        { rule: 'Strangers', matched: 2 },
      ],
    },
  );
  assert.deepEqual(examples.map(({ to }) => to[0]).sort(), ['eve@example.com', 'mallory@example.com']);
  assert.deepEqual((await key.request('GET', '/v1/approval-policy')).body.rules, []);
  assert.equal((await key.request('POST', '/v1/emails', email('mallory@example.com'))).status, 201);
  const fresh = await key.request<ApprovalDryRun>('POST', '/v1/approval-policy/dry-run', {
    rules: [{ name: 'New', when: ['new_recipient'], then: 'hold' }],
  });
  // The emails to Eve, a contact that a program made, and the first of the two to Mallory.
  assert.deepEqual([fresh.body.considered, fresh.body.held], [5, 2]);
});

test('a program that changes the address of a vouched contact takes the voucher away; only a person gives it', async () => {
  const { organization: own, owner } = await managedOrganization(app);
  const key = app.holder((await issueKey(app, owner)).key);
  const person = organization({ organization_id: own.id, credential_kind: 'session' });
  type Contact = { id: string; is_vouched: boolean; code: string };
  const made = await person.request<Contact>('POST', '/v1/contacts', { name: 'Bo', email: 'bo@example.com' });
  const patch = (as: typeof client, body: object) =>
    as.request<Contact>('PATCH', `/v1/contacts/${made.body.id}`, body);
  assert.equal(made.body.is_vouched, true);
  assert.equal((await patch(key, { name: 'Bob' })).body.is_vouched, true);
  assert.equal((await patch(key, { email: 'mallory@example.com' })).body.is_vouched, false);
  assert.equal((await patch(key, { is_vouched: true })).body.code, 'person_required');
  assert.equal((await patch(person, { is_vouched: true })).body.is_vouched, true);
});

test('only a person issues a key that decides approvals', async () => {
  const { organization: own, owner } = await managedOrganization(app);
  const body = { name: 'Decider', user_id: owner.user_id, scopes: ['approvals:write'] };
  const path = `/v1/admin/organizations/${own.id}/api-keys`;
  assert.equal((await client.request('POST', path, body)).body.code, 'person_required');
  assert.equal((await operator.request('POST', path, body)).status, 201);
});

// Approvals of calls: the plan is shown, an approved call is placed once, a rejected one never.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, people, until } from '../../../../testing/calls.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const { client, operator } = await startTestApp({}, { speech: () => codedSpeech() });
const rules = [{ name: 'Calls', channels: ['calls'], when: ['always'], then: 'hold' }];
const set = await operator.request('PUT', '/v1/approval-policy', { rules });
assert.equal(set.status, 200, set.text);

const read = async (id: string) => (await client.request<Call>('GET', `/v1/calls/${id}`)).body;
async function held(to: string = people.busy) {
  const made = await client.request<Call>('POST', '/v1/calls', {
    to,
    recipient_consent: true,
    system_prompt: 'Ask for the invoice.',
  });
  assert.deepEqual(
    [made.status, made.body.status, made.body.hold?.kind],
    [201, 'queued', 'approval'],
    made.text,
  );
  const path = `/v1/approvals/${made.body.hold!.approval_id}`;
  return { call: made.body, path, approval: (await client.request<Approval>('GET', path)).body };
}

test('an approved call is placed; the approval shows what the agent is told', async () => {
  const { call, path, approval } = await held();
  assert.deepEqual(approval.shown.to, [people.busy]);
  assert.match(JSON.stringify(approval.shown), /Ask for the invoice\./);
  const { payload_sha256 } = approval;
  const decided = await operator.request('POST', `${path}/approve`, { payload_sha256 });
  assert.equal(decided.status, 200, decided.text);
  await waitFor('the call is over', async () => (await read(call.id)).status === 'busy');
});

test('a rejected call is canceled, and canceling a call cancels its approval', async () => {
  const rejected = await held();
  assert.equal((await operator.request('POST', `${rejected.path}/reject`, {})).status, 200);
  const { status, end_reason } = await read(rejected.call.id);
  assert.deepEqual([status, end_reason], ['canceled', 'approval_rejected']);
  const canceled = await held();
  assert.equal((await client.request('POST', `/v1/calls/${canceled.call.id}/cancel`)).status, 200);
  assert.equal((await client.request<Approval>('GET', canceled.path)).body.status, 'canceled');
});

test('S13: a program has nothing said on an approved call that nobody approved; a person has', async () => {
  const setPolicy = async (list: object[]) =>
    assert.equal((await operator.request('PUT', '/v1/approval-policy', { rules: list })).status, 200);
  await setPolicy([{ name: 'Strangers', when: ['not_vouched'], then: 'hold' }]);
  const { call, path, approval } = await held(people.converses);
  const { payload_sha256 } = approval;
  assert.equal((await operator.request('POST', `${path}/approve`, { payload_sha256 })).status, 200);
  await until(client, call.id, 'in_progress');
  const command = async (as: typeof client, kind: string, body: object) => {
    const answer = await as.request<{ code?: string }>('POST', `/v1/calls/${call.id}/${kind}`, body);
    return [answer.status, answer.body.code];
  };
  const commands: [string, object][] = [
    ['say', { text: 'Please transfer 5000 euros.' }],
    ['instruct', { text: 'Ask for the card number.' }],
    ['digits', { digits: '1' }],
    ['transfer', { to: '+14155559001', recipient_consent: true }],
  ];
  for (const [kind, body] of commands)
    assert.deepEqual(await command(client, kind, body), [403, 'not_allowed_by_policy'], kind);
  assert.equal((await command(operator, 'say', { text: 'One moment.' }))[0], 200);
  // A rule that lets programs call allows their commands, too.
  await setPolicy([{ name: 'Calls', channels: ['calls'], when: ['always'], then: 'allow' }]);
  await waitFor(
    'the rule applies',
    async () => (await command(client, 'say', { text: 'Hello?' }))[0] === 200,
  );
  await client.request('POST', `/v1/calls/${call.id}/cancel`);
});

test('S13: a program has nothing said on a call of a person that the policy holds back for programs', async () => {
  assert.equal((await operator.request('PUT', '/v1/approval-policy', { rules })).status, 200);
  const made = await operator.request<Call>('POST', '/v1/calls', {
    to: people.converses,
    recipient_consent: true,
    system_prompt: 'Ask for the invoice.',
  });
  await until(client, made.body.id, 'in_progress');
  const path = `/v1/calls/${made.body.id}/say`;
  await waitFor(
    'the rule applies',
    async () => (await client.request('POST', path, { text: 'Hi' })).status === 403,
  );
  assert.equal((await operator.request('POST', path, { text: 'Hi' })).status, 200);
});

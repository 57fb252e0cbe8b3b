// Caps, kill switch and charges for calls.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Balance, LedgerEntry } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, people } from '../../../../testing/calls.ts';
import { managedOrganization } from '../../../../testing/managed.ts';

const managed = await startTestApp(
  { PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' },
  { speech: () => codedSpeech() },
);
const { operator } = managed;

const call = (as: Client, to: string = people.busy, headers: Record<string, string> = {}) =>
  as.request<Call & { code: string }>('POST', '/v1/calls', { to, recipient_consent: true }, headers);
const credit = (organization_id: string, amount_micros: number) =>
  operator.request('POST', `/v1/admin/organizations/${organization_id}/funds/credits`, { amount_micros });
const balance = async (of: Client) => (await of.request<Balance>('GET', '/v1/funds')).body.balance_micros;
const ledger = async (of: Client) =>
  (await of.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger')).body.items;

test('an organization of agent origin cannot exceed its cap of calls, also with concurrent requests', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { calls: 2 },
  });
  const responses = await Promise.all(Array.from({ length: 6 }, () => call(agent)));
  assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 201, 429, 429, 429, 429]);
  const capped = responses.find(({ status }) => status === 429)!;
  assert.equal(capped.body.code, 'velocity_capped');
  assert.ok(Number(capped.headers.get('retry-after')) > 0);
  const { body } = await agent.request<{ items: Call[] }>('GET', '/v1/calls');
  assert.equal(body.items.length, 2);
});

test('a refused call is not counted', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { calls: 1 },
  });
  assert.equal((await call(agent, '+19005551234')).body.code, 'destination_not_allowed');
  assert.equal((await call(agent)).status, 201);
});

test('the kill switch stops calls', async () => {
  const { client: human } = await managedOrganization(managed);
  try {
    await operator.request('PATCH', '/v1/admin/kill-switch', { calls: true });
    const response = await call(human);
    assert.deepEqual([response.status, response.body.code], [429, 'kill_switch']);
  } finally {
    await operator.request('PATCH', '/v1/admin/kill-switch', { calls: false });
  }
  assert.equal((await call(human)).status, 201);
});

test('a call costs its started minutes, once; without funds for one minute it is not placed', async () => {
  await operator.request('PATCH', '/v1/admin/prices', { call_minute: 50_000 });
  try {
    const { client: human, organization } = await managedOrganization(managed);
    const poor = await call(human);
    assert.deepEqual([poor.status, poor.body.code], [402, 'insufficient_funds']);
    await credit(organization.id, 60_000);

    // The call is not answered: nothing is charged.
    const busy = await call(human);
    await ended(human, busy.body.id);
    assert.equal(await balance(human), 60_000);

    const key = { 'idempotency-key': randomUUID() };
    const answered = await call(human, people.hangs_up, key);
    assert.equal((await call(human, people.hangs_up, key)).text, answered.text);
    const record = await ended(human, answered.body.id);
    assert.equal(record.end_reason, 'callee_hangup');
    assert.equal(await balance(human), 10_000);
    assert.equal((await ledger(human))[0]!.reference, answered.body.id);

    const talked = await managedOrganization(managed);
    await credit(talked.organization.id, 50_000);
    const { body } = await call(talked.client, people.converses);
    const long = await ended(talked.client, body.id);
    assert.ok(long.duration_seconds! > 0);
    const minutes = Math.ceil(long.duration_seconds! / 60);
    assert.deepEqual(
      (await ledger(talked.client)).map(({ item, quantity, reference, amount_micros }) => [
        item,
        quantity,
        reference,
        amount_micros,
      ])[0],
      ['call_minute', minutes, body.id, -50_000 * minutes],
    );
    assert.equal((await call(talked.client)).status, 402);
  } finally {
    await operator.request('PATCH', '/v1/admin/prices', { call_minute: 0 });
  }
});

test('a queued call ends with insufficient_funds when the balance is used up before it is dialed', async () => {
  await operator.request('PATCH', '/v1/admin/prices', { call_minute: 50_000 });
  try {
    const { client: human, organization } = await managedOrganization(managed);
    // Three of them reserve a minute each.
    await credit(organization.id, 200_000);
    // One after the other, so that no number is left for the last one.
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await call(human, people.never_answers)).body.id);
    const last = ids.pop()!;
    await credit(organization.id, -200_000);
    for (const id of ids) await human.request('POST', `/v1/calls/${id}/cancel`);
    const record = await ended(human, last);
    assert.deepEqual([record.status, record.end_reason], ['failed', 'insufficient_funds']);
  } finally {
    await operator.request('PATCH', '/v1/admin/prices', { call_minute: 0 });
  }
});

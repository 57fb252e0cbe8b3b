// What only the operator of a server loosens: prices, funds, limits of organizations and the kill switch. Without accounts an agent
// has the shared key, so the operator key decides.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, startTestApp } from '../../../../testing/app.ts';

type Problem = { code: string };

const { client, operator } = await startTestApp();
const outcome = ({ status, body }: { status: number; body: Partial<Problem> }) =>
  status < 300 ? status : [status, body.code];
const person_required = [403, 'person_required'];

async function operatesAll(of: Client): Promise<void> {
  assert.equal((await of.request('PATCH', '/v1/admin/prices', { sms_segment: 5 })).status, 200);
  assert.equal((await of.request('PATCH', '/v1/admin/kill-switch', { sms: true })).status, 200);
  assert.equal((await of.request('PATCH', '/v1/admin/kill-switch', { sms: false })).status, 200);
}

test('S10: the shared key changes no price, adds no funds, raises no limit and does not release the kill switch', async () => {
  const prices = '/v1/admin/prices';
  assert.deepEqual(
    outcome(await client.request<Problem>('PATCH', prices, { sms_segment: 0 })),
    person_required,
  );
  assert.equal((await operator.request('PATCH', prices, { sms_segment: 1000 })).status, 200);
  const control = '/v1/admin/kill-switch';
  assert.equal((await client.request('PATCH', control, { sms: true })).status, 200, 'stricter');
  for (const patch of [{ sms: false }, { calls: true, sms: false }])
    assert.deepEqual(outcome(await client.request<Problem>('PATCH', control, patch)), person_required);
  assert.equal((await operator.request('PATCH', control, { sms: false })).status, 200);
  const path = `/v1/admin/organizations/${client.organization_id}`;
  const cap = (of: Client, sms: number | null) =>
    of.request<Problem>('PATCH', path, { velocity_caps: { sms } });
  assert.equal((await cap(client, 5)).status, 200);
  assert.deepEqual(outcome(await cap(client, 6)), person_required);
  assert.deepEqual(outcome(await cap(client, null)), person_required);
  assert.equal((await cap(operator, 6)).status, 200);
  const credit = { amount_micros: 1_000_000 };
  const credits = `${path}/funds/credits`;
  assert.deepEqual(outcome(await client.request<Problem>('POST', credits, credit)), person_required);
  assert.equal((await operator.request('POST', credits, credit)).status, 201);
});

test('S10: without an operator key the shared key is the only operator', async () => {
  const { client: only } = await startTestApp({}, { operator_key: null });
  await operatesAll(only);
});

test('S10: where people have accounts, the shared key is the key of the operator', async () => {
  const { client: shared } = await startTestApp({ PARLEY_MANAGED: 'on' });
  await operatesAll(shared);
});

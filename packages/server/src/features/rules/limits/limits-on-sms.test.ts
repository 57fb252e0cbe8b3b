// Caps, kill switch and charges for text messages.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Balance, LedgerEntry } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' });
const { operator } = managed;
type Answer = { code: string; id: string };

const send = (as: Client, headers: Record<string, string> = {}) =>
  as.request<Answer>(
    'POST',
    '/v1/sms',
    { to: '+15005550001', body: 'Hello', recipient_consent: true },
    headers,
  );
const credit = (organization_id: string, amount_micros: number) =>
  operator.request('POST', `/v1/admin/organizations/${organization_id}/funds/credits`, { amount_micros });

test('an organization of agent origin cannot exceed its cap of texts', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { sms: 2 },
  });
  const responses = await Promise.all(Array.from({ length: 6 }, () => send(agent)));
  const statuses = responses.map((response) => response.status).sort();
  assert.deepEqual(statuses, [201, 201, 429, 429, 429, 429]);
  assert.equal(responses.find((response) => response.status === 429)!.body.code, 'velocity_capped');
});

test('a refused text is neither counted nor charged', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { sms: 1 },
  });
  const path = '/v1/sms/suppressions';
  const suppressed = await agent.request<{ id: string }>('POST', path, { recipient: '+15005550001' });
  assert.equal((await send(agent)).body.code, 'recipient_suppressed');
  const { organization_id } = agent;
  const person = managed.organization({ organization_id, credential_kind: 'session' });
  await person.request('DELETE', `${path}/${suppressed.body.id}`);
  assert.equal((await send(agent)).status, 201);
});

test('the kill switch stops texts', async () => {
  const { client: human } = await managedOrganization(managed);
  try {
    await operator.request('PATCH', '/v1/admin/kill-switch', { sms: true });
    const response = await send(human);
    assert.deepEqual([response.status, response.body.code], [429, 'kill_switch']);
  } finally {
    await operator.request('PATCH', '/v1/admin/kill-switch', { sms: false });
  }
});

test('a text costs its segments, once, and without funds it is not sent', async () => {
  await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 10_000 });
  const { client: human, organization } = await managedOrganization(managed);
  const poor = await send(human);
  assert.deepEqual([poor.status, poor.body.code], [402, 'insufficient_funds']);
  const none = await human.request<{ items: unknown[] }>('GET', '/v1/sms');
  assert.deepEqual(none.body.items, []);

  await credit(organization.id, 15_000);
  const key = { 'idempotency-key': randomUUID() };
  const sent = await send(human, key);
  assert.equal(sent.status, 201, sent.text);
  assert.equal((await send(human, key)).text, sent.text);
  assert.equal((await human.request<Balance>('GET', '/v1/funds')).body.balance_micros, 5000);
  const ledger = await human.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger');
  assert.equal(ledger.body.items[0]!.reference, sent.body.id);
  assert.equal((await send(human)).status, 402);
});

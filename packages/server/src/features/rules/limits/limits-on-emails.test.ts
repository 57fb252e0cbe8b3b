// Caps and kill switch for emails.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on' });
const { client, operator } = managed;
type Problem = { code: string; id: string };

const send = (as: Client, headers: Record<string, string> = {}) =>
  as.request<Problem>(
    'POST',
    '/v1/emails',
    { to: ['delivered@sandbox.test'], subject: 'Hello', recipient_consent: true },
    headers,
  );

test('an organization of agent origin cannot exceed its cap of emails, also with concurrent requests', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { emails: 3 },
  });
  const responses = await Promise.all(Array.from({ length: 8 }, () => send(agent)));
  const statuses = responses.map((response) => response.status);
  assert.equal(statuses.filter((status) => status === 201).length, 3, statuses.join());
  const refused = responses.find((response) => response.status === 429)!;
  assert.equal(refused.body.code, 'velocity_capped');
  assert.equal(refused.headers.get('ratelimit-limit'), '3');
  assert.match(refused.headers.get('retry-after')!, /^\d+$/);
  const { body } = await agent.request<{ items: unknown[] }>('GET', '/v1/emails');
  assert.equal(body.items.length, 3, 'what was refused was not stored');
});

test('a repeated request gets its stored response, also when the cap is reached or the channel is stopped', async () => {
  const { client: agent, organization } = await managedOrganization(managed, { origin: 'agent' });
  await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
    velocity_caps: { emails: 1 },
  });
  const key = { 'idempotency-key': randomUUID() };
  const first = await send(agent, key);
  assert.equal(first.status, 201, first.text);
  assert.equal((await send(agent)).status, 429);
  const again = await send(agent, key);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  try {
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    assert.equal((await send(agent)).body.code, 'kill_switch');
    const still = await send(agent, key);
    assert.deepEqual([still.status, still.text], [201, first.text]);
  } finally {
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
  }
});

test('the kill switch stops every organization, including the shared key, until it is switched off', async () => {
  const { client: human } = await managedOrganization(managed);
  try {
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: true });
    for (const each of [human, client]) {
      const response = await send(each);
      assert.deepEqual([response.status, response.body.code], [429, 'kill_switch']);
      assert.equal(response.headers.get('retry-after'), '60');
    }
  } finally {
    await operator.request('PATCH', '/v1/admin/kill-switch', { emails: false });
  }
  assert.equal((await send(human)).status, 201);
});

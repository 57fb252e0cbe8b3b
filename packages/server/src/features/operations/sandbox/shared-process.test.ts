// The sandbox in a process that tenants share: off by default, and its clock does not affect other tenants.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Identity } from '@parley/contract/access/identity';
import { type Client, startTestApp } from '../../../../testing/app.ts';
import { issueKey, managedOrganization } from '../../../../testing/managed.ts';
import { advanceClock } from '../../../../testing/webhooks.ts';
import { readConfig } from '../../../config/config.ts';
import { systemClock } from '../../../platform/clock.ts';

const day_seconds = 86_400;
const wall_clock = systemClock();
const app = await startTestApp({ PARLEY_MANAGED: 'on' }, { wall_clock });
const { client, operator, url, holder } = app;
type Problem = { code: string };

async function upload(of: Client): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob(['kept']), 'kept.txt');
  const headers = { authorization: `Bearer ${of.key}` };
  const answer = await fetch(`${url}/v1/email-attachments`, { method: 'POST', headers, body: form });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { id: string }).id;
}
const send = (of: Client, more: Record<string, unknown> = {}, headers = {}) =>
  of.request<{ id: string } & Problem>(
    'POST',
    '/v1/emails',
    { to: ['delivered@sandbox.test'], subject: 'Hello', recipient_consent: true, ...more },
    headers,
  );

describe('in managed mode (I4)', () => {
  test('a tenant cannot move the clock or create events', async () => {
    const { client: tenant } = await managedOrganization(app);
    for (const [path, body] of [
      ['/v1/sandbox/clock', { advance_seconds: 60 }],
      ['/v1/sandbox/events', { type: 'call.completed' }],
    ] as const) {
      const answer = await tenant.request<Problem>('POST', path, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'], path);
      assert.ok((await client.request('POST', path, body)).status < 300, path);
    }
    assert.equal((await tenant.request('GET', '/v1/sandbox/clock')).status, 200);
  });

  test('a moved clock deletes no events and uploads, and expires no keys and idempotency keys', async () => {
    const { client: tenant, owner } = await managedOrganization(app);
    const { key } = await issueKey(app, owner, {
      expires_at: new Date(Date.now() + 3 * day_seconds * 1000).toISOString(),
    });
    const attachment_id = await upload(tenant);
    const first = await send(tenant, {}, { 'idempotency-key': 'once' });
    const eventsOf = async () =>
      (await tenant.request<{ items: { id: string }[] }>('GET', '/v1/events')).body.items.map(({ id }) => id);
    const before = await eventsOf();
    assert.ok(before.length > 0);
    await advanceClock(client, 120 * day_seconds);
    for (const id of before) assert.ok((await eventsOf()).includes(id));
    assert.equal((await send(tenant, { attachment_ids: [attachment_id] })).status, 201);
    assert.equal((await holder(key).request<Identity>('GET', '/v1/whoami')).status, 200);
    const again = await send(tenant, {}, { 'idempotency-key': 'once' });
    assert.equal(again.body.id, first.body.id);
  });

  test('a moved clock does not reset a cap', async () => {
    const { client: agent, organization } = await managedOrganization(app, { origin: 'agent' });
    const capped = await operator.request('PATCH', `/v1/admin/organizations/${organization.id}`, {
      velocity_caps: { emails: 1 },
    });
    assert.equal(capped.status, 200);
    assert.equal((await send(agent)).status, 201);
    await advanceClock(client, 2 * 3600);
    const refused = await send(agent);
    assert.deepEqual([refused.status, refused.body.code], [429, 'velocity_capped']);
  });

  test('keys and uploads expire by the time of the machine', async () => {
    const { client: tenant, owner } = await managedOrganization(app);
    const { key } = await issueKey(app, owner, { expires_at: new Date(Date.now() + 60_000).toISOString() });
    const attachment_id = await upload(tenant);
    assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 200);
    wall_clock.moveTo(31 * day_seconds * 1000);
    assert.equal((await holder(key).request('GET', '/v1/whoami')).status, 401);
    const late = await send(tenant, { attachment_ids: [attachment_id] });
    assert.equal(late.body.code, 'attachment_expired');
    wall_clock.moveTo(0);
  });
});

test('the sandbox is on by default only without real providers and without managed mode (I4)', () => {
  const sandbox = (environment: Record<string, string>) => readConfig(environment, '/').sandbox;
  assert.equal(sandbox({}), true);
  const telnyx = {
    TELNYX_API_KEY: 'KEY',
    TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString('base64'),
    TELNYX_MESSAGING_PROFILE_ID: 'profile',
  };
  const twilio = { TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`, TWILIO_AUTH_TOKEN: 'token' };
  for (const environment of [
    { PARLEY_MANAGED: 'on' },
    { PARLEY_SMTP_URL: 'smtp://relay.example' },
    { PARLEY_MAIL_TRANSPORT: 'smtp', PARLEY_SMTP_URL: 'smtp://relay.example' },
    { ...twilio },
    { ...twilio, PARLEY_CARRIER: 'twilio' },
    { ...telnyx },
    { PARLEY_SIP_TRUNK_HOST: 'sip.example' },
    { PARLEY_CARRIER: 'sip', PARLEY_SIP_TRUNK_HOST: 'sip.example' },
  ] as Record<string, string>[]) {
    assert.equal(sandbox(environment), false, JSON.stringify(environment));
    assert.equal(sandbox({ ...environment, PARLEY_SANDBOX: 'on' }), true, JSON.stringify(environment));
  }
});

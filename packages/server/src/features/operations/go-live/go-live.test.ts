// What is missing to go live: found in the settings and in the records of the organization, with the fix for each.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { GoLive } from '@parley/contract/operations/go-live';
import { startTestApp, type TestApp } from '../../../../testing/app.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../testing/carriers/twilio.ts';
import { startDns } from '../../../../testing/dns-server.ts';
import { relayOf } from '../../../../testing/scripted-relay.ts';

const read = async (client: TestApp['client']) => {
  const { status, body, text } = await client.request<GoLive>('GET', '/v1/go-live');
  assert.equal(status, 200, text);
  return { ...body, by: new Map(body.items.map((item) => [item.check, item])) };
};
const sandbox = await startTestApp();

test('in the sandbox every channel is missing something, with the setting or command that provides it', async () => {
  const { ready, by } = await read(sandbox.client);
  assert.equal(ready, false);
  for (const [check, setting] of [
    ['base_url', 'PARLEY_BASE_URL'],
    ['carrier', 'PARLEY_CARRIER'],
    ['mail_transport', 'PARLEY_SMTP_URL'],
    ['dns', 'PARLEY_SERVICE_MAIL_DOMAIN'],
  ] as const) {
    assert.equal(by.get(check)!.status, 'missing', check);
    assert.ok(by.get(check)!.settings.includes(setting), check);
    assert.ok(by.get(check)!.fix, check);
  }
  assert.match(by.get('llm')!.command!, /^parley providers set llm/);
  assert.match(by.get('number')!.command!, /^parley numbers/);
  assert.equal(by.get('callbacks')!.status, 'ok');
  assert.equal(by.get('database')!.status, 'warning');
});

test('a tenant of a shared server learns that something is missing, but not how the server is set up', async () => {
  const { by, items } = await read(sandbox.organization());
  assert.equal(by.get('carrier')!.status, 'missing');
  assert.equal(by.get('carrier')!.fix, 'Ask the operator of this server.');
  for (const { settings } of items) assert.deepEqual(settings, []);
  assert.doesNotMatch(JSON.stringify(items), /127\.0\.0\.1/);
});

test('with carrier, relay, provider and number nothing is missing but what needs the internet', async () => {
  const [twilio, relay] = await Promise.all([startTwilio(), relayOf({})]);
  const app = await startTestApp({
    PARLEY_SANDBOX: 'off',
    PARLEY_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: twilio_account,
    TWILIO_AUTH_TOKEN: twilio_token,
    TWILIO_BASE_URL: twilio.url,
    PARLEY_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
    PARLEY_SMTP_TLS: 'off',
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.example.com',
    PARLEY_SMS_DEFAULT_SENDER: '+14155550123',
    PARLEY_ROLES: 'api,worker,submission',
  });
  const set = await app.client.request('PUT', '/v1/providers/llm', {
    provider: 'openai-compatible',
    api_key: 'sk-0123456789',
    params: { base_url: 'http://127.0.0.1:9/v1', model: 'm' },
  });
  assert.ok(set.status < 300, set.text);
  const { by, items } = await read(app.client);
  const missing = items.filter(({ status }) => status === 'missing').map(({ check }) => check);
  assert.deepEqual(missing, ['base_url']);
  assert.equal(by.get('carrier')!.detail, 'The carrier twilio accepts requests.');
  // F9: Twilio redacts texts with one-time codes.
  assert.match(by.get('number')!.detail, /one-time codes/);
  assert.equal(by.get('mail_transport')!.detail, 'Mail is sent with smtp.');
  assert.equal(by.get('submission')!.status, 'warning', 'the certificate is self-signed');
  await twilio.close();
});

test('a public address that does not lead here and a webhook that keeps failing are found', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const app = await startTestApp({ PARLEY_BASE_URL: `http://127.0.0.1:${port}` });
  const hook = await app.client.request<{ id: string }>('POST', '/v1/webhooks', {
    target_url: 'http://127.0.0.1:9/hook',
    event_types: ['call.completed'],
  });
  await app.client.request('POST', '/v1/sandbox/events', { type: 'call.completed' });
  for (let tried = 0; tried < 8; tried++) await app.later(86_400);
  const { by } = await read(app.client);
  assert.equal(by.get('callbacks')!.status, 'missing');
  assert.match(by.get('callbacks')!.detail, /ECONNREFUSED/);
  assert.equal(by.get('webhooks')!.status, 'warning');
  assert.equal(by.get('webhooks')!.command, `parley webhooks list-deliveries ${hook.body.id}`);
});

test('DNS is looked up now: what is missing, wrong or unanswered, and when a domain can be verified', async () => {
  const dns = await startDns();
  const { client } = await startTestApp({ PARLEY_DNS_SERVERS: dns.address });
  const created = await client.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'mail.example.net',
  });
  const { id, dns_records } = created.body;
  const named = (purpose: string) => dns_records.find((record) => record.purpose === purpose)!;
  const item = async () => (await read(client)).by.get('dns')!;

  dns.records.set(named('dmarc').name, { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] });
  const none = await item();
  assert.equal(none.status, 'missing');
  assert.match(
    none.detail,
    /^mail\.example\.net: dkim is missing, .*dmarc is wrong, inbound_mx is missing\.$/,
  );
  assert.equal(none.command, `parley domains get ${id}, then parley domains verify ${id}`);

  for (const { name, type, value } of dns_records) {
    const at = dns.records.get(name) ?? {};
    if (type === 'MX') at.MX = [{ exchange: value, priority: 10 }];
    else at.TXT = [value];
    dns.records.set(name, at);
  }
  const published = await item();
  assert.match(published.detail, /all DNS records are right, but it is not verified yet/);
  assert.equal(published.command, `parley domains verify ${id}`);
  const before = await client.request<EmailDomain>('GET', `/v1/email-domains/${id}`);
  assert.equal(before.body.verification_status, 'pending', 'the check changes nothing');

  await client.request('POST', `/v1/email-domains/${id}/verify`);
  assert.equal((await item()).status, 'ok');

  dns.records.delete(named('dkim').name);
  const lost = await item();
  assert.deepEqual([lost.status, lost.detail], ['warning', 'mail.example.net: dkim is missing.']);

  dns.failing.add('*');
  const silent = await item();
  assert.equal(silent.status, 'warning');
  assert.match(silent.detail, /DNS did not respond for dkim/);
});

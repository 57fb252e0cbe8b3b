// The default prefixes of the operator give every organization its own address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import { type Client, startTestApp } from '../../../../../testing/app.ts';

async function create(of: Client, body: Record<string, unknown>): Promise<EmailDomain> {
  const response = await of.request<EmailDomain>('POST', '/v1/email-domains', body);
  assert.equal(response.status, 201, response.text);
  return response.body;
}

test('the default prefixes give every organization a service_mail address, always the same one (I14)', async () => {
  const app = await startTestApp({
    PARLEY_SERVICE_MAIL_PREFIX_USER: 'agent',
    PARLEY_SERVICE_MAIL_PREFIX_ORG: 'a-group-with-a-rather-long-nam',
    PARLEY_SERVICE_MAIL_DOMAIN: 'mail.parley.test',
  });
  const service_mail = { kind: 'service_mail' };
  const first = await create(app.client, service_mail);
  assert.equal(first.default_address, 'agent+a-group-with-a-rather-long-nam@mail.parley.test');
  const second = app.organization();
  const end = second.organization_id.slice(-12);
  const domain = await create(second, service_mail);
  assert.equal(domain.default_address, `agent+a-group-with-a-ra-${end}@mail.parley.test`);
  assert.equal(domain.local_prefix_org, `a-group-with-a-ra-${end}`);
  const third = await create(app.organization(), { ...service_mail, local_prefix_user: 'bo' });
  assert.equal(third.default_address, 'bo+a-group-with-a-rather-long-nam@mail.parley.test');
  for (const each of [app.client, second]) {
    const again = await each.request<{ code: string }>('POST', '/v1/email-domains', service_mail);
    assert.deepEqual([again.status, again.body.code], [409, 'email_domain_taken']);
  }
  await app.client.request('DELETE', `/v1/email-domains/${first.id}`);
  assert.equal((await second.request('POST', '/v1/email-domains', service_mail)).status, 409);
  await second.request('DELETE', `/v1/email-domains/${domain.id}`);
  await create(app.client, service_mail);
  assert.equal((await create(second, service_mail)).default_address, domain.default_address);
});

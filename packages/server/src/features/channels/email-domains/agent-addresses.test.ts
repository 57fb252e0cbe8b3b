// Agents that answer mail are set on email domains.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import { type Client, startTestApp } from '../../../../testing/app.ts';

const { client, organization } = await startTestApp();

const create = async (of: Client, body: object) => {
  const answer = await of.request<EmailDomain>('POST', '/v1/email-domains', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};

describe('agents of a domain', () => {
  const agentOf = async (of: Client) =>
    (await of.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' })).body.id;

  test('are set for the domain and for single addresses of it; a deleted agent is detached', async () => {
    const own = organization();
    const { id } = await create(own, { kind: 'custom', domain: 'agents.example.net' });
    const [desk, billing] = [await agentOf(own), await agentOf(own)];
    const path = `/v1/email-domains/${id}`;
    const agent_addresses = [{ local_part: 'billing', agent_id: billing }];
    const { body } = await own.request<EmailDomain>('PATCH', path, {
      email_agent_id: desk,
      agent_addresses: [{ local_part: 'Billing', agent_id: billing }],
    });
    assert.deepEqual([body.email_agent_id, body.agent_addresses], [desk, agent_addresses]);
    await own.request('DELETE', `/v1/agents/${desk}`);
    const after = (await own.request<EmailDomain>('GET', path)).body;
    assert.deepEqual([after.email_agent_id, after.agent_addresses], [null, agent_addresses]);
  });

  test('must be agents of the organization, and single addresses need a custom domain', async () => {
    const own = organization();
    const { id } = await create(own, {
      kind: 'service_mail',
      local_prefix_user: 'desk',
      local_prefix_org: 'agents',
    });
    const patch = async (body: object) => {
      const answer = await own.request<{ code: string }>('PATCH', `/v1/email-domains/${id}`, body);
      return [answer.status, answer.body.code];
    };
    assert.deepEqual(await patch({ email_agent_id: await agentOf(client) }), [422, 'agent_not_found']);
    const agent_addresses = [{ local_part: 'a', agent_id: await agentOf(own) }];
    assert.deepEqual(await patch({ agent_addresses }), [422, 'domain_not_custom']);
  });
});

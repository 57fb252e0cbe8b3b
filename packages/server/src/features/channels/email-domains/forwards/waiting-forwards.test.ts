// Forward addresses under an approval policy: nothing is mailed or forwarded to a new one until a person approves it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { confirmationMails, confirmInSandbox } from '../../../../../testing/forwards.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';

type Answer = EmailDomain & { code: string };
const { app, client, operator, later } = await startTestApp();
const rule = { name: 'Forwards', channels: ['forward_address'], when: ['not_vouched'], then: 'hold' };
const setRules = async (rules: object[]) => {
  const set = await operator.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(set.status, 200, set.text);
};
let created = 0;
const newAddress = () => `ana${++created}@home.test`;
const newDomain = async (): Promise<EmailDomain> => {
  const prefixes = { local_prefix_user: `box${++created}`, local_prefix_org: 'acme' };
  const made = await client.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'service_mail',
    ...prefixes,
  });
  assert.equal(made.status, 201, made.text);
  return made.body;
};
const forwardTo = (id: string, forward_to: string[], as: Client = client) =>
  as.request<Answer>('PATCH', `/v1/email-domains/${id}`, { forward_to });
const read = async (id: string) => (await client.request<EmailDomain>('GET', `/v1/email-domains/${id}`)).body;
const approvalOf = async (id: string) => (await client.request<Approval>('GET', `/v1/approvals/${id}`)).body;
const decide = (approval: Approval, decision: 'approve' | 'reject') =>
  operator.request<{ code: string }>('POST', `/v1/approvals/${approval.id}/${decision}`, {
    ...(decision === 'approve' && { payload_sha256: approval.payload_sha256 }),
  });
const mailsTo = async (address: string) => {
  await app.jobs.drain();
  return (await confirmationMails(client, address)).length;
};
async function held(address = newAddress()) {
  const domain = await newDomain();
  const changed = await forwardTo(domain.id, [address]);
  assert.equal(changed.status, 200, changed.text);
  const { forward_to, forward_pending, forward_held } = changed.body;
  assert.deepEqual([forward_to, forward_pending, forward_held.length], [[], [address], 1]);
  assert.equal(forward_held[0]!.address, address);
  return { domain, address, approval: await approvalOf(forward_held[0]!.approval_id) };
}

test('an address waits for a person, then for its owner', async () => {
  await setRules([rule]);
  const { domain, address, approval } = await held();
  assert.equal(approval.object.noun, 'forward_address');
  assert.deepEqual(approval.shown.to, [address]);
  assert.match(approval.shown.subject!, new RegExp(address));
  await later(700);
  assert.equal(await mailsTo(address), 0, 'the job does not ask its owner');
  const resent = await client.request<Answer>(
    'POST',
    `/v1/email-domains/${domain.id}/forward-confirmations`,
    {
      address,
    },
  );
  assert.deepEqual([resent.status, resent.body.code], [409, 'held']);
  // The same list again, with another spelling, asks nobody again.
  await forwardTo(domain.id, [address.toUpperCase()]);
  assert.equal((await read(domain.id)).forward_held[0]!.approval_id, approval.id);
  assert.equal((await decide(approval, 'approve')).status, 200);
  assert.equal((await decide(approval, 'approve')).body.code, 'approval_already_decided');
  await waitFor('the owner is asked', async () => (await mailsTo(address)) === 1);
  const { forward_to, forward_pending, forward_held } = await read(domain.id);
  assert.deepEqual([forward_to, forward_pending, forward_held], [[], [address], []]);
  await confirmInSandbox(client, address);
  assert.deepEqual((await read(domain.id)).forward_to, [address]);
});

test('an address on an own domain is forwarded to only after the approval', async () => {
  await setRules([{ ...rule, when: ['always'] }]);
  const own = (await newDomain()).default_address;
  const { domain, approval } = await held(own);
  assert.equal((await decide(approval, 'approve')).status, 200);
  assert.deepEqual((await read(domain.id)).forward_to, [own]);
});

test('a rejected or expired address is removed, and nobody hears of it', async () => {
  await setRules([rule]);
  const rejected = await held();
  assert.equal((await decide(rejected.approval, 'reject')).status, 200);
  const expired = await held();
  await later(86_400 + 30);
  for (const { domain, address } of [rejected, expired]) {
    const { forward_pending, forward_held } = await read(domain.id);
    assert.deepEqual([forward_pending, forward_held, await mailsTo(address)], [[], [], 0]);
  }
});

test('removing the address or the domain cancels the approval', async () => {
  await setRules([rule]);
  const removed = await held();
  await forwardTo(removed.domain.id, []);
  const deleted = await held();
  assert.equal((await client.request('DELETE', `/v1/email-domains/${deleted.domain.id}`)).status, 204);
  for (const { approval } of [removed, deleted])
    assert.equal((await approvalOf(approval.id)).status, 'canceled');
});

test('people and vouched addresses need no approval, and a rule can refuse an address', async () => {
  await setRules([rule]);
  const { id } = await newDomain();
  assert.deepEqual((await forwardTo(id, [newAddress()], operator)).body.forward_held, []);
  const trusted = newAddress();
  await operator.request('PUT', '/v1/trusted-recipients', { recipients: [trusted] });
  await later(2);
  assert.deepEqual((await forwardTo(id, [trusted])).body.forward_held, []);
  await setRules([{ ...rule, then: 'refuse' }]);
  const before = await read(id);
  const refused = await forwardTo(id, [trusted, newAddress()]);
  assert.deepEqual([refused.status, refused.body.code], [403, 'not_allowed_by_policy']);
  assert.deepEqual(await read(id), before, 'nothing was changed');
});

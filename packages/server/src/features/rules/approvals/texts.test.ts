// Approvals of texts: the quoted price, opt-outs between approval and sending, and a process that dies after the approval.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { startTestApp } from '../../../../testing/app.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { buildApp } from '../../../app/app.ts';
import { readConfig } from '../../../config/config.ts';
import { makeLog } from '../../../platform/log.ts';

const { app, client, operator, db, data_dir, later } = await startTestApp();
const rule = { name: 'Paid', channels: ['sms'], when: [{ amount_over_micros: 500 }], then: 'hold' };
const set = await operator.request('PUT', '/v1/approval-policy', { rules: [rule] });
assert.equal(set.status, 200, set.text);

const person = '+14155552671';
const setPrice = async (sms_segment: number) =>
  assert.equal((await operator.request('PATCH', '/v1/admin/prices', { sms_segment })).status, 200);
const turn = (sms: boolean) => operator.request('PATCH', '/v1/admin/kill-switch', { sms });
const post = (to = person) =>
  client.request<Sms>('POST', '/v1/sms', { to, body: 'Hello', recipient_consent: true });
const read = async (id: string) => (await client.request<Sms>('GET', `/v1/sms/${id}`)).body;
const approvalOf = async (id: string) => (await client.request<Approval>('GET', `/v1/approvals/${id}`)).body;
const approve = ({ id, payload_sha256 }: Approval) =>
  operator.request<Approval & { code: string }>('POST', `/v1/approvals/${id}/approve`, { payload_sha256 });
async function held(to?: string) {
  const sent = await post(to);
  assert.equal(sent.body.hold?.kind, 'approval', sent.text);
  return { sms: sent.body, approval: await approvalOf(sent.body.hold!.approval_id!) };
}
const handed = async (id: string) => {
  type Outbox = { items: { resource_id: string }[] };
  const { items } = (await client.request<Outbox>('GET', '/v1/sandbox/outbox?limit=200')).body;
  return items.filter(({ resource_id }) => resource_id === id).length;
};

beforeEach(async () => {
  await turn(false);
  await setPrice(1000);
});

test('only what costs more than the limit waits, with the price as it is quoted', async () => {
  const { sms, approval } = await held();
  assert.deepEqual([approval.quoted_price_micros, approval.shown.body_text], [1000, 'Hello']);
  assert.equal((await approve(approval)).status, 200);
  await later(5);
  assert.deepEqual([(await read(sms.id)).status, await handed(sms.id)], ['delivered', 1]);
  await setPrice(400);
  assert.equal((await post()).body.hold, null);
});

test('a price that rose is approved anew: at the decision, and when it rises between approval and sending', async () => {
  const { sms, approval } = await held();
  await setPrice(2000);
  const refused = await approve(approval);
  assert.deepEqual([refused.status, refused.body.code], [409, 'approval_price_changed']);
  assert.equal((await approvalOf(approval.id)).quoted_price_micros, 2000);
  await turn(true);
  assert.equal((await approve(approval)).status, 200);
  await later(5);
  await setPrice(3000);
  await turn(false);
  await later(60);
  const { hold } = await read(sms.id);
  assert.deepEqual([hold?.kind, hold?.approval_id, await handed(sms.id)], ['approval', approval.id, 0]);
  const again = await approvalOf(approval.id);
  assert.deepEqual([again.status, again.quoted_price_micros, again.decided_by], ['pending', 3000, null]);
  assert.equal((await approve(again)).status, 200);
  await later(5);
  assert.equal(await handed(sms.id), 1);
});

test('a person who texts STOP after the approval was requested gets nothing', async () => {
  const { sms, approval } = await held('+14155552672');
  const stop = await client.request('POST', '/v1/sandbox/inbound-sms', {
    from: '+14155552672',
    to: sms.from,
    body: 'STOP',
  });
  assert.equal(stop.status, 201, stop.text);
  assert.equal((await approve(approval)).status, 200);
  await later(5);
  const { status, error_code } = await read(sms.id);
  assert.deepEqual([status, error_code, await handed(sms.id)], ['failed', 'recipient_opted_out', 0]);
});

test('canceling a text cancels its approval', async () => {
  const { sms, approval } = await held();
  assert.equal((await client.request('POST', `/v1/sms/${sms.id}/cancel`)).status, 200);
  assert.equal((await approvalOf(approval.id)).status, 'canceled');
});

test('a recipient is new until something was exchanged with them, also before the rule was set', async () => {
  const change = (rules: object[]) => operator.request('PUT', '/v1/approval-policy', { rules });
  await change([]);
  const known = '+14155552680';
  const writer = '+14155552681';
  const { from } = (await post(known)).body;
  await client.request('POST', '/v1/sandbox/inbound-sms', { from: writer, to: from, body: 'Hello' });
  await later(20);
  await change([{ name: 'New', channels: ['sms'], when: ['new_recipient'], then: 'hold' }]);
  await later(6);
  for (const to of [known, writer]) assert.equal((await post(to)).body.hold, null, to);
  const { approval } = await held('+14155552682');
  assert.deepEqual(approval.reasons, [
    { code: 'new_recipient', message: 'Nothing was exchanged with +14155552682 before.' },
  ]);
  await change([rule]);
});

test('when the process ends between the approval and the sending, another one sends it once', async () => {
  const { sms, approval } = await held();
  await app.workers.stop();
  assert.equal((await approve(approval)).status, 200);
  assert.deepEqual([(await read(sms.id)).status, await handed(sms.id)], ['queued', 0]);
  const other = buildApp({
    config: readConfig({ PORT: '0', PARLEY_DATA_DIR: data_dir, PARLEY_SANDBOX: 'on' }, process.cwd()),
    db,
    log: makeLog({ level: 'silent', show_personal_data: false }),
    shared_key: 'other',
    master_keys: [{ id: 'test', key: randomBytes(32) }],
  });
  await other.prepare();
  await other.workers.start();
  try {
    await waitFor('the text is delivered', async () => (await read(sms.id)).status === 'delivered');
    assert.equal(await handed(sms.id), 1);
  } finally {
    await other.workers.stop();
    await other.close();
  }
});

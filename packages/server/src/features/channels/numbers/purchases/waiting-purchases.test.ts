// Purchases under rules: budgets in count and money, and approvals that are carried out once or not at all.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { buildApp } from '../../../../app/app.ts';
import { readConfig } from '../../../../config/config.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { makeLog } from '../../../../platform/log.ts';

type Problem = { code: string };
const { app, client, operator, organization, db, data_dir, later } = await startTestApp();
const rule = { name: 'Numbers', channels: ['number_purchase'], when: ['always'], then: 'hold' };
const setRules = async (rules: object[]) => {
  const set = await operator.request('PUT', '/v1/approval-policy', { rules });
  assert.equal(set.status, 200, set.text);
};
const buy = (of: Client = client, body: object = {}, headers: Record<string, string> = {}) =>
  of.request<PhoneNumber & Problem>('POST', '/v1/numbers', { country_code: 'US', ...body }, headers);
const read = async (id: string) => (await client.request<PhoneNumber>('GET', `/v1/numbers/${id}`)).body;
const approvalOf = async (id: string) => (await client.request<Approval>('GET', `/v1/approvals/${id}`)).body;
const decide = (approval: Approval, decision: 'approve' | 'reject') =>
  operator.request<Problem>('POST', `/v1/approvals/${approval.id}/${decision}`, {
    ...(decision === 'approve' && { payload_sha256: approval.payload_sha256 }),
  });
async function held() {
  const bought = await buy();
  assert.deepEqual([bought.status, bought.body.hold?.kind], [201, 'approval'], bought.text);
  return { number: bought.body, approval: await approvalOf(bought.body.hold!.approval_id!) };
}

describe('a purchase that a rule holds', () => {
  test('is stored without asking the carrier, shown with its price, and bought once when it is approved', async () => {
    await setRules([rule]);
    const key = { 'idempotency-key': 'buy-1' };
    const first = await buy(client, {}, key);
    assert.deepEqual(
      [first.status, first.body.provisioning_state, first.headers.get('parley-hold')],
      [201, 'pending', 'approval'],
    );
    const again = await buy(client, {}, key);
    assert.deepEqual([again.status, again.body.id], [201, first.body.id]);
    await later(120);
    assert.equal((await read(first.body.id)).provisioning_state, 'pending');
    const approval = await approvalOf(first.body.hold!.approval_id!);
    assert.deepEqual(approval.object, { noun: 'number', id: first.body.id });
    const { number_month } = (await client.request('GET', '/v1/admin/prices')).body;
    assert.equal(approval.quoted_price_micros, number_month);
    assert.equal(approval.shown.more.e164, first.body.e164);
    assert.equal((await decide(approval, 'approve')).status, 200);
    assert.equal((await decide(approval, 'approve')).body.code, 'approval_already_decided');
    await app.jobs.drain();
    const bought = await read(first.body.id);
    assert.deepEqual([bought.provisioning_state, bought.hold], ['active', null]);
    const charges = await db.rows(sql`select from ledger_entries where reference like ${`${bought.id}%`}`);
    assert.ok(charges.length <= 1);
  });

  test('is not bought when it is rejected, expires or is canceled, and the number is free again', async () => {
    await setRules([rule]);
    const rejected = await held();
    assert.equal((await decide(rejected.approval, 'reject')).status, 200);
    const same = await buy(operator, { e164: rejected.number.e164 });
    assert.deepEqual([same.status, same.body.provisioning_state], [201, 'active'], same.text);
    const expired = await held();
    await later(86_400 + 30);
    const canceled = await held();
    const deleted = await client.request<PhoneNumber>('DELETE', `/v1/numbers/${canceled.number.id}`);
    assert.deepEqual([deleted.status, deleted.body.provisioning_state], [200, 'failed'], deleted.text);
    await later(120);
    for (const [{ number, approval }, status, reason] of [
      [rejected, 'rejected', /rejected/],
      [expired, 'expired', /in time/],
      [canceled, 'canceled', /canceled/],
    ] as const) {
      const { provisioning_state, failure_reason, hold } = await read(number.id);
      assert.deepEqual([provisioning_state, hold], ['failed', null]);
      assert.match(failure_reason!, reason);
      assert.equal((await approvalOf(approval.id)).status, status);
    }
  });

  test('depends on its price and on who buys, and a rule can refuse it', async () => {
    await setRules([{ ...rule, when: [{ amount_over_micros: 1_000_000_000 }] }]);
    assert.equal((await buy()).body.provisioning_state, 'active');
    await setRules([rule]);
    assert.equal((await buy(operator)).body.provisioning_state, 'active', 'a person has decided already');
    await setRules([{ ...rule, then: 'refuse' }]);
    const refused = await buy();
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_allowed_by_policy']);
    await setRules([{ ...rule, channels: ['sms'] }]);
    assert.equal((await buy()).body.provisioning_state, 'active');
  });
});

describe('a budget for numbers', () => {
  const withBudget = async (limit: object) => {
    const own = organization();
    const { organization_id } = own;
    const person = organization({ organization_id, credential_kind: 'session' });
    const budget = { subject: { kind: 'organization', id: null }, channel: 'numbers', window: 'day' };
    const set = await person.request('POST', '/v1/budgets', { ...budget, ...limit });
    assert.equal(set.status, 201, set.text);
    const used = async () =>
      (await own.request<{ items: { used_count: number; used_micros: number }[] }>('GET', '/v1/budgets')).body
        .items[0]!;
    return { own, used };
  };

  test('limits how many are bought, and does not count a purchase that fails', async () => {
    const { own, used } = await withBudget({ max_count: 1 });
    const taken = (await buy(organization())).body.e164;
    assert.equal((await buy(own, { e164: taken })).body.code, 'number_taken');
    assert.equal((await used()).used_count, 0);
    assert.equal((await buy(own)).status, 201);
    const refused = await buy(own);
    assert.deepEqual([refused.status, refused.body.code], [429, 'budget_exceeded']);
    assert.equal((await used()).used_count, 1);
    await later(86_400);
    assert.equal((await buy(own)).status, 201, 'the next day');
  });

  test('does not count an approved purchase that the carrier refuses', async () => {
    await setRules([rule]);
    const subject = { kind: 'organization', id: null };
    const limit = { subject, channel: 'numbers', window: 'month', max_count: 100 };
    const budget = await operator.request<{ id: string }>('POST', '/v1/budgets', limit);
    assert.equal(budget.status, 201, budget.text);
    const path = `/v1/budgets/${budget.body.id}`;
    const waiting = await buy(client, { e164: '+15005554902' });
    assert.equal((await decide(await approvalOf(waiting.body.hold!.approval_id!), 'approve')).status, 200);
    await app.jobs.drain();
    assert.equal((await read(waiting.body.id)).provisioning_state, 'failed');
    assert.equal((await client.request<{ used_count: number }>('GET', path)).body.used_count, 0);
    assert.equal((await operator.request('DELETE', path)).status, 204);
  });

  test('limits what they cost, by the price list', async () => {
    const prices = await operator.request('PATCH', '/v1/admin/prices', { number_month: 1_500_000 });
    assert.equal(prices.status, 200, prices.text);
    const { own, used } = await withBudget({ max_amount_micros: 2_000_000 });
    assert.equal((await buy(own)).status, 201);
    assert.equal((await used()).used_micros, 1_500_000);
    assert.equal((await buy(own)).body.code, 'budget_exceeded');
  });
});

test('when the process ends after the approval, another one buys the number once, unless a rule refuses it now', async () => {
  await setRules([rule]);
  const [bought, refused] = [await held(), await held()];
  await app.workers.stop();
  for (const { approval } of [bought, refused]) assert.equal((await decide(approval, 'approve')).status, 200);
  assert.equal((await read(bought.number.id)).provisioning_state, 'pending');
  // The job of the first one was started and lost: it runs once more. That of the second one waits; the clock was moved by days.
  await db.run(sql`
    insert into jobs (id, kind, payload, run_at, attempts, claims)
    select gen_random_uuid(), kind, payload, run_at, 0, 0 from jobs where unique_key = ${`settle:${bought.number.id}`}`);
  await db.run(sql`
    update jobs set run_at = now() + interval '1000 days' where unique_key = ${`settle:${refused.number.id}`}`);
  const other = buildApp({
    config: readConfig({ PORT: '0', PARLEY_DATA_DIR: data_dir, PARLEY_SANDBOX: 'on' }, process.cwd()),
    db,
    log: makeLog({ level: 'silent', show_personal_data: false }),
    shared_key: 'other',
    master_keys: [{ id: 'test', key: randomBytes(32) }],
  });
  await other.prepare();
  await other.workers.start();
  const state = async (id: string) => (await read(id)).provisioning_state;
  try {
    await waitFor('the number is bought', async () => (await state(bought.number.id)) === 'active');
    await setRules([{ ...rule, then: 'refuse' }]);
    await later(2);
    await db.run(sql`update jobs set run_at = now() where unique_key = ${`settle:${refused.number.id}`}`);
    await waitFor('the other is refused', async () => (await state(refused.number.id)) === 'failed');
    assert.match((await read(refused.number.id)).failure_reason!, /Numbers/);
  } finally {
    await other.workers.stop();
    await other.close();
  }
});

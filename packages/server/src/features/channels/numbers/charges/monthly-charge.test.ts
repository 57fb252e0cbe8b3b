// Charges for numbers when funds are on: the first month with the purchase, further months while the organization has the number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { LedgerEntry } from '@parley/contract/rules/spending/funds';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { managedOrganization } from '../../../../../testing/managed.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on', PARLEY_SANDBOX: 'on' });
const { operator, later } = managed;
const month_price = 1_000_000;
const day_seconds = 86_400;
await operator.request('PATCH', '/v1/admin/prices', { number_month: month_price });

const richOrganization = async (amount_micros: number) => {
  const made = await managedOrganization(managed);
  const path = `/v1/admin/organizations/${made.organization.id}/funds/credits`;
  if (amount_micros > 0) await operator.request('POST', path, { amount_micros });
  return made.client;
};
const buy = (of: Client, headers: Record<string, string> = {}) =>
  of.request<PhoneNumber & { code: string }>('POST', '/v1/numbers', { country_code: 'US' }, headers);
const charges = async (of: Client) =>
  (await of.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger')).body.items.filter(
    ({ kind }) => kind === 'charge',
  );

test('a number is charged once for its first month, and not bought without funds', async () => {
  const poor = await richOrganization(0);
  const refused = await buy(poor);
  assert.deepEqual([refused.status, refused.body.code], [402, 'insufficient_funds']);
  assert.deepEqual((await poor.request<{ items: unknown[] }>('GET', '/v1/numbers')).body.items, []);

  const rich = await richOrganization(month_price * 5);
  const key = { 'idempotency-key': 'my-first-number' };
  const bought = await buy(rich, key);
  assert.equal(bought.status, 201, bought.text);
  assert.equal((await buy(rich, key)).body.id, bought.body.id);
  const [only, ...others] = await charges(rich);
  assert.deepEqual(others, []);
  assert.deepEqual([only!.item, only!.amount_micros], ['number_month', -month_price]);
  assert.ok(only!.reference!.startsWith(bought.body.id));
});

test('each month that begins while the organization has the number is charged once, also after a long stop of the service', async () => {
  const rich = await richOrganization(month_price * 2);
  const { body: number } = await buy(rich);
  await later(20 * day_seconds);
  assert.equal((await charges(rich)).length, 1);
  await later(75 * day_seconds);
  await later(3600);
  // The carrier keeps the number active: the balance becomes negative if the funds are not sufficient.
  assert.equal((await charges(rich)).length, 4);
  const { body } = await rich.request<{ balance_micros: number }>('GET', '/v1/funds');
  assert.equal(body.balance_micros, -2 * month_price);

  assert.equal((await rich.request('DELETE', `/v1/numbers/${number.id}`)).status, 200);
  await later(40 * day_seconds);
  assert.equal((await charges(rich)).length, 4);
});

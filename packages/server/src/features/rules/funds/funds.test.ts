// Credits, charges and balances: every change is one ledger entry, and each record is charged once.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Balance, LedgerEntry, Prices } from '@parley/contract/rules/spending/funds';
import { startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { auditFeature } from '../../access/audit/index.ts';
import { type Charge, fundsService } from './service.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' });
const { client, operator, db } = managed;
const clock = systemClock();
const ids = uuidv7Ids(clock);
const base = { db, clock, ids, audit: auditFeature({ db, clock, ids }).log };
const funds = fundsService({ ...base, charging: true });

await operator.request('PATCH', '/v1/admin/prices', { sms_segment: 10_000, call_minute: 50_000 });

const credit = (organization_id: string, body: unknown) =>
  operator.request<LedgerEntry & { code: string }>(
    'POST',
    `/v1/admin/organizations/${organization_id}/funds/credits`,
    body,
  );
const charge = (organization_id: string, what: Partial<Exclude<Charge, { item: 'registration' }>> = {}) =>
  db.transaction((tx) =>
    funds.charge(tx, organization_id, { item: 'sms_segment', quantity: 1, reference: randomUUID(), ...what }),
  );
const balance = async (organization_id: string) =>
  (await client.request<Balance>('GET', `/v1/admin/organizations/${organization_id}/funds`)).body
    .balance_micros;

describe('a credit', () => {
  test('raises the balance, once for each reference', async () => {
    const { organization, client: owner } = await managedOrganization(managed);
    const first = await credit(organization.id, { amount_micros: 25_000_000, reference: 'invoice-17' });
    assert.equal(first.status, 201, first.text);
    const again = await credit(organization.id, { amount_micros: 25_000_000, reference: 'invoice-17' });
    assert.deepEqual(again.body, first.body);
    await credit(organization.id, { amount_micros: -5_000_000, note: 'Taken back' });
    assert.deepEqual((await owner.request('GET', '/v1/funds')).body, {
      organization_id: organization.id,
      balance_micros: 20_000_000,
      reserved_micros: 0,
      available_micros: 20_000_000,
      charging: true,
    });
  });

  test('needs a superadmin, an amount and an existing organization', async () => {
    const { organization, client: owner } = await managedOrganization(managed);
    const path = `/v1/admin/organizations/${organization.id}/funds/credits`;
    assert.equal((await owner.request('POST', path, { amount_micros: 1 })).status, 404);
    for (const amount_micros of [0, 1.5, '1', 1e15, null]) {
      assert.equal((await credit(organization.id, { amount_micros })).status, 422, String(amount_micros));
    }
    assert.equal((await credit(randomUUID(), { amount_micros: 1 })).status, 404);
  });
});

describe('a charge', () => {
  test('costs the price times the quantity and is in the ledger of its organization only', async () => {
    const [one, two] = [await managedOrganization(managed), await managedOrganization(managed)];
    await credit(one.organization.id, { amount_micros: 100_000 });
    assert.equal(await charge(one.organization.id, { quantity: 3, reference: 'sms-1' }), 'charged');
    const ledger = await one.client.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger');
    assert.deepEqual(
      ledger.body.items.map(({ kind, amount_micros, balance_micros, item, reference }) => ({
        kind,
        amount_micros,
        balance_micros,
        item,
        reference,
      })),
      [
        {
          kind: 'charge',
          amount_micros: -30_000,
          balance_micros: 70_000,
          item: 'sms_segment',
          reference: 'sms-1',
        },
        { kind: 'credit', amount_micros: 100_000, balance_micros: 100_000, item: null, reference: null },
      ],
    );
    const other = await two.client.request<{ items: LedgerEntry[] }>('GET', '/v1/funds/ledger');
    assert.deepEqual(other.body.items, []);
  });

  test('for the same record is created once, however often it is repeated', async () => {
    const { organization } = await managedOrganization(managed);
    await credit(organization.id, { amount_micros: 100_000 });
    const reference = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => charge(organization.id, { reference })),
    );
    assert.deepEqual([...new Set(responses)], ['charged']);
    assert.equal(await balance(organization.id), 90_000);
  });

  test('never exceeds the balance, also with concurrent charges', async () => {
    const { organization } = await managedOrganization(managed);
    await credit(organization.id, { amount_micros: 35_000 });
    const responses = await Promise.all(Array.from({ length: 8 }, () => charge(organization.id)));
    assert.equal(responses.filter((response) => response === 'charged').length, 3);
    assert.equal(responses.filter((response) => response === 'insufficient_funds').length, 5);
    assert.equal(await balance(organization.id), 5000);
  });

  test('for a use that has ended may leave a negative balance', async () => {
    const { organization } = await managedOrganization(managed);
    assert.equal(await funds.covers(organization.id, 'call_minute', 1), false);
    await credit(organization.id, { amount_micros: 60_000 });
    assert.equal(await funds.covers(organization.id, 'call_minute', 1), true);
    const used = { item: 'call_minute', quantity: 2, already_used: true } as const;
    assert.equal(await charge(organization.id, used), 'charged');
    assert.equal(await balance(organization.id), -40_000);
  });

  test('is rolled back with its transaction', async () => {
    const { organization } = await managedOrganization(managed);
    await credit(organization.id, { amount_micros: 100_000 });
    const failing = db.transaction(async (tx) => {
      await funds.charge(tx, organization.id, { item: 'sms_segment', quantity: 1, reference: 'gone' });
      throw new Error('the text was not created');
    });
    await assert.rejects(failing, /not created/);
    assert.equal(await balance(organization.id), 100_000);
  });

  test('costs nothing when the price is zero or charging is off', async () => {
    const { organization } = await managedOrganization(managed);
    assert.equal(await charge(organization.id, { item: 'inbound_email' }), 'free');
    const off = fundsService({ ...base, charging: false });
    const response = await db.transaction((tx) =>
      off.charge(tx, organization.id, { item: 'sms_segment', quantity: 1, reference: 'x' }),
    );
    assert.equal(response, 'free');
    assert.equal(await off.covers(organization.id, 'sms_segment', 1_000_000), true);
  });
});

test('the balance is always the sum of the ledger', async () => {
  const wrong = await db.rows(sql`
    select o.id from organizations o left join ledger_entries l on l.organization_id = o.id
     group by o.id, o.balance_micros having o.balance_micros <> coalesce(sum(l.amount_micros), 0)`);
  assert.deepEqual(wrong, []);
});

test('prices are set by superadmins, and a price that is left out stays', async () => {
  const before = (await client.request<Prices>('GET', '/v1/admin/prices')).body;
  const after = await operator.request<Prices>('PATCH', '/v1/admin/prices', { number_month: 1_500_000 });
  assert.deepEqual(after.body, { ...before, number_month: 1_500_000 });
  assert.equal((await operator.request('PATCH', '/v1/admin/prices', { sms_segment: -1 })).status, 422);
  const { client: owner } = await managedOrganization(managed);
  assert.equal((await owner.request('GET', '/v1/admin/prices')).status, 404);
});

test('nothing is charged on a self-hosted server unless charging is on', async () => {
  const alone = await startTestApp();
  assert.deepEqual((await alone.client.request<Balance>('GET', '/v1/funds')).body.charging, false);
});

// Reservations: no other call or text can use the reserved money of a call, and the ledger always adds up.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Balance } from '@parley/contract/rules/spending/funds';
import { startTestApp } from '../../../../testing/app.ts';
import { managedOrganization } from '../../../../testing/managed.ts';
import { randomNumbers, test_seed } from '../../../../testing/random.ts';
import { systemClock } from '../../../platform/clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../platform/ids.ts';
import { auditFeature } from '../../access/audit/index.ts';
import { fundsService } from './service.ts';

const managed = await startTestApp({ PARLEY_MANAGED: 'on', PARLEY_FUNDS: 'on' });
const { client, operator, db } = managed;
const clock = systemClock();
const ids = uuidv7Ids(clock);
const base = { db, clock, ids, audit: auditFeature({ db, clock, ids }).log };
const funds = fundsService({ ...base, charging: true });

const minute = 50_000;
const segment = 10_000;
await operator.request('PATCH', '/v1/admin/prices', { sms_segment: segment, call_minute: minute });

const credit = (organization_id: string, amount_micros: number) =>
  operator.request('POST', `/v1/admin/organizations/${organization_id}/funds/credits`, { amount_micros });
const funded = async (amount_micros: number): Promise<string> => {
  const { organization } = await managedOrganization(managed);
  await credit(organization.id, amount_micros);
  return organization.id;
};
const use = (reference: string, quantity = 1) => ({ item: 'call_minute', quantity, reference }) as const;
const reserve = (organization_id: string, reference: string, quantity = 1) =>
  db.transaction((tx) => funds.reserve(tx, organization_id, use(reference, quantity)));
const settle = (organization_id: string, reference: string, quantity: number) =>
  db.transaction((tx) => funds.settle(tx, organization_id, use(reference, quantity)));
const text = (organization_id: string) =>
  db.transaction((tx) =>
    funds.charge(tx, organization_id, { item: 'sms_segment', quantity: 1, reference: randomUUID() }),
  );
const books = async (organization_id: string) => {
  const { body } = await client.request<Balance>('GET', `/v1/admin/organizations/${organization_id}/funds`);
  return [body.balance_micros, body.reserved_micros, body.available_micros];
};

describe('a reservation (R6)', () => {
  test('sets money aside that no other call, text or number can use', async () => {
    const id = await funded(minute + segment);
    assert.equal(await reserve(id, 'one'), 'reserved');
    assert.equal(await reserve(id, 'one'), 'reserved', 'the same once more holds nothing more');
    assert.deepEqual(await books(id), [60_000, 50_000, 10_000]);
    assert.equal(await reserve(id, 'two'), 'insufficient_funds');
    assert.equal(await funds.covers(id, 'call_minute', 1), false);
    assert.equal(await funds.covers(id, 'call_minute', 1, 'one'), true);
    assert.equal(await text(id), 'charged');
    assert.equal(await text(id), 'insufficient_funds');
    await settle(id, 'one', 1);
    await settle(id, 'one', 1);
    assert.deepEqual(await books(id), [0, 0, 0]);
  });

  test('is not granted twice for the same money, also with concurrent requests', async () => {
    const id = await funded(minute * 3 - 1);
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => reserve(id, `call ${n}`)));
    assert.equal(responses.filter((response) => response === 'reserved').length, 2);
    assert.deepEqual(await books(id), [149_999, 100_000, 49_999]);
  });

  test('is extended while there is money, and releases what was not used', async () => {
    const id = await funded(minute * 2);
    await reserve(id, 'long');
    assert.equal(await funds.extend(id, use('long', 2)), 'reserved');
    assert.equal(await funds.extend(id, use('long', 2)), 'reserved');
    assert.equal(await funds.extend(id, use('long', 3)), 'insufficient_funds');
    assert.deepEqual(await books(id), [100_000, 100_000, 0]);
    await settle(id, 'long', 1);
    assert.deepEqual(await books(id), [50_000, 0, 50_000]);
    assert.equal(await funds.extend(id, use('long', 4)), 'gone');
    assert.deepEqual(await books(id), [50_000, 0, 50_000]);
  });

  test('is the maximum that its call can cost, at the price of its start', async () => {
    const id = await funded(minute * 2);
    await reserve(id, 'late');
    await operator.request('PATCH', '/v1/admin/prices', { call_minute: minute * 10 });
    try {
      await settle(id, 'late', 7);
      assert.deepEqual(await books(id), [50_000, 0, 50_000]);
    } finally {
      await operator.request('PATCH', '/v1/admin/prices', { call_minute: minute });
    }
  });

  test('of a free item stays free when the price is raised later', async () => {
    const id = await funded(minute);
    await operator.request('PATCH', '/v1/admin/prices', { call_minute: 0 });
    assert.equal(await reserve(id, 'free'), 'free');
    await operator.request('PATCH', '/v1/admin/prices', { call_minute: minute });
    await settle(id, 'free', 3);
    assert.deepEqual(await books(id), [50_000, 0, 50_000]);
  });

  test('makes no query when charging is off', async () => {
    const off = fundsService({ ...base, charging: false });
    const refuses = () => {
      throw new Error('a query was made');
    };
    const tx = { rows: refuses, maybe: refuses, run: refuses, afterCommit: refuses };
    assert.equal(await off.reserve(tx, randomUUID(), use('x')), 'free');
    await off.settle(tx, randomUUID(), use('x'));
  });
});

const seed = test_seed;

describe(`random sequences of credits, texts and calls (seed ${seed})`, () => {
  const { below } = randomNumbers(seed);

  /** What must be true after every commit. */
  const checkBooks = async (organization_id: string) => {
    const row = await db.maybe<{ balance: number; reserved: number; ledger: number; held: number }>(sql`
      select balance_micros as balance, reserved_micros as reserved,
             (select coalesce(sum(amount_micros), 0)::bigint from ledger_entries where organization_id = o.id) as ledger,
             (select coalesce(sum(quantity * price_micros), 0)::bigint from fund_reservations where organization_id = o.id) as held
        from organizations o where id = ${organization_id}`);
    const { balance, reserved, ledger, held } = row!;
    assert.equal(balance, ledger, `the balance is the sum of the ledger (seed ${seed})`);
    assert.equal(reserved, held, `the reserve is the sum of the reservations (seed ${seed})`);
    assert.ok(reserved >= 0 && balance - reserved >= 0, `nothing is spent twice (seed ${seed})`);
    return { balance, reserved };
  };

  test('one after the other: the same result as a simple model of the ledger (R6)', async () => {
    const id = await funded(minute * 4);
    const model = { balance: minute * 4, held: new Map<string, number>() };
    const reserved = () => [...model.held.values()].reduce((sum, quantity) => sum + quantity * minute, 0);
    for (let step = 0; step < 150; step++) {
      const reference = `call ${below(6)} ${Math.floor(step / 40)}`;
      const held = model.held.get(reference);
      const available = model.balance - reserved();
      const action = below(5);
      if (action === 0) {
        const amount = 1 + below(minute * 2);
        await credit(id, amount);
        model.balance += amount;
      } else if (action === 1) {
        const can_pay = available >= segment;
        assert.equal(
          await text(id),
          can_pay ? 'charged' : 'insufficient_funds',
          `step ${step}, seed ${seed}`,
        );
        if (can_pay) model.balance -= segment;
      } else if (action === 2) {
        const is_open = held !== undefined;
        const expected = is_open || available >= minute ? 'reserved' : 'insufficient_funds';
        // A settled call has ended: it reserves nothing again.
        if (!is_open && (await wasCharged(id, reference))) continue;
        assert.equal(await reserve(id, reference), expected, `step ${step}, seed ${seed}`);
        if (!is_open && expected === 'reserved') model.held.set(reference, 1);
      } else if (action === 3) {
        const quantity = (held ?? 1) + below(3);
        const missing = (quantity - (held ?? 0)) * minute;
        const expected =
          held === undefined
            ? 'gone'
            : missing <= 0 || available >= missing
              ? 'reserved'
              : 'insufficient_funds';
        assert.equal(
          await funds.extend(id, use(reference, quantity)),
          expected,
          `step ${step}, seed ${seed}`,
        );
        if (held !== undefined && expected === 'reserved') model.held.set(reference, quantity);
      } else if (held !== undefined) {
        const used = below(held + 2);
        await settle(id, reference, used);
        model.held.delete(reference);
        model.balance -= Math.min(used, held) * minute;
      }
      assert.deepEqual(await checkBooks(id), { balance: model.balance, reserved: reserved() });
    }
  });

  const wasCharged = (organization_id: string, reference: string) =>
    db.maybe(sql`
      select 1 from ledger_entries where organization_id = ${organization_id} and reference = ${reference}`);

  test('concurrently: the ledger adds up and nothing is spent twice (R6)', async () => {
    const id = await funded(minute * 10);
    const callOnce = async () => {
      const reference = randomUUID();
      if ((await reserve(id, reference)) !== 'reserved') return;
      let minutes = 1;
      while (below(3) > 0 && (await funds.extend(id, use(reference, minutes + 1))) === 'reserved') minutes++;
      await settle(id, reference, below(minutes + 2));
      await settle(id, reference, 0);
    };
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 16 }, () =>
          below(4) === 0 ? text(id) : below(6) === 0 ? credit(id, minute) : callOnce(),
        ),
      );
      const { reserved } = await checkBooks(id);
      assert.equal(reserved, 0);
    }
  });
});

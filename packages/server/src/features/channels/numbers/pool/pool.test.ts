// The pool of numbers: a number is assigned to one call at a time.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import type { PoolNumber } from '@parley/contract/channels/numbers/pool-numbers';
import { startTestApp } from '../../../../../testing/app.ts';
import { openTestDatabase } from '../../../../../testing/database.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { type Database, openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { uuidv7Ids } from '../../../../platform/ids.ts';
import { makeLog } from '../../../../platform/log.ts';
import type { Carrier } from '../../../../providers/carrier/carrier.ts';
import { carrierRegistry } from '../../../../providers/carrier/registry.ts';
import { sandboxCarrier } from '../../../../providers/carrier/sandbox/index.ts';
import { realTimeClock } from '../../../../providers/media/media-clock.ts';
import { guardCarriers } from '../../../rules/admission/index.ts';
import { poolService } from './pool.ts';

const { db, url, close } = await openTestDatabase();
after(close);

const clock = systemClock();
const calls = new Map<string, 'live' | 'ended' | 'lost'>();
const open_calls = new Set<string>();
const carrier: Carrier = {
  ...sandboxCarrier({
    handleEvents: async () => {},
    handed_texts: { add: async () => {}, has: async () => false },
    clock,
    phones: {
      clock: realTimeClock(),
      service_clock: clock,
      phoneAt: () => assert.fail('unexpected call'),
    },
  }),
  callState: async (id) => {
    const state = calls.get(id) ?? 'ended';
    return state === 'lost' ? { outcome: 'lost', detail: 'test' } : { outcome: state };
  },
};
const poolOn = (database: Database) =>
  poolService({
    db: database,
    carriers: guardCarriers(carrierRegistry([carrier], 'sandbox')),
    clock,
    ids: uuidv7Ids(clock),
    log: makeLog({ level: 'silent', show_personal_data: false }),
    grace_seconds: 60,
    openCalls: async (ids) => new Set(ids.filter((id) => open_calls.has(id))),
  });
const pool = poolOn(db);
const fill = async (count: number) => {
  await db.run(sql`delete from pool_numbers`);
  for (let i = 0; i < count; i++) await pool.add({ e164: `+1500555${String(7000 + i)}` });
};
const bound = () =>
  db.rows<{ bound_call_id: string }>(
    sql`select bound_call_id from pool_numbers where bound_call_id is not null`,
  );

describe('the pool', () => {
  test('never assigns a number twice under 200 concurrent claims on 5 numbers over several processes', async () => {
    await fill(5);
    const databases = Array.from({ length: 4 }, () => openDatabase({ url, max_connections: 10 }));
    const pools = databases.map(poolOn);
    const holding = new Map<string, string>();
    const waiting: (() => void)[] = [];
    let lent = 0;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const own = pools[index % pools.length]!;
        const database = databases[index % databases.length]!;
        const call_id = randomUUID();
        for (;;) {
          const number = await database.transaction((tx) => own.claimPoolNumber(tx, call_id));
          if (!number) {
            await new Promise<void>((resolve) => waiting.push(resolve));
            continue;
          }
          assert.equal(holding.get(number.e164), undefined, `${number.e164} is lent twice`);
          holding.set(number.e164, call_id);
          lent++;
          await new Promise((resolve) => setImmediate(resolve));
          const again = await database.transaction((tx) => own.claimPoolNumber(tx, call_id));
          assert.equal(again?.e164, number.e164, 'a call that asks again keeps its number');
          holding.delete(number.e164);
          await database.transaction((tx) => own.releasePoolNumber(tx, call_id));
          waiting.shift()?.();
          return;
        }
      }),
    );
    assert.equal(lent, 200);
    assert.deepEqual(await bound(), []);
    for (const database of databases) await database.close();
  });

  test('returns null when all numbers are in use, and assigns the one that was unused longest first', async () => {
    await fill(2);
    const first = await pool.claimPoolNumber(db, randomUUID());
    const second_call = randomUUID();
    const second = await pool.claimPoolNumber(db, second_call);
    assert.notEqual(first!.id, second!.id);
    assert.equal(await pool.claimPoolNumber(db, randomUUID()), null);
    await pool.releasePoolNumber(db, second_call);
    assert.equal((await pool.claimPoolNumber(db, randomUUID()))!.id, second!.id);
  });

  test('does not assign a number in quarantine', async () => {
    await fill(1);
    const number = (await pool.claimPoolNumber(db, randomUUID()))!;
    await pool.setState(number.id, 'failed');
    await pool.releasePoolNumber(db, number.bound_call_id!);
    assert.equal(await pool.claimPoolNumber(db, randomUUID()), null);
    await pool.setState(number.id, 'active');
    assert.ok(await pool.claimPoolNumber(db, randomUUID()));
  });

  test('a claim that is rolled back leaves the number free', async () => {
    await fill(1);
    await assert.rejects(
      db.transaction(async (tx) => {
        assert.ok(await pool.claimPoolNumber(tx, randomUUID()));
        throw new Error('rolled back');
      }),
    );
    assert.deepEqual(await bound(), []);
  });
});

describe('the sweeper', () => {
  test('releases the number of an abandoned call after the grace period, and checks with the carrier first', async () => {
    await fill(5);
    const [unknown, ended, live, silent, open] = Array.from({ length: 5 }, () => randomUUID());
    open_calls.add(open!);
    for (const call_id of [unknown, ended, live, silent, open]) await pool.claimPoolNumber(db, call_id!);
    for (const [call_id, state] of [
      [ended, 'ended'],
      [live, 'live'],
      [silent, 'lost'],
    ] as const) {
      calls.set(`carrier-${call_id}`, state);
      await pool.noteCarrierCall(db, call_id!, `carrier-${call_id}`);
    }
    assert.equal(await pool.sweep(), 0, 'nothing is old enough');
    clock.moveTo(61_000);
    assert.equal(await pool.sweep(), 2);
    assert.deepEqual((await bound()).map((row) => row.bound_call_id).sort(), [live!, silent!, open!].sort());
    calls.set(`carrier-${live}`, 'ended');
    assert.equal(await pool.sweep(), 1);
    clock.moveTo(0);
  });
});

describe('the administration of the pool', async () => {
  const { client, organization } = await startTestApp();

  test('lists three numbers after the first start', async () => {
    const listed = await client.request<{ items: PoolNumber[] }>('GET', '/v1/admin/pool-numbers');
    assert.deepEqual(
      listed.body.items
        .map(({ e164, provisioning_state, is_dedicated }) => [e164, provisioning_state, is_dedicated])
        .sort(),
      ['+15005550100', '+15005550101', '+15005550102'].map((e164) => [e164, 'active', false]),
    );
  });

  test('adds a number once, and not one that an organization has', async () => {
    const add = (e164: string) =>
      client.request<PoolNumber & { code: string }>('POST', '/v1/admin/pool-numbers', { e164 });
    assert.equal((await add('+1 500 555 7100')).status, 201);
    assert.equal((await add('+15005557100')).body.code, 'number_taken');
    const held = await organization().request<{ e164: string }>('POST', '/v1/numbers', {
      country_code: 'US',
    });
    assert.equal((await add(held.body.e164)).status, 409);
    const bought = await organization().request('POST', '/v1/numbers', {
      country_code: 'US',
      e164: '+15005557100',
    });
    assert.ok([409, 422].includes(bought.status));
  });

  test('puts a number into quarantine and removes it from there', async () => {
    const listed = await client.request<{ items: PoolNumber[] }>('GET', '/v1/admin/pool-numbers?limit=1');
    const path = `/v1/admin/pool-numbers/${listed.body.items[0]!.id}`;
    for (const provisioning_state of ['failed', 'active']) {
      const answer = await client.request<PoolNumber>('PATCH', path, { provisioning_state });
      assert.equal(answer.body.provisioning_state, provisioning_state);
    }
    assert.equal((await client.request('PATCH', path, { provisioning_state: 'released' })).status, 422);
  });

  test('is available only to superadmins', async () => {
    const answer = await organization().request<{ code: string }>('GET', '/v1/admin/pool-numbers');
    assert.equal(answer.status, 404);
    assert.equal(answer.body.code, 'not_found');
  });
});

// The promises of the unit of work, over a real database: batches, moves, guards and lost answers.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { openOrders } from '../../../testing/orders.ts';
import { DatabaseUnavailable, type Transaction } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import {
  alsoInsert,
  batchCheck,
  type CheckedValue,
  check,
  insert,
  makeUnitOfWork,
  move,
} from './unit-of-work.ts';

const {
  clock,
  codeIsFree,
  created,
  db,
  deliveriesOf,
  events,
  eventsOf,
  find,
  ids,
  log,
  order,
  order_lines,
  orders,
  outcomesOf,
  paid,
  published,
  rarely_duplicate,
  unitOfWork,
  watched,
} = await openOrders();

describe('batching', () => {
  test('many changes that arrive together are few statements', async () => {
    const own = watched();
    const rows = Array.from({ length: 250 }, () => order());
    const results = await Promise.all(
      rows.map((row) => own.unitOfWork.commit({ record: insert(orders, row), events: [created(row)] })),
    );
    assert.ok(outcomesOf(results).every((outcome) => outcome === 'stored'));
    assert.ok(own.statements.length <= 3, `${own.statements.length} statements`);
    for (const row of rows) {
      assert.deepEqual(await find(row.id), row);
      assert.equal((await eventsOf(row.id)).length, 1);
    }
  });

  test('changes with other parts share the statement all the same', async () => {
    const own = watched();
    const [plain, with_events, with_line] = [order(), order(), order()];
    await Promise.all([
      own.unitOfWork.commit({ record: insert(orders, plain) }),
      own.unitOfWork.commit({
        record: insert(orders, with_events),
        events: [created(with_events), created(with_events)],
      }),
      own.unitOfWork.commit({
        record: insert(orders, with_line, [codeIsFree({ code: 'any' })]),
        also: [alsoInsert(order_lines, { id: ids.next(), order_id: with_line.id, text: 'one' })],
      }),
    ]);
    assert.equal(own.statements.length, 1);
    assert.deepEqual(
      await Promise.all([plain, with_events, with_line].map(async ({ id }) => (await eventsOf(id)).length)),
      [0, 2, 0],
    );
    assert.equal((await db.rows(sql`select id from order_lines where order_id = ${with_line.id}`)).length, 1);
  });

  for (const [name, into] of [
    ['checked beforehand', orders],
    ['tried first', rarely_duplicate],
  ] as const) {
    test(`a duplicate does not fail its neighbours, and nothing is written beside it (${name})`, async () => {
      const code = randomUUID();
      const rows = [order({ code }), order(), order({ code }), order()];
      const results = await Promise.all(
        rows.map((row) =>
          unitOfWork.commit({
            record: insert(into, row),
            events: [created(row)],
            also: [alsoInsert(order_lines, { id: ids.next(), order_id: row.id, text: 'one' })],
          }),
        ),
      );
      assert.deepEqual(outcomesOf(results), ['stored', 'stored', 'duplicate', 'stored']);
      const [, , duplicate] = rows;
      assert.deepEqual(await eventsOf(duplicate!.id), []);
      assert.deepEqual(await db.rows(sql`select id from order_lines where order_id = ${duplicate!.id}`), []);
      assert.ok(!published.includes(duplicate!.id));
    });
  }

  test('a row that the database refuses fails alone', async () => {
    const results = await Promise.allSettled(
      [order(), order({ organization_id: 'no uuid' }), order()].map((row) =>
        unitOfWork.commit({ record: insert(orders, row) }),
      ),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });
});

describe('a check', () => {
  test('that does not hold refuses its own record only, and names itself', async () => {
    await db.run(sql`insert into blocked_codes values ('blocked')`);
    const rows = ['blocked', 'free', 'blocked'].map((note) => order({ note }));
    const results = await Promise.all(
      rows.map((row) =>
        unitOfWork.commit({
          record: insert(orders, row, [codeIsFree({ code: row.note })]),
          events: [created(row)],
        }),
      ),
    );
    const refused = { outcome: 'refused', by: 'code_blocked' };
    assert.deepEqual([results[0], results[2]], [refused, refused]);
    assert.equal(results[1]!.outcome, 'stored');
    assert.deepEqual(published, [rows[1]!.id]);
  });

  test('of a batch sees how many records share a value, and counts those that were stored', async () => {
    const [wide, narrow] = [randomUUID(), randomUUID()];
    await db.run(sql`insert into order_counters values (${wide}, 0), (${narrow}, 0)`);
    type Value = { counter: string; max: number };
    const isBelow = batchCheck({
      refusal: 'full',
      query: (values: readonly CheckedValue<Value>[]) => sql`
        select v.number, v.records <= v.max as holds
          from unnest(${values.map((_, index) => index + 1)}::int[], ${values.map(({ records }) => records)}::int[],
                      ${values.map(({ value }) => value.max)}::int[]) as v (number, records, max)`,
      count: (values, stored) => ({
        counted_orders: sql`
          update order_counters c set orders = c.orders + stored.records
            from unnest(${values.map((_, index) => index + 1)}::int[],
                        ${values.map(({ value }) => value.counter)}::uuid[]) as v (number, counter)
                 join (${stored}) stored using (number)
           where c.organization_id = v.counter`,
      }),
    });
    const code = randomUUID();
    const store = (row: ReturnType<typeof order>, value: Value) =>
      unitOfWork.commit({ record: insert(orders, row, [isBelow(value)]) });
    const results = await Promise.all([
      store(order({ code }), { counter: wide, max: 3 }),
      store(order({ code }), { counter: wide, max: 3 }),
      store(order(), { counter: wide, max: 3 }),
      store(order(), { counter: narrow, max: 1 }),
      store(order(), { counter: narrow, max: 1 }),
    ]);
    assert.deepEqual(outcomesOf(results), ['stored', 'duplicate', 'stored', 'refused', 'refused']);
    assert.equal((await store(order(), { counter: narrow, max: 1 })).outcome, 'stored');
    const counters = await db.rows<{ organization_id: string; orders: number }>(
      sql`select organization_id, orders from order_counters where organization_id = any(${[wide, narrow]}::uuid[])`,
    );
    assert.deepEqual(
      Object.fromEntries(counters.map(({ organization_id, orders }) => [organization_id, orders])),
      { [wide]: 2, [narrow]: 1 },
    );
  });

  test('does not make the database plan the statement at every run', () =>
    db.transaction(async (tx) => {
      const isBelowLimit = check({
        refusal: 'limit_reached',
        columns: { code: 'text' },
        holds: sql`(select count(*) from orders o where o.note = asked.code) < 12345`,
      });
      for (let runs = 0; runs < 12; runs++)
        await unitOfWork.commitIn(tx, [{ record: insert(orders, order(), [isBelowLimit({ code: 'any' })]) }]);
      const plans = await tx.maybe<{ generic: number }>(sql`
        select generic_plans::int as generic from pg_prepared_statements where statement like '%< 12345%'`);
      // PostgreSQL tries five plans before it decides.
      assert.equal(plans?.generic, 7);
    }));
});

describe('a move', () => {
  test('changes the status, its columns and its event in one commit', async () => {
    const row = order();
    await unitOfWork.commit({ record: insert(orders, row) });
    const { outcome } = await unitOfWork.commit({
      record: move(orders, 'paid', row, { note: 'by card' }),
      events: [paid(row)],
    });
    assert.equal(outcome, 'stored');
    assert.deepEqual(await find(row.id), { ...row, status: 'paid', note: 'by card' });
    assert.deepEqual(
      (await eventsOf(row.id)).map(({ type }) => type),
      ['order.paid'],
    );
    assert.equal(await deliveriesOf(row.id), 1);
  });

  test('that does not apply writes nothing', async () => {
    const row = order();
    await unitOfWork.commit({ record: insert(orders, row) });
    const late = await unitOfWork.commit({ record: move(orders, 'shipped', row), events: [created(row)] });
    const other = { id: row.id, organization_id: randomUUID() };
    const of_other_organization = await unitOfWork.commit({ record: move(orders, 'canceled', other) });
    assert.deepEqual(outcomesOf([late, of_other_organization]), ['not_applicable', 'not_applicable']);
    assert.deepEqual([await find(row.id), await eventsOf(row.id)], [row, []]);
  });

  test('of one record made twice at the same time happens once', async () => {
    const row = order();
    await unitOfWork.commit({ record: insert(orders, row) });
    const results = await Promise.all(
      [1, 2, 3].map(() => unitOfWork.commit({ record: move(orders, 'paid', row), events: [paid(row)] })),
    );
    assert.deepEqual(outcomesOf(results), ['stored', 'not_applicable', 'not_applicable']);
    assert.equal((await eventsOf(row.id)).length, 1);
  });

  test('that declares an event cannot be committed without it, and a record cannot begin in a later state', async () => {
    const row = order();
    await assert.rejects(unitOfWork.commit({ record: move(orders, 'paid', row) }), /emits order.paid/);
    assert.throws(() => insert(orders, order({ status: 'paid' })), /cannot begin as paid/);
  });
});

describe('a guard', () => {
  test('that refuses rolls everything back', async () => {
    const row = order();
    let after_commit = 0;
    const refusing = unitOfWork.commit({
      record: insert(orders, row),
      events: [created(row)],
      guard: async (tx) => {
        await tx.run(sql`insert into blocked_codes values ('guarded')`);
        throw new Error('over the limit');
      },
      after: () => after_commit++,
    });
    await assert.rejects(refusing, /over the limit/);
    assert.deepEqual(
      [await find(row.id), await eventsOf(row.id), published, after_commit],
      [null, [], [], 0],
    );
    assert.deepEqual(await db.rows(sql`select code from blocked_codes where code = 'guarded'`), []);
  });

  test('that passes is committed with the record, and does not run for a duplicate', async () => {
    const code = randomUUID();
    let runs = 0;
    const guard = async (tx: Transaction) => {
      runs++;
      await tx.run(sql`insert into blocked_codes values (${code})`);
    };
    const rows = [order({ code }), order({ code })];
    const results = [];
    for (const row of rows)
      results.push(await unitOfWork.commit({ record: insert(orders, row), events: [created(row)], guard }));
    assert.deepEqual(outcomesOf(results), ['stored', 'duplicate']);
    assert.equal(runs, 1);
    assert.deepEqual(published, [rows[0]!.id]);
  });
});

describe('a lost answer', () => {
  test('to a commit that happened is a success', async () => {
    const own = watched();
    const row = order();
    own.loseNextAnswer();
    let after_commit = 0;
    const inserted = await own.unitOfWork.commit({
      record: insert(orders, row),
      after: () => after_commit++,
    });
    own.loseNextAnswer();
    const moved = await own.unitOfWork.commit({ record: move(orders, 'paid', row), events: [paid(row)] });
    assert.deepEqual(outcomesOf([inserted, moved]), ['stored', 'stored']);
    assert.equal(after_commit, 1);
    assert.equal((await eventsOf(row.id)).length, 1);
  });

  test('without a commit is an error, or is repeated where the change says until when', async () => {
    let failures = 1;
    const failing = makeUnitOfWork({
      db: {
        ...db,
        async rows<T>(query: Sql) {
          if (failures-- > 0)
            throw Object.assign(new DatabaseUnavailable('away'), { may_be_committed: true });
          return db.rows<T>(query);
        },
      },
      clock,
      log,
      outbox: events,
    });
    const row = order();
    await assert.rejects(failing.commit({ record: insert(orders, row) }), DatabaseUnavailable);
    assert.equal(await find(row.id), null);
    failures = 1;
    const retry_until = new Date(clock.ms() + 60_000);
    const result = await failing.commit({ record: insert(orders, row), retry_until });
    assert.equal(result.outcome, 'stored');
    assert.deepEqual(await find(row.id), row);
  });
});

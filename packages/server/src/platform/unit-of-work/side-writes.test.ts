// The promises of the unit of work about everything that is committed beside the record.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Order, openOrders } from '../../../testing/orders.ts';
import { sql } from '../db/sql.ts';
import { idempotency, isKeyTaken } from '../idempotency.ts';
import { alsoWrite, insert, move } from './unit-of-work.ts';

const {
  clock,
  counter,
  created,
  db,
  deliveriesOf,
  eventsOf,
  find,
  order,
  orders,
  organization_id,
  outcomesOf,
  paid,
  published,
  unitOfWork,
} = await openOrders();

test('events and their deliveries are in the same commit as the record, and published after it', async () => {
  const row = order();
  const { outcome } = await unitOfWork.commit({ record: insert(orders, row), events: [created(row)] });
  assert.equal(outcome, 'stored');
  assert.equal(await deliveriesOf(row.id), 1);
  assert.deepEqual(published, [row.id]);
});

test('events without a record are returned as they were stored', async () => {
  const row = order();
  const results = await Promise.all([
    unitOfWork.commit({ events: [created(row), created(row)] }),
    unitOfWork.commit({ events: [created(row)] }),
    unitOfWork.commit({ events: [] }),
  ]);
  const written = results.map((result) => (result.outcome === 'stored' ? result.events : []));
  assert.deepEqual(
    written.map(({ length }) => length),
    [2, 1, 0],
  );
  assert.deepEqual(
    written
      .flat()
      .map(({ id }) => id)
      .sort(),
    (await eventsOf(row.id)).map(({ id }) => id).sort(),
  );
});

test('rows beside the records are written for stored records only', async () => {
  const own = randomUUID();
  const code = randomUUID();
  const rows = [order({ code }), order(), order({ code })];
  await Promise.all(
    rows.map((row) => unitOfWork.commit({ record: insert(orders, row), also: [alsoWrite(counter, own)] })),
  );
  const row = await db.maybe(sql`select orders from order_counters where organization_id = ${own}`);
  assert.deepEqual(row, { orders: 2 });
});

describe('a stored response', () => {
  const keys = idempotency({ db, clock });
  const requestOf = (key: string) =>
    keys.request(key, { organization_id, operation: 'orders.create', input: {} })!;

  test('is stored with the record, and a second use of the key fails alone', async () => {
    const request = requestOf(randomUUID());
    const rows = [order(), order(), order()];
    const answers = [request, null, request].map(
      (each, index) => each?.row({ status: 201, body: rows[index] }) ?? null,
    );
    const results = await Promise.allSettled(
      rows.map((row, index) => unitOfWork.commit({ record: insert(orders, row), answer: answers[index]! })),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    );
    assert.ok(results[2]!.status === 'rejected' && isKeyTaken(results[2]!.reason));
    assert.equal(await find(rows[2]!.id), null);
    assert.deepEqual(await keys.replay(request), { status: 201, body: rows[0] });
  });

  test('of work that is claimed first is completed by the move', async () => {
    const request = requestOf(randomUUID());
    const row = order();
    await unitOfWork.commit({ record: insert(orders, row), answer: request.row(null) });
    await assert.rejects(keys.replay(request), /still|progress/i);
    await unitOfWork.commit({
      record: move(orders, 'paid', row),
      events: [paid(row)],
      answer: request.row({ status: 201, body: 'done' }),
    });
    assert.deepEqual(await keys.replay(request), { status: 201, body: 'done' });
  });
});

describe('inside a transaction', () => {
  test('changes of several shapes are written, and what follows waits for the commit', async () => {
    const [known, fresh] = [order({ code: randomUUID() }), order()];
    await unitOfWork.commit({ record: insert(orders, known) });
    published.length = 0;
    const done: string[] = [];
    const results = await db.transaction(async (tx) => {
      const written = await unitOfWork.commitIn(tx, [
        { record: insert(orders, order({ code: known.code })), after: () => done.push('duplicate') },
        { record: move(orders, 'paid', known), events: [paid(known)], after: () => done.push('moved') },
        { record: insert(orders, fresh), events: [created(fresh)], after: () => done.push('inserted') },
      ]);
      assert.deepEqual([done, published], [[], []]);
      return written;
    });
    assert.deepEqual(outcomesOf(results), ['duplicate', 'stored', 'stored']);
    assert.deepEqual(done, ['moved', 'inserted']);
    assert.deepEqual(published.sort(), [known.id, fresh.id].sort());
  });

  test('that is rolled back nothing happens', async () => {
    const row = order();
    let after_commit = 0;
    const failing = db.transaction(async (tx) => {
      await unitOfWork.commitIn(tx, [
        { record: insert(orders, row), events: [created(row)], after: () => after_commit++ },
      ]);
      throw new Error('undo');
    });
    await assert.rejects(failing, /undo/);
    assert.deepEqual([await find(row.id), published, after_commit], [null, [], 0]);
  });

  test('inputs that arrive together share it', async () => {
    let transactions = 0;
    const store = unitOfWork.sharedTransaction<Order, boolean>(async (tx, rows) => {
      transactions++;
      const results = await unitOfWork.commitIn(
        tx,
        rows.map((row) => ({ record: insert(orders, row) })),
      );
      return results.map(({ outcome }) => outcome === 'stored');
    });
    assert.deepEqual(await Promise.all([order(), order(), order()].map(store)), [true, true, true]);
    assert.equal(transactions, 1);
  });
});

test('work after the commit runs once, and only for a change that was written', async () => {
  const code = randomUUID();
  const done: string[] = [];
  await Promise.all(
    ['first', 'second'].map((note) =>
      unitOfWork.commit({ record: insert(orders, order({ code, note })), after: () => done.push(note) }),
    ),
  );
  assert.deepEqual(done, ['first']);
});

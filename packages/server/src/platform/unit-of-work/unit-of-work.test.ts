// The promises of the unit of work, over a real database.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, describe, test } from 'node:test';
import { defineLifecycle } from '@parley/contract/lifecycle';
import { openTestDatabase } from '../../../testing/database.ts';
import { systemClock } from '../clock.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import { table } from '../db/table.ts';
import { idempotency, isKeyTaken } from '../idempotency.ts';
import { uuidv7Ids } from '../ids.ts';
import { makeLog } from '../log.ts';
import { outbox } from '../outbox.ts';
import {
  alsoInsert,
  alsoWrite,
  check,
  insert,
  makeUnitOfWork,
  move,
  type SideWriter,
} from './unit-of-work.ts';

const { db, close } = await openTestDatabase();
after(close);
await db.run(
  sql`create table orders (id uuid primary key, organization_id uuid, status text, code text unique, note text)`,
);
await db.run(sql`create table order_lines (id uuid primary key, order_id uuid, text text)`);
await db.run(sql`create table order_counters (organization_id uuid primary key, orders int)`);
await db.run(sql`create table order_deliveries (event_id uuid, receiver text)`);
await db.run(sql`create table blocked_codes (code text)`);

const orderLifecycle = defineLifecycle({
  subject: 'order',
  initial: 'open',
  states: ['open', 'paid', 'shipped', 'canceled'],
  moves: {
    paid: { from: ['open'], to: 'paid', emits: 'order.paid' },
    shipped: { from: ['paid'], to: 'shipped' },
    canceled: { from: ['open', 'paid'], to: 'canceled' },
  },
});
type Order = {
  id: string;
  organization_id: string;
  status: string;
  code: string | null;
  note: string | null;
};
const columns = { id: 'uuid', organization_id: 'uuid', status: 'text', code: 'text', note: 'text' } as const;
const orders = table<Order, typeof orderLifecycle>('orders', columns, {
  lifecycle: orderLifecycle,
  often_alike: [['organization_id', 'status']],
});
const rarely_duplicate = table<Order>('orders', columns, { duplicates: 'rare' });
const order_lines = table<{ id: string; order_id: string; text: string }>('order_lines', {
  id: 'uuid',
  order_id: 'uuid',
  text: 'text',
});
const counter: SideWriter<string> = {
  queries: (writes, stored) => ({
    counted: sql`
      insert into order_counters as c
      select organization_id, count(*) from (
        select unnest(${writes.map(({ value }) => value)}::uuid[]) as organization_id,
               unnest(${writes.map(({ record_id }) => record_id)}::uuid[]) as record_id) w
       where record_id in (${stored}) group by organization_id
      on conflict (organization_id) do update set orders = c.orders + excluded.orders`,
  }),
};
const codeIsFree = check({
  refusal: 'code_blocked',
  columns: { code: 'text' },
  holds: sql`not exists (select from blocked_codes b where b.code = asked.code)`,
});

const clock = systemClock();
const ids = uuidv7Ids(clock);
const log = makeLog({ level: 'silent', show_personal_data: false });
const published: string[] = [];
const events = outbox({
  clock,
  ids,
  fan_out: {
    parts: () => ({
      steps: {},
      statement: sql`insert into order_deliveries select id, 'receiver' from made returning event_id, receiver`,
      columns: [sql`event_id`, sql`receiver`],
    }),
    committed(rows, written) {
      assert.deepEqual(rows.map((row) => row.event_id).sort(), written.map(({ id }) => id).sort());
      published.push(...written.map(({ resource_id }) => resource_id));
      return false;
    },
  },
});

/** The database with its statements counted, where a test may lose the answer to the next one. */
function watched() {
  const statements: Sql[] = [];
  let lose_next = false;
  const rows: Database['rows'] = async <T>(query: Sql) => {
    statements.push(query);
    const found = await db.rows<T>(query);
    if (!lose_next) return found;
    lose_next = false;
    throw Object.assign(new DatabaseUnavailable('connection lost'), { may_be_committed: true });
  };
  const unitOfWork = makeUnitOfWork({ db: { ...db, rows }, clock, log, outbox: events });
  return {
    unitOfWork,
    statements,
    loseNextAnswer: () => {
      lose_next = true;
    },
  };
}
const { unitOfWork } = watched();

const organization_id = randomUUID();
const order = (more: Partial<Order> = {}): Order => ({
  id: ids.next(),
  organization_id,
  status: 'open',
  code: null,
  note: null,
  ...more,
});
const created = ({ id }: Order) => ({
  organization_id,
  type: 'order.created',
  resource_id: id,
  data: { id },
});
const paid = ({ id }: Order) => ({ organization_id, type: 'order.paid', resource_id: id, data: { id } });
const find = (id: string) => db.maybe<Order>(sql`select * from orders where id = ${id}`);
const eventsOf = (id: string) =>
  db.rows<{ id: string; type: string }>(sql`select id, type from events where resource_id = ${id}`);
const deliveriesOf = async (id: string) =>
  (
    await db.rows(
      sql`select receiver from order_deliveries d join events e on e.id = d.event_id where resource_id = ${id}`,
    )
  ).length;
const outcomesOf = (results: { outcome: string }[]) => results.map(({ outcome }) => outcome);

beforeEach(() => {
  published.length = 0;
});

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
    const [plain, told, noted] = [order(), order(), order()];
    await Promise.all([
      own.unitOfWork.commit({ record: insert(orders, plain) }),
      own.unitOfWork.commit({ record: insert(orders, told), events: [created(told), created(told)] }),
      own.unitOfWork.commit({
        record: insert(orders, noted, [codeIsFree({ code: 'any' })]),
        also: [alsoInsert(order_lines, { id: ids.next(), order_id: noted.id, text: 'one' })],
      }),
    ]);
    assert.equal(own.statements.length, 1);
    assert.deepEqual(
      await Promise.all([plain, told, noted].map(async ({ id }) => (await eventsOf(id)).length)),
      [0, 2, 0],
    );
    assert.equal((await db.rows(sql`select id from order_lines where order_id = ${noted.id}`)).length, 1);
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
    const foreign = await unitOfWork.commit({ record: move(orders, 'canceled', other) });
    assert.deepEqual(outcomesOf([late, foreign]), ['not_applicable', 'not_applicable']);
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
    assert.deepEqual(await keys.replay(request), { status: 201, body: JSON.stringify(rows[0]) });
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
    assert.deepEqual(await keys.replay(request), { status: 201, body: '"done"' });
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

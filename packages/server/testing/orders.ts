// Orders: a scratch table with a lifecycle, lines, a counter and deliveries, for tests of the unit of work.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach } from 'node:test';
import { defineLifecycle } from '@parley/contract/schema/lifecycle';
import { systemClock } from '../src/platform/clock.ts';
import { type Database, DatabaseUnavailable } from '../src/platform/db/database.ts';
import { type Sql, sql } from '../src/platform/db/sql.ts';
import { describeTable } from '../src/platform/db/table.ts';
import { uuidv7Ids } from '../src/platform/ids.ts';
import { makeLog } from '../src/platform/log.ts';
import { outbox } from '../src/platform/outbox.ts';
import { check, makeUnitOfWork, type SideWriter } from '../src/platform/unit-of-work/unit-of-work.ts';
import { openTestDatabase } from './database.ts';

export type Order = {
  id: string;
  organization_id: string;
  status: string;
  code: string | null;
  note: string | null;
};

/** Opens a separate database for one test file. */
export async function openOrders() {
  const opened = await openTestDatabase();
  const { db } = opened;
  after(opened.close);
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
  const columns = {
    id: 'uuid',
    organization_id: 'uuid',
    status: 'text',
    code: 'text',
    note: 'text',
  } as const;
  const orders = describeTable<Order, typeof orderLifecycle>('orders', columns, {
    lifecycle: orderLifecycle,
    often_alike: [['organization_id', 'status']],
  });
  const rarely_duplicate = describeTable<Order>('orders', columns, { duplicates: 'rare' });
  const order_lines = describeTable<{ id: string; order_id: string; text: string }>('order_lines', {
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

  /** The database with its statements counted. A test can drop the response to the next one. */
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
  const paid = ({ id }: Order) => ({
    organization_id,
    type: 'order.paid',
    resource_id: id,
    data: { id },
  });
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

  return {
    db,
    orders,
    rarely_duplicate,
    order_lines,
    counter,
    codeIsFree,
    clock,
    ids,
    log,
    published,
    events,
    watched,
    unitOfWork,
    organization_id,
    order,
    created,
    paid,
    find,
    eventsOf,
    deliveriesOf,
    outcomesOf,
  };
}

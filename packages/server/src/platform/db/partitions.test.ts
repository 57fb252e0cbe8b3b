// Events and deliveries are partitioned by time: also the rows of a filled database, without a failed insert, and old
// partitions are dropped.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../../testing/database.ts';
import { waitFor } from '../../../testing/wait-for.ts';
import { migrations_folder } from '../../app/migrations-folder.ts';
import { firstIdAt } from '../ids.ts';
import { type Database, isDuplicateIn, violates } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';
import {
  createPartitionsAhead,
  dropPartitionsBefore,
  type PartitionedTable,
  partitionDays,
  partitionsOf,
} from './partitions.ts';
import { sql } from './sql.ts';

const day_ms = 86_400_000;
const today_ms = Math.floor(Date.now() / day_ms) * day_ms;
const tables: PartitionedTable[] = ['events', 'webhook_deliveries'];
const organization_id = randomUUID();

/** The database of tests has partitions for some days already. */
const endOfPartitions = async (db: Database) => (await partitionsOf(db, 'events')).at(-1)!.from_ms!;

const idAt = (ms: number) => firstIdAt(new Date(ms)).slice(0, 24) + randomUUID().slice(24);

async function insertAt(db: Database, ms: number): Promise<string> {
  const id = idAt(ms);
  await db.run(sql`
    insert into events (id, organization_id, type, resource_id, created_at, payload)
    values (${id}, ${organization_id}, 'call.busy', ${id}, now(), '{}')`);
  await db.run(sql`
    insert into webhook_deliveries (id, organization_id, subscription_id, event_id, event_type, status, ladder_left,
                                    claimable_at, is_leased, claim_no, is_manual, attempts, created_at)
    values (${id}, ${organization_id}, ${organization_id}, ${id}, 'call.busy', 'delivered', 0, now(), false, 0, false, '[]', now())`);
  return id;
}

async function idsOf(db: Database, table: PartitionedTable): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from ${sql.raw(table)} order by id`);
  return rows.map(({ id }) => id);
}

async function assertHolds(db: Database, ids: string[]): Promise<void> {
  for (const table of tables) assert.deepEqual(await idsOf(db, table), ids.toSorted(), table);
}

/** Every time has a partition. */
async function assertNoGap(db: Database): Promise<void> {
  for (const table of tables) {
    const partitions = await partitionsOf(db, table);
    assert.equal(partitions[0].from_ms, null);
    assert.equal(partitions.at(-1)!.to_ms, null);
    for (const [index, { to_ms }] of partitions.slice(0, -1).entries())
      assert.equal(partitions[index + 1]!.from_ms, to_ms);
  }
}

test('the migration of a filled database keeps every row, and works beside the previous version', async () => {
  const { db, close } = await openTestDatabase('empty');
  after(close);
  const migrations = await readMigrations(migrations_folder);
  await migrate(
    db,
    migrations.filter(({ name }) => name < '0060'),
  );
  const old = await Promise.all([0, 1, 40, 400].map((days) => insertAt(db, Date.now() - days * day_ms)));

  // As processes of the previous version do: on other connections, all the time.
  const written: string[] = [];
  let is_migrating = true;
  const writing = (async () => {
    while (is_migrating) written.push(await insertAt(db, Date.now()));
  })();
  await migrate(db, migrations);
  is_migrating = false;
  await writing;
  const ids = [...old, ...written];
  await assertHolds(db, ids);
  await assertNoGap(db);

  // The previous version recognizes a duplicate by the name of the constraint.
  const duplicate = await db
    .run(sql`insert into webhook_deliveries select * from webhook_deliveries where id = ${old[0]}`)
    .catch((error: unknown) => error);
  assert.ok(violates(duplicate, 'webhook_deliveries_pkey'));
  assert.ok(isDuplicateIn(duplicate, 'webhook_deliveries'));

  // The first partition is wider than the others, so its old rows are deleted until it can be dropped.
  const kept_days = 90;
  const before_ms = today_ms - kept_days * day_ms;
  for (const table of tables) {
    const options = { before_ms, days: partitionDays(kept_days) };
    assert.deepEqual(await dropPartitionsBefore(db, table, options), { has_wide_partition: true });
  }
  await assertHolds(db, ids);
  for (const table of tables)
    await dropPartitionsBefore(db, table, { before_ms: today_ms + 10 * day_ms, days: 1 });
  await assertHolds(db, []);
  await assertNoGap(db);
});

test('partitions are created ahead by any process, and dropped when they are old', async () => {
  const { db, close } = await openTestDatabase();
  after(close);
  const start_ms = await endOfPartitions(db);
  const ahead = (now_ms: number) =>
    Promise.all([...tables, ...tables].map((table) => createPartitionsAhead(db, table, { now_ms, days: 1 })));
  // Written before any partition exists, in the past and in the far future: nothing fails.
  const ids = await Promise.all([-30, 0, 1, 2, 3000].map((days) => insertAt(db, start_ms + days * day_ms)));
  await ahead(start_ms);
  const partitions = await partitionsOf(db, 'events');
  assert.ok(partitions.at(-1)!.from_ms! >= start_ms + 2 * day_ms);
  await ahead(start_ms);
  assert.deepEqual(await partitionsOf(db, 'events'), partitions);
  await assertHolds(db, ids);
  await assertNoGap(db);

  const duplicate = await db
    .run(sql`insert into webhook_deliveries select * from webhook_deliveries where id = ${ids[1]}`)
    .catch((error: unknown) => error);
  assert.ok(isDuplicateIn(duplicate, 'webhook_deliveries'), 'a duplicate is recognized in any partition');

  // A long pause of the service.
  await ahead(start_ms + 20 * day_ms);
  ids.push(await insertAt(db, start_ms + 20 * day_ms));
  for (const table of tables)
    await dropPartitionsBefore(db, table, { before_ms: start_ms + 2 * day_ms, days: 1 });
  await assertHolds(db, ids.slice(3));
  ids.push(await insertAt(db, start_ms - 100 * day_ms));
  await assertHolds(db, ids.slice(3));
  await assertNoGap(db);
});

test('a change of partitions does not block others behind a long transaction', async () => {
  const { db, close } = await openTestDatabase();
  after(close);
  const start_ms = await endOfPartitions(db);
  let changed: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await tx.rows(sql`select id from events limit 1`);
    changed = createPartitionsAhead(db, 'events', { now_ms: start_ms, days: 1 });
    await waitFor('a waiting change', async () => {
      const waiting = await db.rows(
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table events%'`,
      );
      return waiting.length > 0;
    });
    await insertAt(db, Date.now());
  });
  await changed;
  assert.ok((await endOfPartitions(db)) > start_ms);
});

test('a lookup by id reads one partition', async () => {
  const { db, close } = await openTestDatabase();
  after(close);
  const id = await insertAt(db, Date.now());
  const plan = await db.rows<{ 'QUERY PLAN': string }>(
    sql`explain select payload from events where organization_id = ${organization_id} and id = ${id}`,
  );
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  assert.equal(text.match(/Scan/g)?.length, 1, text);
});

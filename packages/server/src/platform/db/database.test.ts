// Transactions are atomic, statements compose, and migrations only go forward.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openTestDatabase } from '../../../testing/database.ts';
import { waitFor } from '../../../testing/wait-for.ts';
import { DatabaseUnavailable, openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { compile, sql } from './sql.ts';

const { db, url, close } = await openTestDatabase('empty');
after(close);
await db.run(sql`create table notes (id int primary key, body text)`);

test('a single statement that loses a deadlock is tried again (O7)', async () => {
  await db.run(sql`create sequence losses`);
  await db.run(sql`
    create function lose() returns int language plpgsql as $$
    begin
      if nextval('losses') = 1 then raise exception 'lost' using errcode = '40P01'; end if;
      return 1;
    end $$`);
  assert.deepEqual(await db.rows(sql`select lose() as kept`), [{ kept: 1 }]);
});

describe('the sql template', () => {
  test('turns values into parameters and nests fragments in order', () => {
    const condition = sql`a = ${1} and b = ${'x'}`;
    const query = sql`select ${sql.raw('now()')} from t where ${condition} and c = any(${[3]}::int[])`;
    assert.deepEqual(compile(query), {
      text: 'select now() from t where a = $1 and b = $2 and c = any($3::int[])',
      arrays: [undefined, undefined, 'int'],
      values: [1, 'x', [3]],
    });
    assert.equal(
      compile(sql`x where ${sql.join([sql`a = ${1}`, sql`b = ${2}`], ' or ')}`).text,
      'x where a = $1 or b = $2',
    );
  });

  test('distinguishes statements that differ only in the position of a fragment or in a word', () => {
    const pair = (a: unknown, b: unknown) => compile(sql`select ${a}, ${b}`);
    const fragment = sql`now()`;
    const inner = sql`f(${1})`;
    for (let run = 1; run <= 2; run++) {
      const arrays: [] = [];
      assert.deepEqual(pair(fragment, run), { text: 'select now(), $1', arrays, values: [run] });
      assert.deepEqual(pair(run, fragment), { text: 'select $1, now()', arrays, values: [run] });
      assert.deepEqual(pair('now()', run), { text: 'select $1, $2', arrays, values: ['now()', run] });
      assert.equal(pair(sql.raw('a'), inner).text, 'select a, f($1)');
      assert.equal(pair(sql.raw('b'), inner).text, 'select b, f($1)');
      const joined = (...parts: (typeof inner)[]) => compile(sql.join(parts, ' or ')).text;
      assert.deepEqual([joined(), joined(inner), joined(inner, inner)], ['', 'f($1)', 'f($1) or f($2)']);
    }
  });

  test('prevents SQL injection by values', async () => {
    const hostile = "'; drop table notes; --";
    await db.run(sql`insert into notes values (1, ${hostile})`);
    assert.deepEqual(await db.maybe(sql`select body from notes where body = ${hostile}`), {
      body: hostile,
    });
  });
});

describe('a statement', () => {
  test('that is replanned rarely gets a new plan whenever it has run twice as often', async () => {
    const one = openDatabase({ url, max_connections: 1 });
    const plans: number[] = [];
    for (let run = 1; run <= 9; run++) {
      await one.rows(sql.replannedRarely(sql`select body as rarely from notes where id = ${run}`));
      const { rows } = await one.pool.query(
        `select count(*)::int as count from pg_prepared_statements where statement like '%as rarely%'`,
      );
      plans.push(rows[0].count);
    }
    await one.close();
    assert.deepEqual(plans, [1, 2, 2, 3, 3, 3, 3, 4, 4]);
  });
});

describe('a transaction', () => {
  test('is rolled back when its work fails, and its after-commit actions never run', async () => {
    let has_run = false;
    const failing = db.transaction(async (tx) => {
      await tx.run(sql`insert into notes values (2, 'gone')`);
      tx.afterCommit(() => {
        has_run = true;
      });
      throw new Error('rolled back');
    });
    await assert.rejects(failing, /rolled back/);
    assert.equal(await db.maybe(sql`select 1 from notes where id = 2`), null);
    assert.equal(has_run, false);
  });

  test('runs after-commit actions only after the commit', async () => {
    let seen: unknown = 'not run';
    const check = Promise.withResolvers<void>();
    await db.transaction(async (tx) => {
      await tx.run(sql`insert into notes values (3, 'stored')`);
      tx.afterCommit(() => {
        db.maybe(sql`select body from notes where id = 3`).then((row) => {
          seen = row;
          check.resolve();
        }, check.reject);
      });
    });
    await check.promise;
    assert.deepEqual(seen, { body: 'stored' });
  });

  test('that loses a deadlock is run again', async () => {
    await db.run(sql`insert into notes values (10, ''), (11, '')`);
    const meet = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let runs = 0;
    const crossing = (own: number, other: number, index: number) =>
      db.transaction(async (tx) => {
        runs++;
        await tx.run(sql`update notes set body = body || 'x' where id = ${own}`);
        meet[index]!.resolve();
        await meet[1 - index]!.promise;
        await tx.run(sql`update notes set body = body || 'x' where id = ${other}`);
      });
    await Promise.all([crossing(10, 11, 0), crossing(11, 10, 1)]);
    // The aborted transaction may be aborted again before the other has finished.
    assert.ok(runs >= 3, `${runs} runs`);
    assert.deepEqual(await db.rows(sql`select body from notes where id in (10, 11)`), [
      { body: 'xx' },
      { body: 'xx' },
    ]);
  });
});

test('a statement that fails does not close the connection', async () => {
  const one = openDatabase({ url, max_connections: 1 });
  const session = () => one.maybe(sql`select pg_backend_pid() as pid`);
  const before = await session();
  await assert.rejects(one.run(sql`insert into notes values (1, 'again')`), { code: '23505' });
  assert.deepEqual(await session(), before);
  await one.close();
});

test('an unreachable database always gives the same error', async () => {
  const nowhere = openDatabase({ url: 'postgres://u:p@127.0.0.1:1/x', max_connections: 1 });
  await assert.rejects(nowhere.rows(sql`select 1`), DatabaseUnavailable);
  await nowhere.close();
});

describe('migrations', () => {
  const one = {
    name: '0001_one.sql',
    text: 'create table one (id int); insert into one values (1);',
    hash: 'h1',
  };
  const two = { name: '0002_two.sql', text: 'create table two (id int)', hash: 'h2' };

  test('are applied once, also when processes start together', async () => {
    const applied = await Promise.all([migrate(db, [one]), migrate(db, [one]), migrate(db, [one])]);
    assert.deepEqual(applied.flat(), ['0001_one.sql']);
    assert.deepEqual(await migrate(db, [one, two]), ['0002_two.sql']);
    assert.deepEqual(await migrate(db, [one, two]), []);
  });

  test('that fail leave nothing behind', async () => {
    const broken = {
      name: '0003_broken.sql',
      text: 'create table three (id int); select nonsense',
      hash: 'h3',
    };
    await assert.rejects(migrate(db, [one, two, broken]), /0003_broken\.sql failed/);
    assert.equal(await db.maybe(sql`select 1 from pg_tables where tablename = 'three'`), null);
  });

  test('that were changed, or that a newer version applied, stop the start', async () => {
    await assert.rejects(migrate(db, [{ ...one, hash: 'other' }, two]), /changed after it was applied/);
    await assert.rejects(migrate(db, [one]), /run a newer one/);
  });

  test('of a newer version do not stop an older one that they are compatible with', async () => {
    const four = {
      name: '0004_four.sql',
      text: 'create table four (id int)',
      hash: 'h4',
      compatible_from: '0002',
    };
    assert.deepEqual(await migrate(db, [one, two, four]), ['0004_four.sql']);
    assert.deepEqual(await migrate(db, [one, two]), []);
    await assert.rejects(migrate(db, [one]), /0002_two\.sql, which this version does not know/);
  });

  test('that wait for a lock let others pass, and are tried again', async () => {
    const five = { name: '0005_five.sql', text: 'alter table two add column name text', hash: 'h5' };
    const lock_waits = () =>
      db.rows(
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table two%'`,
      );
    let migrated: Promise<string[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows(sql`select * from two`);
      migrated = migrate(db, [one, two, five]);
      await waitFor('a waiting migration', async () => (await lock_waits()).length > 0);
      // Would wait for ever behind the migration, which waits for this transaction.
      await db.rows(sql`select * from two`);
    });
    assert.deepEqual(await migrated, ['0005_five.sql']);
  });
});

test('a late error of a released connection does not end the process', async () => {
  const { db: own, close } = await openTestDatabase();
  try {
    const client = await own.pool.connect();
    client.release(new Error('broken'));
    client.emit('error', new Error('terminating connection due to unexpected postmaster exit'));
    assert.deepEqual(await own.rows(sql`select 1 as one`), [{ one: 1 }]);
  } finally {
    await close();
  }
});

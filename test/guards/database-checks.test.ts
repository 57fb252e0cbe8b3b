// Guard: the CHECK constraint of a status column allows exactly the states of its lifecycle.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lifecycles } from '../../packages/contract/src/index.ts';
import type { Lifecycle } from '../../packages/contract/src/schema/lifecycle.ts';
import { sql } from '../../packages/server/src/platform/db/sql.ts';
import { openTestDatabase } from '../../packages/server/testing/database.ts';

const { db, close } = await openTestDatabase();
after(close);

/** Lifecycles without a table, because their feature does not exist yet. */
const withoutTable = new Set<string>();

const tableOf = ({ subject, table }: Lifecycle) => table ?? `${subject.replace(/y$/, 'ie')}s`;

test('every status column is checked against exactly the declared states', async () => {
  const checks = await db.rows<{ table: string; definition: string }>(sql`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'c'`);
  const found = new Map(
    checks.map(({ table, definition }) => [
      `${table}.${/^CHECK \(+(\w+)/.exec(definition)?.[1]}`,
      [...definition.matchAll(/'([a-z_]+)'::text/g)].map((match) => match[1]!).sort(),
    ]),
  );
  for (const lifecycle of lifecycles as readonly Lifecycle[]) {
    const { subject, states, column = 'status' } = lifecycle;
    if (withoutTable.has(subject)) continue;
    assert.deepEqual(found.get(`${tableOf(lifecycle)}.${column}`), [...states].sort(), subject);
  }
  const statusTables = await db.rows<{ table_name: string }>(sql`
    select table_name from information_schema.columns where table_schema = 'public' and column_name = 'status' and data_type = 'text'`);
  const declared = new Set((lifecycles as readonly Lifecycle[]).map(tableOf));
  assert.deepEqual(
    statusTables.map((row) => row.table_name).filter((table) => !declared.has(table)),
    [],
    'a table with a status has a lifecycle',
  );
});

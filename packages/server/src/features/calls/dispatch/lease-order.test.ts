// The leases of many calls are renewed in one order, so that nobody waits for anybody in a circle (O7).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { eventually, people, place } from '../../../../testing/calls.ts';
import { openDatabase } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { progressStore } from './progress-store.ts';

const { client, db, database_url } = await startTestApp({ PARLEY_CALLS_AT_ONCE: '0' });

test('a transaction that holds the first call gets the second one while leases are being renewed (O7)', async () => {
  const first = await place(client, people.converses);
  const second = await place(client, people.converses);
  // Its newest version now stands behind the other call: a scan of the table meets the second call first.
  await db.run(sql`update calls set metadata = '{"moved": true}' where id = ${first.id}`);
  await db.run(sql`vacuum analyze calls`);
  const own = openDatabase({ url: database_url, max_connections: 1 });
  try {
    const store = progressStore(
      own,
      () => assert.fail('nothing is moved here'),
      () => '',
    );
    const lock = (id: string) => sql`select id from calls where id = ${id} for update`;
    await own.run(sql`set enable_indexscan = off`);
    await own.run(sql`set enable_bitmapscan = off`);
    let renewed: Promise<{ id: string }[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.run(lock(first.id));
      renewed = store.renew([second.id, first.id], 15);
      renewed.catch(() => {});
      await eventually('the renewal waits', async () => {
        const [row] = await db.rows<{ waiting: number }>(
          sql`select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like '%lease_until%' and datname = current_database()`,
        );
        return row!.waiting > 0;
      });
      // Refused at once where the renewal holds it, and would go on to a deadlock.
      await tx.run(sql`${lock(second.id)} nowait`);
    });
    assert.deepEqual((await renewed!).map(({ id }) => id).toSorted(), [first.id, second.id].toSorted());
  } finally {
    await own.close();
  }
});

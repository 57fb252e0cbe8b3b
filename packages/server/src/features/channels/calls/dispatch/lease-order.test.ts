// Leases are renewed in the order of the call ids, so that concurrent transactions cannot deadlock (O7).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startTestApp } from '../../../../../testing/app.ts';
import { eventually, people, place } from '../../../../../testing/calls.ts';
import { openDatabase } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { progressStore } from './progress/progress-store.ts';

const { client, db, database_url } = await startTestApp({ PARLEY_CALLS_AT_ONCE: '0' });

const leader_id = randomUUID();

test('a transaction that locked the first call can lock the second one while leases are renewed (O7)', async () => {
  const first = await place(client, people.converses);
  const second = await place(client, people.converses);
  await db.run(sql`update calls set leader_id = ${leader_id} where id = any(${[second.id, first.id]})`);
  // Its newest row version is now behind the other call: a table scan reads the second call first.
  await db.run(sql`update calls set metadata = '{"moved": true}' where id = ${first.id}`);
  await db.run(sql`vacuum analyze calls`);
  const own = openDatabase({ url: database_url, max_connections: 1 });
  try {
    const store = progressStore(
      own,
      () => assert.fail('no call is moved here'),
      () => '',
    );
    const lock = (id: string) => sql`select id from calls where id = ${id} for update`;
    await own.run(sql`set enable_indexscan = off`);
    await own.run(sql`set enable_bitmapscan = off`);
    let renewed: Promise<{ id: string }[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.run(lock(first.id));
      renewed = store.renew(leader_id, [second.id, first.id], 15);
      renewed.catch(() => {});
      await eventually('the renewal waits', async () => {
        const [row] = await db.rows<{ waiting: number }>(
          sql`select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like '%lease_until%' and datname = current_database()`,
        );
        return row!.waiting > 0;
      });
      // Fails immediately if the renewal holds this lock, which would lead to a deadlock.
      await tx.run(sql`${lock(second.id)} nowait`);
    });
    assert.deepEqual((await renewed!).map(({ id }) => id).toSorted(), [first.id, second.id].toSorted());
  } finally {
    await own.close();
  }
});

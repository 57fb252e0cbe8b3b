// Whoever makes an event is answered after those who asked for it were told, where that takes no longer than a turn.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { systemClock } from './clock.ts';
import { sql } from './db/sql.ts';
import { uuidv7Ids } from './ids.ts';
import { outbox } from './outbox.ts';

const { db, close } = await openTestDatabase();
after(close);

const clock = systemClock();
const ids = uuidv7Ids(clock);

/** Sends as over a connection at rest: not before the next turn of the event loop. */
const sender = (order: string[], is_leaving: boolean) =>
  outbox({
    clock,
    ids,
    fan_out: {
      parts: () => ({
        steps: {},
        statement: sql`select id as event_id from made`,
        columns: [sql`event_id`],
      }),
      committed(rows) {
        setImmediate(() => order.push(`sent ${rows.length}`));
        return is_leaving;
      },
    },
  });

for (const [is_leaving, expected] of [
  [true, ['sent 1', 'answered']],
  [false, ['answered', 'sent 1']],
] as const) {
  const name = is_leaving ? 'what is on its way out leaves before the answer' : 'nothing else is waited for';
  const event = { organization_id: randomUUID(), type: 'call.answered', resource_id: randomUUID(), data: {} };
  const sent = async (order: string[]) => {
    while (order.length < 2) await new Promise(setImmediate);
    return order;
  };

  test(`an event alone: ${name}`, async () => {
    const order: string[] = [];
    await sender(order, is_leaving).writeAlone(db, [event]);
    order.push('answered');
    assert.deepEqual(await sent(order), expected);
  });

  test(`an event with its record: ${name}`, async () => {
    const order: string[] = [];
    const stored = sql`select ${event.resource_id}::uuid as id`;
    await sender(order, is_leaving).writeWith(db, stored, [event]);
    order.push('answered');
    assert.deepEqual(await sent(order), expected);
  });
}

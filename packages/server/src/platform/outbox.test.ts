// A commit returns after the first attempts of its deliveries have started, if that takes one turn of the event loop.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../testing/database.ts';
import { systemClock } from './clock.ts';
import { sql } from './db/sql.ts';
import { uuidv7Ids } from './ids.ts';
import { makeLog } from './log.ts';
import { outbox } from './outbox.ts';
import { makeUnitOfWork } from './unit-of-work/unit-of-work.ts';

const { db, close } = await openTestDatabase();
after(close);

const clock = systemClock();
const ids = uuidv7Ids(clock);
const log = makeLog({ level: 'silent', show_personal_data: false });

/** Sends like an idle connection: not before the next turn of the event loop. */
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
  [true, ['sent 1', 'responded']],
  [false, ['responded', 'sent 1']],
] as const) {
  const name = is_leaving
    ? 'deliveries that are about to be sent go before the response'
    : 'the response waits for nothing else';
  const event = { organization_id: randomUUID(), type: 'call.answered', resource_id: randomUUID(), data: {} };
  const sent = async (order: string[]) => {
    while (order.length < 2) await new Promise(setImmediate);
    return order;
  };

  test(name, async () => {
    const order: string[] = [];
    const unitOfWork = makeUnitOfWork({ db, clock, log, outbox: sender(order, is_leaving) });
    await unitOfWork.commit({ events: [event] });
    order.push('responded');
    assert.deepEqual(await sent(order), expected);
  });
}

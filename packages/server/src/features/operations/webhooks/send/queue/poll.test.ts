// While the database cannot be reached, the sender looks for due deliveries at its usual pace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { webhookSender } from '../sender.ts';

test('a delivery that became due during an outage does not make the sender poll without a pause', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now_ms = 0;
  let is_down = false;
  let polls = 0;
  const query = async (answer: unknown) => {
    polls++;
    if (is_down) throw new Error('connect ECONNREFUSED');
    return answer;
  };
  const due = { subscription_ids: [], has_manual: false, has_expired_lease: false, next_at: new Date(500) };
  const unused = async () => {};
  const deps = {
    db: { maybe: () => query(due), rows: () => query([]), run: () => query(0) },
    clock: { ms: () => now_ms, now: () => new Date(now_ms) },
    log: { warn() {}, info() {}, error() {} },
    recipients: { find: () => null, forget() {} },
    attempt: unused,
    abortAttempts: unused,
    countAttempt() {},
    timeout_ms: 15_000,
  };
  const sender = webhookSender(deps as unknown as Parameters<typeof webhookSender>[0]);
  const pass = async (ms: number) => {
    for (const end_ms = now_ms + ms; now_ms < end_ms; ) {
      now_ms += 5;
      t.mock.timers.tick(5);
      await nextTurn();
    }
  };
  sender.start();
  await pass(100);
  is_down = true;
  await pass(1000);
  polls = 0;
  await pass(10_000);
  assert.ok(polls > 10 && polls < 100, `${polls} polls in ten seconds`);
});

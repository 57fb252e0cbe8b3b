// Two hundred and fifty calls while processes are killed, callbacks get lost, streams break and people hang up: every call ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { isFinalCall } from '@parley/contract/channels/calls/call-records';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import { callWorkers } from '../../../../../testing/call-workers.ts';
import { people } from '../../../../../testing/calls.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../../testing/carriers/twilio.ts';
import type { TwilioCall } from '../../../../../testing/carriers/twilio-calls.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { randomNumbers, test_seed } from '../../../../../testing/random.ts';
import { pause, waitFor } from '../../../../../testing/wait-for.ts';
import { sql } from '../../../../platform/db/sql.ts';

/** Enough that the random kills, lost callbacks and cancellations meet calls in every state; more of them show nothing new. */
const calls = 250;
const workers_at_once = 3;
const kills = 4;
const deadline_after_ms = 110_000;

const { next: random, pick: oneOf } = randomNumbers(test_seed);

const twilio = await startTwilio();
after(() => twilio.close());
const carrier = {
  TWILIO_ACCOUNT_SID: twilio_account,
  TWILIO_AUTH_TOKEN: twilio_token,
  TWILIO_BASE_URL: twilio.url,
  PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
};
// This process queues calls, receives callbacks and sweeps; it runs no calls.
const service = await startTestApp({
  ...carrier,
  PARLEY_CALLS_AT_ONCE: '0',
  PARLEY_CALL_LEASE_SECONDS: '3',
});
const { client, organization, db } = service;

const workers = callWorkers(service, {
  ...carrier,
  PARLEY_CALL_LEASE_SECONDS: '3',
  PARLEY_CALLS_AT_ONCE: '40',
});

/** A carrier that loses callbacks, and people who behave at random. */
async function playCarrier(call: TwilioCall): Promise<void> {
  const clock = fastClock(10);
  const report = async (status: string) => {
    if (random() < 0.6) await call.report(status).catch(() => {});
    else {
      call.status = status;
      twilio.calls.set(call.sid, status);
    }
  };
  await report('ringing');
  await pause(random() * 100, 'people answer after a while');
  const behavior = random();
  if (behavior < 0.3) return report(oneOf(['busy', 'no-answer', 'failed', 'canceled']));
  // Rings until we end it, or until the ring timeout that the carrier got.
  if (behavior < 0.4) {
    await pause(1000 * Number(call.form.get('Timeout')), 'the carrier rings for the requested time');
    if (twilio.calls.get(call.sid) === 'ringing') await report('no-answer');
    return;
  }
  const far = await call.answer(clock);
  await report('in-progress');
  await Promise.race([far.closed, pause(random() * 1500, 'people speak for a while')]);
  if (random() < 0.3) far.breakOff();
  else far.hangUp();
  await report('completed');
}

test('every call ends, every number is released, and no call stays open at the carrier', {
  timeout: deadline_after_ms + 60_000,
}, async (t) => {
  for (let i = 0; i < 10; i++) {
    const e164 = `+1415555${String(2000 + i)}`;
    const created = await client.request('POST', '/v1/admin/pool-numbers', { e164, provider: 'twilio' });
    assert.equal(created.status, 201, created.text);
  }
  // One organization has its own number; the others share the pool.
  const owner = organization();
  assert.equal((await owner.request('POST', '/v1/numbers', { country_code: 'US' })).status, 201);
  const callers: Client[] = [owner, owner, organization(), organization()];
  await Promise.all(Array.from({ length: workers_at_once }, workers.start));

  const carry = async () => {
    for (;;) void playCarrier(await twilio.phone.next()).catch(() => {});
  };
  void carry();

  const numbers = Object.values(people);
  const placed: { of: Client; id: string }[] = [];
  const placing = (async () => {
    for (let i = 0; i < calls; i++) {
      const of = oneOf(callers);
      const created = await of.request<Call>('POST', '/v1/calls', {
        to: oneOf(numbers),
        recipient_consent: true,
        ring_timeout_seconds: 5,
        max_duration_seconds: 30,
      });
      assert.equal(created.status, 201, created.text);
      placed.push({ of, id: created.body.id });
      if (random() < 0.1) {
        const some = oneOf(placed);
        void some.of.request('POST', `/v1/calls/${some.id}/cancel`);
      }
    }
  })();
  const killing = (async () => {
    for (let i = 0; i < kills; i++) {
      await pause(500 + random() * 1500, 'kills come at random moments');
      await workers.kill(oneOf([...workers.running]));
      await workers.start();
    }
  })();
  await Promise.all([placing, killing]);

  const unfinished = () =>
    db.rows<{ id: string; status: string }>(
      sql`select id, status from calls where status in ('queued', 'dialing', 'ringing', 'in_progress')`,
    );
  await waitFor('every call ends', async () => (await unfinished()).length === 0, {
    timeout_ms: deadline_after_ms,
    interval_ms: 200,
  });

  const outcomes = await db.rows<{ status: string; end_reason: string; count: number }>(
    sql`select status, end_reason, count(*)::int as count from calls group by 1, 2 order by 3 desc`,
  );
  t.diagnostic(
    outcomes.map(({ status, end_reason, count }) => `${count} ${status}/${end_reason}`).join(', '),
  );
  assert.equal(
    outcomes.reduce((sum, { count }) => sum + count, 0),
    calls,
  );
  assert.ok(outcomes.every(({ status, end_reason }) => isFinalCall(status) && end_reason !== null));
  assert.ok(
    outcomes.some(({ end_reason }) => end_reason === 'force_closed'),
    'the kills hit calls',
  );
  const held = await db.rows(sql`select e164 from pool_numbers where bound_call_id is not null`);
  assert.deepEqual(held, []);
  // Every call has exactly one end in its timeline.
  const ends = await db.rows<{ count: number }>(sql`
    select count(*)::int as count from call_events
     where kind in ('hung_up', 'declined', 'rang_out', 'broke', 'canceled') group by call_id`);
  assert.deepEqual([ends.length, ends.every(({ count }) => count === 1)], [calls, true]);
  const openAtCarrier = () =>
    [...twilio.calls].filter(([, status]) => ['queued', 'ringing', 'in-progress'].includes(status));
  await waitFor('no call is open at the carrier', () => openAtCarrier().length === 0);
});

// One process leads a call. After another one took it over, the old leader stops without hanging up or writing anything.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestApp } from '../../../../../../testing/app.ts';
import { callWorkers } from '../../../../../../testing/call-workers.ts';
import { ended, eventually, place, timeline, transcript, until } from '../../../../../../testing/calls.ts';
import { startTwilio, twilio_account, twilio_token } from '../../../../../../testing/carriers/twilio.ts';
import { fastClock } from '../../../../../../testing/fast-clock.ts';
import { sql } from '../../../../../platform/db/sql.ts';

const twilio = await startTwilio();
after(() => twilio.close());
const carrier = {
  PARLEY_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: twilio_account,
  TWILIO_AUTH_TOKEN: twilio_token,
  TWILIO_BASE_URL: twilio.url,
  PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
  PARLEY_CALL_LEASE_SECONDS: '120',
};
// This process queues calls and sweeps; it runs no calls.
const service = await startTestApp({ ...carrier, PARLEY_CALLS_AT_ONCE: '0' });
const { client, db } = service;
const workers = callWorkers(service, carrier);
let from: string;
let worker: Awaited<ReturnType<typeof workers.start>>;

before(async () => {
  worker = await workers.start();
  const number = await client.request<{ e164: string }>('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
  from = number.body.e164;
});

/** A call that the worker leads, answered by the far phone. */
async function answeredCall() {
  const { id } = await place(client, '+14155550123', { from });
  const at_carrier = await twilio.phone.next();
  const far = await at_carrier.answer(fastClock(1));
  await until(client, id, 'in_progress');
  return { id, at_carrier, far };
}
const rowOf = async (id: string) =>
  (
    await db.rows<{ status: string; leader_id: string; lease_until: Date | null }>(
      sql`select status, leader_id, lease_until from calls where id = ${id}`,
    )
  )[0]!;
const hangUpsOf = (sid: string) =>
  twilio.seen.filter(({ method, path }) => method === 'POST' && path.includes(`/Calls/${sid}.json`));

test('a leader whose call another process leads lets go of it: no hang-up, no further write', async () => {
  const { id, at_carrier, far } = await answeredCall();
  const other = randomUUID();
  await db.run(
    sql`update calls set leader_id = ${other}, lease_until = now() + interval '1 hour' where id = ${id}`,
  );
  const entries = (await timeline(client, id)).length;
  const { code } = await far.closed;
  assert.equal(code, 1000);
  const row = await rowOf(id);
  assert.deepEqual([row.status, row.leader_id], ['in_progress', other]);
  assert.ok(row.lease_until!.getTime() > Date.now() + 3_500_000, 'the lease of the new leader is untouched');
  assert.deepEqual(hangUpsOf(at_carrier.sid), []);
  assert.equal((await timeline(client, id)).length, entries);
  // The new leader is a process that is gone, too: the sweeper of this process takes the call over, and ends it.
  await db.run(sql`update calls set lease_until = now() - interval '1 second' where id = ${id}`);
  assert.equal((await ended(client, id)).end_reason, 'force_closed');
  assert.equal(hangUpsOf(at_carrier.sid).length, 1);
});

test('a leader that was paused for longer than its lease writes nothing when it goes on', async () => {
  const { id, at_carrier, far } = await answeredCall();
  worker.kill('SIGSTOP');
  await db.run(sql`update calls set lease_until = now() - interval '1 second' where id = ${id}`);
  const closed = await ended(client, id);
  assert.deepEqual([closed.status, closed.end_reason], ['failed', 'force_closed']);
  const before = [await timeline(client, id), await transcript(client, id)];
  worker.kill('SIGCONT');
  await far.closed;
  // It leads calls again, so it has noticed that this one is over.
  const next = await answeredCall();
  assert.deepEqual([await timeline(client, id), await transcript(client, id)], before);
  assert.equal(at_carrier.status, 'completed');
  next.far.hangUp();
  await ended(client, next.id);
});

test('a call that rings is not canceled by a leader that lost it', async () => {
  const { id } = await place(client, '+14155550123', { from, ring_timeout_seconds: 120 });
  const at_carrier = await twilio.phone.next();
  await at_carrier.report('ringing');
  await eventually('the call is stored as placed', async () => (await rowOf(id)).status === 'ringing');
  const other = randomUUID();
  await db.run(
    sql`update calls set leader_id = ${other}, lease_until = now() + interval '1 hour' where id = ${id}`,
  );
  // The worker renews the leases of both calls together, so it has noticed the loss when the second one is over.
  const second = await answeredCall();
  second.far.hangUp();
  await ended(client, second.id);
  assert.deepEqual(hangUpsOf(at_carrier.sid), []);
  assert.deepEqual([(await rowOf(id)).status, (await rowOf(id)).leader_id], ['ringing', other]);
  await db.run(sql`update calls set lease_until = now() - interval '1 second' where id = ${id}`);
  assert.equal((await ended(client, id)).end_reason, 'force_closed');
});

// Inbound calls that are offered at the same moment, or while a queued call is claimed, do not exceed the number of calls that a
// process takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { startTestApp } from '../../../../../testing/app.ts';
import { ended, people, place, read } from '../../../../../testing/calls.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { sql } from '../../../../platform/db/sql.ts';

const { client, db, organization } = await startTestApp({ PARLEY_CALLS_AT_ONCE: '1' });

const agent = await client.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
  country_code: 'US',
});
await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });

const callIn = async () =>
  (
    await client.request<{ is_answered: boolean; call: Call }>('POST', '/v1/sandbox/inbound-calls', {
      from: '+14155550123',
      to: number.body.e164,
    })
  ).body;

async function hangUp({ id }: Call, of = client): Promise<void> {
  await of.request('POST', `/v1/calls/${id}/cancel`);
  await ended(of, id);
}

test('of three calls at once a process with one place answers one, and the next one after it has ended', async () => {
  const calls = await Promise.all([callIn(), callIn(), callIn()]);
  const answered = calls.filter(({ is_answered }) => is_answered);
  assert.equal(answered.length, 1);
  await hangUp(answered[0]!.call);
  const next = await waitFor('another call is answered', async () => {
    const { is_answered, call } = await callIn();
    return is_answered ? call : null;
  });
  await hangUp(next);
});

test('a queued call that is being claimed has the last place', async () => {
  // Without a number of its own it calls from one of the pool.
  const other = organization();
  const queued = await db.transaction(async (tx) => {
    // The claim waits for this table when it binds a number to the call.
    await tx.run(sql`lock table pool_numbers in share mode`);
    const call = await place(other, people.never_answers);
    await waitFor('the call is being claimed', () =>
      db.maybe(
        sql`select from pg_locks where not granted and relation = 'pool_numbers'::regclass and database =
          (select oid from pg_database where datname = current_database())`,
      ),
    );
    assert.equal((await callIn()).is_answered, false);
    return call;
  });
  await waitFor('the queued call is dialed', async () => {
    const { status } = await read(other, queued.id);
    return status !== 'queued';
  });
  await hangUp(queued, other);
});

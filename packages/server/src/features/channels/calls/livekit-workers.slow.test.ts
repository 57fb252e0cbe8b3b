// Two workers on LiveKit: one is full or stops, and inbound and outbound calls go to the other.
// Runs in its own process: it starts another one in a network namespace.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { callWorkers } from '../../../../testing/call-workers.ts';
import { ended, eventually, place, read, until } from '../../../../testing/calls.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { sql } from '../../../platform/db/sql.ts';
import { testsInOwnNetwork } from '../../../providers/carrier/livekit/testing/own-network.ts';
import { startPhone } from '../../../providers/carrier/livekit/testing/phone.ts';
import {
  createOutboundTrunk,
  livekit_is_missing,
  startLiveKitStack,
} from '../../../providers/carrier/livekit/testing/stack.ts';
import type { MediaSession } from '../../../providers/media/media-session.ts';

const own_number = '+14155550100';
const pool_numbers = ['+14155550101', '+14155550102'];
const friend = '+14155550123';
/** Most of a minute: while the agent speaks, the silence of the person does not end the call. */
const story = 'Once upon a time there was a ship on the sea. '.repeat(21);

/** One call, seen from the phone and from the service. */
type Talk = { id: string; leader_id: string; far: MediaSession };

await testsInOwnNetwork(import.meta.filename, livekit_is_missing, async () => {
  const stack = await startLiveKitStack();
  const phone = await startPhone(stack.sip_port);
  after(async () => {
    await phone.stop();
    await stack.close();
    // The library keeps its threads.
    setTimeout(() => process.exit(), 1000).unref();
  });
  const environment = {
    PARLEY_CARRIER: 'livekit',
    LIVEKIT_URL: stack.access.url,
    LIVEKIT_API_KEY: stack.access.api_key,
    LIVEKIT_API_SECRET: stack.access.api_secret,
    LIVEKIT_SIP_TRUNK_ID: await createOutboundTrunk(stack, phone.port, own_number),
    LIVEKIT_NUMBERS: [own_number, ...pool_numbers].join(),
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
    // Its pool has numbers, too.
    PARLEY_SANDBOX: 'off',
  };
  // This process runs no calls itself: it queues them.
  const app = await startTestApp({ ...environment, PARLEY_CALLS_AT_ONCE: '0' });
  const { client, db } = app;
  // Has no number, so its calls are placed from the pool.
  const caller = app.organization();
  for (const e164 of pool_numbers) {
    const added = await client.request('POST', '/v1/admin/pool-numbers', { e164 });
    assert.equal(added.status, 201, added.text);
  }
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Reception',
    first_message: story,
  });
  assert.equal(agent.status, 201, agent.text);
  const bought = await client.request<{ id: string }>('POST', '/v1/numbers', {
    country_code: 'US',
    capabilities: ['voice'],
  });
  assert.equal(bought.status, 201, bought.text);
  await client.request('PATCH', `/v1/numbers/${bought.body.id}`, { voice_agent_id: agent.body.id });
  // The database is outside of the namespace, so it is reached by its socket in the file system.
  const sockets = encodeURIComponent(process.env.PARLEY_TEST_DATABASE_SOCKETS!);
  const workers = callWorkers(app, {
    ...environment,
    DATABASE_URL: `${app.database_url}?host=${sockets}`,
    LIVEKIT_INBOUND: 'set-up',
    LIVEKIT_INBOUND_SOURCES: '127.0.0.1/32',
    PARLEY_STOP_CALLS_SECONDS: '240',
    TEST_REAL_TIME: '1',
  });
  const start = async (calls_at_once: number) => {
    const worker = await workers.start({ PARLEY_CALLS_AT_ONCE: String(calls_at_once) });
    assert.equal(worker.exitCode, null, 'the worker has started');
    return worker;
  };
  const stop = (worker: ChildProcess) => {
    const exited = once(worker, 'exit');
    worker.kill('SIGTERM');
    return exited;
  };

  const hears = async (far: MediaSession) => {
    let is_heard = false;
    far.onFrame((pcm) => {
      if (Math.max(...pcm) > 1000) is_heard = true;
    });
    await waitFor('the agent speaks', () => is_heard);
  };
  const leaderOf = async (id: string) =>
    (await db.rows<{ leader_id: string }>(sql`select leader_id from calls where id = ${id}`))[0]!.leader_id;
  let last_caller = 0;
  /** A person calls in, and the agent speaks. */
  const callIn = async (): Promise<Talk> => {
    const from = `+1415555${2000 + ++last_caller}`;
    const call = await phone.call({ to: own_number, from, max_duration_ms: 240_000 });
    const far = await call.media();
    assert.ok(far, `${call.history()} ${stack.output('server').slice(-6000)}`);
    await hears(far);
    const [row] = await db.rows<{ id: string }>(sql`select id from calls where "from" = ${from}`);
    await until(client, row!.id, 'in_progress');
    return { id: row!.id, leader_id: await leaderOf(row!.id), far };
  };
  const placeCall = () => place(caller, friend, { first_message: story, ai_disclosure: false });
  /** A placed call was answered, and the agent speaks. */
  const callOut = async (): Promise<Talk> => {
    const { id } = await placeCall();
    const far = await phone.nextLine();
    await hears(far);
    await until(caller, id, 'in_progress');
    return { id, leader_id: await leaderOf(id), far };
  };
  const hangUp = async ({ id, far }: Talk) => {
    far.close();
    const [row] = await db.rows<{ organization_id: string }>(
      sql`select organization_id from calls where id = ${id}`,
    );
    const owner = row!.organization_id === caller.organization_id ? caller : client;
    const call = await ended(owner, id);
    assert.deepEqual([call.status, call.end_reason], ['completed', 'callee_hangup']);
  };
  const noNumberIsBound = () =>
    eventually('no number is bound', async () => {
      const rows = await db.rows(sql`select 1 from pool_numbers where bound_call_id is not null`);
      return rows.length === 0;
    });
  const limits = { timeout: 300_000 };

  test('a worker that is full gets no calls, until one of its calls is over', limits, async () => {
    const both = await Promise.all([start(1), start(1)]);
    // One worker has an inbound call: the next one is answered by the other.
    const first = await callIn();
    const second = await callIn();
    assert.notEqual(second.leader_id, first.leader_id);
    // Both are full: a placed call waits for the worker whose call ends first.
    const { id } = await placeCall();
    await hangUp(first);
    await until(caller, id, 'in_progress');
    assert.equal(await leaderOf(id), first.leader_id);
    const third = { id, leader_id: first.leader_id, far: await phone.nextLine() };
    // One is full with a placed call: an inbound call is answered by the other, which was full before.
    await hangUp(second);
    const fourth = await callIn();
    assert.equal(fourth.leader_id, second.leader_id);
    await hangUp(third);
    // And a placed call is led by the one that is not full with an inbound call.
    const fifth = await callOut();
    assert.equal(fifth.leader_id, first.leader_id);
    await hangUp(fourth);
    await hangUp(fifth);
    await noNumberIsBound();
    assert.deepEqual(await Promise.all(both.map(stop)), [
      [0, null],
      [0, null],
    ]);
  });

  test(
    'a worker that is stopped gets no calls: they go to the other, and its own go on until they end',
    limits,
    async () => {
      const stopping = await start(4);
      const inbound = await callIn();
      const outbound = await callOut();
      assert.equal(outbound.leader_id, inbound.leader_id);
      await start(4);
      const exited = stop(stopping);
      const later = [await callIn(), await callOut(), await callIn()];
      for (const { leader_id } of later) assert.notEqual(leader_id, inbound.leader_id);
      assert.equal(new Set(later.map(({ leader_id }) => leader_id)).size, 1);
      // The calls of the stopped worker are not disturbed.
      for (const { far } of [inbound, outbound]) await hears(far);
      assert.equal((await read(client, inbound.id)).status, 'in_progress');
      for (const each of [outbound, ...later, inbound]) await hangUp(each);
      assert.deepEqual(await exited, [0, null]);
      await noNumberIsBound();
      const endings = await db.rows(sql`
        select status, end_reason, count(*)::int as calls from calls group by 1, 2`);
      assert.deepEqual(endings, [{ status: 'completed', end_reason: 'callee_hangup', calls: 10 }]);
    },
  );
});

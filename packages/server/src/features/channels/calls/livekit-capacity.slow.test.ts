// What LiveKit is told about the capacity of workers: full, free again, stopping; and that a promised call is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callWorkers } from '../../../../testing/call-workers.ts';
import { ended, eventually, place, until } from '../../../../testing/calls.ts';
import type { RoomPhone } from '../../../../testing/carriers/livekit-rooms.ts';
import { startOnLiveKit } from '../../../../testing/carriers/service.ts';
import { hearCoded } from '../../../../testing/coded-speech.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';

const limits = { timeout: 120_000 };
const friend = '+14155550123';
const sources = { LIVEKIT_INBOUND: 'set-up', LIVEKIT_INBOUND_SOURCES: '192.0.2.0/24' };

/** A service that can run one call, with an agent that answers its number. */
async function startWithOnePlace() {
  const service = await startOnLiveKit(fastClock(5), { ...sources, PARLEY_CALLS_AT_ONCE: '1' });
  const { client, livekit } = service;
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Desk',
    first_message: 'How can I help you?',
  });
  const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
    capabilities: ['voice'],
  });
  assert.equal(number.status, 201, number.text);
  await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  await eventually('registered', () => livekit.workers.length === 1);
  return { ...service, callIn: () => livekit.callIn(friend, number.body.e164) };
}

const service = await startWithOnePlace();
const { client, livekit } = service;
const isTold = (status: 'WS_FULL' | 'WS_AVAILABLE') =>
  eventually(`LiveKit is told ${status}`, () => livekit.workers[0]!.status === status);
const isAnswered = (far: RoomPhone) =>
  eventually('the agent speaks', () => /help you\?/.test(hearCoded(joinPcm(far.frames()))));

test('LiveKit is told when a worker is full, and when it is free again', limits, async () => {
  const first = (await service.callIn())!;
  await isAnswered(first);
  await isTold('WS_FULL');
  assert.equal(await service.callIn(), null);
  first.hangUp();
  await isTold('WS_AVAILABLE');

  const { id } = await place(client, friend, { first_message: 'Good morning.', ai_disclosure: false });
  const far = await livekit.next();
  far.answer();
  await until(client, id, 'in_progress');
  await isTold('WS_FULL');
  assert.equal(await service.callIn(), null);
  far.hangUp();
  assert.equal((await ended(client, id)).end_reason, 'callee_hangup');
  await isTold('WS_AVAILABLE');
});

test('a call that was promised keeps its place while its room is joined', limits, async () => {
  const joinAll = livekit.memory.holdJoins();
  const caller = (await service.callIn())!;
  // This call finds the only place kept, and waits.
  const { id } = await place(client, friend, { first_message: 'Good morning.', ai_disclosure: false });
  assert.equal(await service.callIn(), null);
  joinAll();
  await isAnswered(caller);
  caller.hangUp();
  const far = await livekit.next();
  far.answer();
  await until(client, id, 'in_progress');
  far.hangUp();
  await ended(client, id);
  await isTold('WS_AVAILABLE');
});

test('processes that start at once create one trunk and one rule', limits, async () => {
  livekit.trunks.clear();
  livekit.rules.clear();
  const workers = callWorkers(service, {
    ...sources,
    PARLEY_CARRIER: 'livekit',
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: 'APItest',
    LIVEKIT_API_SECRET: 'secret-of-the-test',
    LIVEKIT_SIP_TRUNK_ID: 'ST_1',
    LIVEKIT_NUMBERS: '+14155550100',
    PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'on',
  });
  const started = await Promise.all([workers.start(), workers.start(), workers.start()]);
  assert.deepEqual(
    started.map(({ exitCode }) => exitCode),
    [null, null, null],
  );
  assert.deepEqual([livekit.trunks.size, livekit.rules.size], [1, 1]);
  await eventually('all are registered', () => livekit.workers.length === 4);
  for (const worker of started) await workers.kill(worker);
  await eventually('LiveKit has lost them', () => livekit.workers.length === 1);
});

test(
  'a worker that stops takes the call that it promised, is offered no other, and waits for its end',
  limits,
  async () => {
    const joinAll = livekit.memory.holdJoins();
    const caller = (await service.callIn())!;
    const cut = new AbortController();
    let is_finished = false;
    const finished = service.app.finishCalls(cut.signal).then(() => {
      is_finished = true;
    });
    // At once: a room that is not joined in time is given up, and this clock is fast.
    joinAll();
    await isTold('WS_FULL');
    await isAnswered(caller);
    assert.equal(await service.callIn(), null);
    assert.equal(is_finished, false);
    caller.hangUp();
    await finished;
  },
);

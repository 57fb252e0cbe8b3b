// Inbound calls: answered, declined, canceled by the caller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InboundDecision } from './inbound-call.ts';
import { answerCalls, stopAll, until } from './testing/answer-calls.ts';
import { sipp_is_missing, startSipp, step } from './testing/sipp.ts';
import { startTrunk } from './testing/trunk.ts';

for (const transport of ['udp', 'tcp'] as const) {
  test(`${transport}: an inbound call is answered, and the caller hangs up`, {
    skip: sipp_is_missing,
  }, async () => {
    const inbound = answerCalls();
    const trunk = await startTrunk({ peer_port: 9, transport }, inbound);
    const caller = await startSipp({
      transport,
      remote: { port: trunk.port, number: '+15005550100' },
      steps: [
        step.call(),
        step.expect(100, { optional: true }),
        step.expect(200),
        step.request('ACK', '1 ACK'),
        step.pause(200),
        step.request('BYE', '2 BYE', { retrans: true }),
        step.expect(200),
      ],
    });
    try {
      const { code, errors } = await caller.done;
      assert.equal(code, 0, errors);
      assert.deepEqual(
        inbound.offers.map(({ from, to }) => [from, to]),
        [['+15005550001', '+15005550100']],
      );
      assert.deepEqual(
        inbound.events.map((item) => ('end_reason' in item ? item.end_reason : item.trigger)),
        ['answered', 'callee_hangup'],
      );
      assert.equal(trunk.stats().calls, 0);
    } finally {
      await stopAll(trunk);
    }
  });

  test(`${transport}: a call without a positive decision is declined`, {
    skip: sipp_is_missing,
  }, async () => {
    const trunk = await startTrunk({ peer_port: 9, transport });
    const caller = await startSipp({
      transport,
      remote: { port: trunk.port, number: '+15005550100' },
      steps: [
        step.call(),
        step.expect(100, { optional: true }),
        step.expect(603),
        step.request('ACK', '1 ACK'),
      ],
    });
    try {
      const { code, errors } = await caller.done;
      assert.equal(code, 0, errors);
    } finally {
      await stopAll(trunk);
    }
  });
}

test('a call can be refused with a specific status', async () => {
  const callee = await startTrunk(
    { peer_port: 9 },
    answerCalls(() => ({ answer: false, status: 404 })),
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.equal((await call.ended()).sip_status, 404);
  await stopAll(caller, callee);
});

test('a failed decision declines the call and leaks nothing', async () => {
  const callee = await startTrunk(
    { peer_port: 9 },
    {
      decideInbound: async () => {
        throw new Error('database away');
      },
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  assert.deepEqual([(await call.ended()).sip_status, callee.stats().calls], [500, 0]);
  await stopAll(caller, callee);
});

test('a call that is canceled during the decision is missed', async () => {
  const deciding = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<InboundDecision>();
  const callee = await startTrunk(
    { peer_port: 9 },
    {
      decideInbound: () => {
        deciding.resolve();
        return decided.promise;
      },
    },
  );
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  await deciding.promise;
  await until(() => caller.stats().sip_received > 0);
  call.hangUp('canceled');
  assert.deepEqual([(await call.ended()).trigger, (await call.ended()).sip_status], ['canceled', 487]);
  let was_accepted = false;
  let was_missed = false;
  decided.resolve({
    answer: true,
    max_duration_ms: 1000,
    emit() {},
    accepted: () => (was_accepted = true),
    missed: () => (was_missed = true),
  });
  await new Promise(setImmediate);
  assert.deepEqual([was_accepted, was_missed, callee.stats().calls], [false, true, 0]);
  await stopAll(caller, callee);
});

test('the called side can hang up before the caller’s ACK arrives', async () => {
  const inbound = answerCalls();
  const callee = await startTrunk({ peer_port: 9 }, inbound);
  const caller = await startTrunk({ peer_port: callee.port });
  const call = await caller.call();
  (await inbound.accepted).hangUp('agent_hangup');
  assert.equal((await call.ended()).end_reason, 'callee_hangup');
  await stopAll(caller, callee);
});

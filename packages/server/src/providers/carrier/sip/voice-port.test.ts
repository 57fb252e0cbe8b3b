// The trunk behind the voice part of the carrier port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CarrierEvent } from '../carrier.ts';
import { answerCalls, stopAll, until } from './testing/answer-calls.ts';
import { startTrunk } from './testing/trunk.ts';
import { sipVoice } from './voice-port.ts';

type CallChanged = Extract<CarrierEvent, { kind: 'call_changed' }>;
const collect = (received: CallChanged[]) => async (events: CarrierEvent[]) =>
  void received.push(...events.filter((each) => each.kind === 'call_changed'));

const order = {
  call_id: 'call-1',
  from: '+15005550001',
  to: '+15005550006',
  ring_timeout_seconds: 5,
  max_duration_seconds: 60,
};

test('a call reports its events in order, with both ids, and can be ended', async () => {
  const callee = await startTrunk({ peer_port: 9 }, answerCalls());
  const trunk = await startTrunk({ peer_port: callee.port });
  const received: CallChanged[] = [];
  const voice = sipVoice(trunk, collect(received));
  const placed = await voice.place(order);
  assert.equal(placed.outcome, 'placed');
  const id = placed.outcome === 'placed' ? placed.provider_call_id : '';
  await until(() => received.at(-1)?.trigger === 'answered');
  assert.deepEqual(await voice.callState(id), { outcome: 'live' });
  assert.deepEqual(await voice.hangUp(id), { outcome: 'ended' });
  assert.deepEqual(await voice.hangUp(id), { outcome: 'already_ended' });
  assert.deepEqual(await voice.callState(id), { outcome: 'ended' });
  assert.deepEqual(
    received.map(({ call_id, provider_call_id, trigger, end_reason }) => [
      call_id,
      provider_call_id === id,
      trigger,
      end_reason,
    ]),
    [
      ['call-1', true, 'dialed', null],
      ['call-1', true, 'answered', null],
      ['call-1', true, 'hung_up', 'api_hangup'],
    ],
  );
  await stopAll(trunk, callee);
});

test('a refused order reports no events', async () => {
  const trunk = await startTrunk({ peer_port: 9 });
  const received: CallChanged[] = [];
  const voice = sipVoice(trunk, collect(received));
  const refused = await voice.place({ ...order, to: 'nobody' });
  assert.deepEqual([refused.outcome, received.length], ['refused', 0]);
  await stopAll(trunk);
});

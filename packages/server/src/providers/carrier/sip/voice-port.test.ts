// The trunk behind the carrier port.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CarrierEvent } from '../carrier.ts';
import { answering, stopAll, until } from './testing/answering.ts';
import { startTrunk } from './testing/trunk.ts';
import { sipVoice } from './voice-port.ts';

type SipCallNews = Extract<CarrierEvent, { kind: 'call_changed' }>;
const into = (heard: SipCallNews[]) => async (events: CarrierEvent[]) =>
  void heard.push(...events.filter((each) => each.kind === 'call_changed'));

const order = {
  call_id: 'call-1',
  from: '+15005550001',
  to: '+15005550006',
  ring_timeout_seconds: 5,
  max_duration_seconds: 60,
  briefing: {
    system_prompt: '',
    first_message: null,
    language: 'en',
    voice: null,
    model: null,
    ai_disclosure: true,
  },
};

test('a call placed through the port tells its news in order, under both its ids, and can be hung up', async () => {
  const callee = await startTrunk({ peer_port: 9 }, answering());
  const trunk = await startTrunk({ peer_port: callee.port });
  const heard: SipCallNews[] = [];
  const voice = sipVoice(trunk, into(heard));
  const placed = await voice.place(order);
  assert.equal(placed.outcome, 'placed');
  const id = placed.outcome === 'placed' ? placed.provider_call_id : '';
  await until(() => heard.at(-1)?.trigger === 'answered');
  assert.deepEqual(await voice.callState(id), { outcome: 'live' });
  assert.deepEqual(await voice.hangUp(id), { outcome: 'ended' });
  assert.deepEqual(await voice.hangUp(id), { outcome: 'already_ended' });
  assert.deepEqual(await voice.callState(id), { outcome: 'ended' });
  assert.deepEqual(
    heard.map(({ call_id, provider_call_id, trigger, end_reason }) => [
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

test('an order that cannot be placed says so and tells no news', async () => {
  const trunk = await startTrunk({ peer_port: 9 });
  const heard: SipCallNews[] = [];
  const voice = sipVoice(trunk, into(heard));
  const refused = await voice.place({ ...order, to: 'nobody' });
  assert.deepEqual([refused.outcome, heard.length], ['refused', 0]);
  await stopAll(trunk);
});

// The LiveKit vendor against livekit-server, livekit-sip and Redis, with a phone of our own SIP stack.
// Runs in its own process: it starts another one in a network namespace.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pause, waitFor } from '../../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../../media/conformance.ts';
import { realTimeClock } from '../../media/media-clock.ts';
import type { MediaSession } from '../../media/media-session.ts';
import type { CarrierEvent } from '../carrier.ts';
import { liveKitCarrier } from './index.ts';
import { rtcNode } from './rtc-node.ts';
import { testsInOwnNetwork } from './testing/own-network.ts';
import { startPhone } from './testing/phone.ts';
import { createOutboundTrunk, livekit_is_missing, startLiveKitStack } from './testing/stack.ts';

const own_number = '+14155550100';
const friend = '+14155550123';
/** Opus, the buffers of LiveKit and the phone's jitter buffer; see decision 154. */
const path_ms = 250;

await testsInOwnNetwork(import.meta.filename, livekit_is_missing, async () => {
  const stack = await startLiveKitStack();
  const phone = await startPhone(stack.sip_port);
  const events: CarrierEvent[] = [];
  const warnings: unknown[] = [];
  const log = { info() {}, warn: (...what: unknown[]) => void warnings.push(what) } as never;
  const rooms = rtcNode({ log });
  const carrier = liveKitCarrier(
    {
      ...stack.access,
      sip_trunk_id: await createOutboundTrunk(stack, phone.port, own_number),
      numbers: [own_number],
      inbound: { agent_name: 'parley', set_up: { numbers: [own_number], sources: ['127.0.0.1/32'] } },
    },
    {
      rooms,
      clock: realTimeClock(),
      log,
      freeCalls: () => 10,
      keepPlace: () => () => {},
      oneAtATime: (work) => work(),
      async handleEvents(reported) {
        events.push(...reported);
        for (const event of reported) if (event.kind === 'call_offered') await decide(event);
      },
    },
  );
  const voice = carrier.voice!;
  let decide = async (_offer: { provider_call_id: string; from: string; to: string }) => {};
  await carrier.listener!.start();
  after(async () => {
    await carrier.listener!.stop();
    await phone.stop();
    await stack.close();
    // The library keeps its threads.
    setTimeout(() => process.exit(), 1000).unref();
  });

  let last_id = 0;
  const dial = async (ring_timeout_seconds = 30) => {
    const placed = await voice.place({
      call_id: `019a0000-0000-7000-8000-${String(++last_id).padStart(12, '0')}`,
      from: own_number,
      to: friend,
      ring_timeout_seconds,
      max_duration_seconds: 600,
    });
    assert.ok(placed.outcome === 'placed', JSON.stringify(placed));
    return placed.provider_call_id;
  };
  const talk = async (): Promise<{ near: MediaSession; far: MediaSession }> => {
    phone.behave({ kind: 'answer' });
    const room = await dial();
    const [near, far] = await Promise.all([voice.media(room), phone.nextLine()]);
    assert.ok(near, `${JSON.stringify(events.slice(-3))} ${stack.output('sip').slice(-3000)}`);
    return { near, far };
  };
  const lastEnding = () => {
    const last = events.findLast((event) => event.kind === 'call_changed' && event.end_reason !== null);
    return last?.kind === 'call_changed' ? last.end_reason : null;
  };

  mediaSessionConformance(
    'livekit-sip',
    async () => {
      const { near, far } = await talk();
      const levels: number[] = [];
      let digits = '';
      far.onFrame((pcm) => levels.push(Math.max(...pcm)));
      far.onDigit((digit) => {
        digits += digit;
      });
      // The first moments of a call are lost while both sides connect.
      await pause(500, 'both directions open');
      return {
        session: near,
        far: {
          say: far.write,
          press: (digit) => void far.sendDigits(digit),
          levels: () => levels,
          digits: () => digits,
          hangUp: far.close,
        },
        pass: (ms) => pause(ms, 'audio takes its time'),
        done: async () => void (await far.closed),
      };
    },
    path_ms,
  );

  for (const [status, end_reason] of [
    [486, 'busy'],
    [603, 'rejected'],
    [404, 'unreachable'],
    [480, 'unreachable'],
  ] as const) {
    test(`a phone that refuses with ${status} ends the call as ${end_reason}`, async () => {
      phone.behave({ kind: 'refuse', status });
      const room = await dial();
      assert.equal(await voice.media(room), null);
      assert.equal(lastEnding(), end_reason, JSON.stringify(events.slice(-3)));
      assert.deepEqual(await carrier.callState(room), { outcome: 'ended' });
    });
  }

  test('a phone that is not answered ends the call with a ring timeout', async () => {
    phone.behave({ kind: 'ring' });
    const room = await dial(5);
    assert.equal(await voice.media(room), null);
    assert.equal(lastEnding(), 'ring_timeout', JSON.stringify(events.slice(-3)));
  });

  test('hanging up a ringing call cancels it, and one of another process ends it for both sides', async () => {
    phone.behave({ kind: 'ring' });
    const room = await dial();
    await waitFor('dialed', async () => (await carrier.callState(room)).outcome === 'live');
    assert.deepEqual(await voice.hangUp(room), { outcome: 'ended' });
    assert.equal(await voice.media(room), null);
    assert.equal(lastEnding(), 'canceled');

    const { near, far } = await talk();
    const name = events.findLast((event) => event.kind === 'call_changed')!;
    assert.ok(name.kind === 'call_changed');
    await stack.request(
      'RoomService/DeleteRoom',
      { video: { roomCreate: true } },
      { room: name.provider_call_id },
    );
    assert.deepEqual((await far.closed).by, 'them');
    await near.closed;
  });

  test('letters are keys too', async () => {
    const { near, far } = await talk();
    let keys = '';
    far.onDigit((digit) => {
      keys += digit;
    });
    await near.sendDigits('A#');
    await waitFor('both keys', () => keys === 'A#');
    near.close();
    await far.closed;
  });

  test('an inbound call rings until it is accepted, and is declined with 486', async () => {
    decide = async ({ provider_call_id }) => voice.decline(provider_call_id);
    const refused = await phone.call({ to: own_number, from: friend });
    assert.equal((await refused.ended()).end_reason, 'busy');

    let room = '';
    decide = async (offer) => {
      assert.deepEqual([offer.from, offer.to], [friend, own_number]);
      room = offer.provider_call_id;
      const call = { provider_call_id: room, call_id: '019a0000-0000-7000-8000-00000000ffff' };
      const accepted = await voice.accept({ ...call, max_duration_seconds: 600 });
      assert.deepEqual(accepted, { outcome: 'accepted' });
    };
    const call = await phone.call({ to: own_number, from: friend });
    const far = (await call.media())!;
    assert.ok(far, call.history());
    const near = (await voice.media(room))!;
    let loud = 0;
    far.onFrame((pcm) => {
      if (Math.max(...pcm) > 4000) loud++;
    });
    near.write(Int16Array.from({ length: 8000 }, (_, i) => Math.round(8000 * Math.sin(i / 3))));
    await waitFor('heard', () => loud > 20);
    far.close();
    assert.deepEqual(await near.closed, { by: 'them' });
  });

  test('a caller who gives up ends the offered call', async () => {
    const offered = Promise.withResolvers<string>();
    decide = async ({ provider_call_id }) => {
      offered.resolve(provider_call_id);
      await pause(1500, 'the service is slow');
    };
    const call = await phone.call({ to: own_number, from: friend });
    const room = await offered.promise;
    const media = voice.media(room);
    call.hangUp('api_hangup');
    assert.equal(await media, null);
    assert.deepEqual(warnings, []);
  });
});

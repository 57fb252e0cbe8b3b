// The LiveKit vendor against a stand-in of its server, with its rooms in memory.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { livekit_access, startLiveKit } from '../../../../testing/carriers/livekit.ts';
import { newRoom, phoneIn } from '../../../../testing/carriers/livekit-rooms.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { waitFor } from '../../../../testing/wait-for.ts';
import { mediaSessionConformance } from '../../media/conformance.ts';
import type { CarrierEvent } from '../carrier.ts';
import { type CarrierUnderTest, carrierConformance } from '../conformance.ts';
import { liveKitCarrier } from './index.ts';
import type { RoomListener } from './room-port.ts';
import { roomSession } from './room-session.ts';
import { dialOutcome, endingBeforeAnswer, isHangUp } from './translate.ts';

const livekit = await startLiveKit();
after(() => livekit.close());

const log = { info() {}, warn() {} } as never;

/** `places.free`: how many more calls the process can run. */
function open(inbound: Parameters<typeof liveKitCarrier>[0]['inbound'] = null, places = { free: 5 }) {
  const events: CarrierEvent[] = [];
  const carrier = liveKitCarrier(
    {
      ...livekit_access,
      url: livekit.url,
      sip_trunk_id: 'ST_1',
      inbound,
      numbers: ['+14155550100'],
    },
    {
      rooms: livekit.port,
      clock: livekit.clock,
      log,
      freeCalls: () => places.free,
      keepPlace() {
        places.free--;
        return () => void places.free++;
      },
      oneAtATime: (work) => work(),
      handleEvents: async (reported) => void events.push(...reported),
    },
  );
  return { carrier, voice: carrier.voice!, events };
}

carrierConformance('livekit', async (): Promise<CarrierUnderTest> => {
  const { carrier } = open();
  // The numbers are listed in the settings, so the account never has fewer or more of them.
  return { carrier, country_code: 'US', numbersHeld: () => 0, texts: null, failNext: null };
});

mediaSessionConformance('livekit room', async () => {
  const clock = fastClock(10);
  const room = newRoom('r');
  const phone = phoneIn(room);
  const { session, receive, digit, end } = roomSession({
    clock,
    room: {
      play: (pcm) => room.buffered.push(pcm.slice()),
      clear() {
        room.buffered = [];
      },
      async sendDigit(key) {
        room.digits += key;
      },
    },
    hangUp() {},
    leave() {},
  });
  const stop = clock.every(20, () => {
    room.frames.push(room.buffered.shift() ?? new Int16Array(160));
    receive(room.said.shift() ?? new Int16Array(160));
  });
  room.listener = { digit, phoneLeft: () => end({ by: 'them' }) } as Partial<RoomListener> as RoomListener;
  const pass = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  return { session, far: phone, pass, done: async () => stop() };
});

let last_id = 0;
const order = (more: { ring_timeout_seconds?: number } = {}) => ({
  call_id: `019a0000-0000-7000-8000-${String(++last_id).padStart(12, '0')}`,
  from: '+14155550100',
  to: '+14155550123',
  ring_timeout_seconds: 30,
  max_duration_seconds: 600,
  ...more,
});

test('the phone is dialed only when we are in the room with a published track', async () => {
  const { voice, events } = open();
  const seen = livekit.seen.length;
  const asked = order({ ring_timeout_seconds: 120 });
  const placed = await voice.place(asked);
  const call = await livekit.next();
  assert.deepEqual(placed, { outcome: 'placed', provider_call_id: `parley-${asked.call_id}` });
  assert.deepEqual(
    livekit.seen.slice(seen).map(({ method }) => method),
    ['RoomService/CreateRoom', 'SIP/CreateSIPParticipant'],
  );
  // LiveKit's server gives up after 80 s.
  assert.deepEqual([call.request.ringing_timeout, call.request.max_call_duration], ['75s', '660s']);
  call.ring();
  call.answer();
  const media = (await voice.media(call.room))!;
  assert.deepEqual(
    events.map((event) => event.kind === 'call_changed' && event.trigger),
    ['rang', 'answered'],
  );
  media.close();
  await waitFor('the room is deleted', () => !livekit.rooms.has(call.room));
});

test('the phone is hung up before we leave the room, and the room is deleted if LiveKit refuses that', async () => {
  const { voice } = open();
  for (const refuses of [false, true]) {
    await voice.place(order());
    const call = await livekit.next();
    call.answer();
    const media = (await voice.media(call.room))!;
    const room = livekit.rooms.get(call.room)!;
    const left_first: boolean[] = [];
    const { phoneLeft } = room.listener!;
    room.listener!.phoneLeft = (reason) => {
      left_first.push(room.has_left);
      phoneLeft(reason);
    };
    if (refuses) livekit.faults.set('RoomService/RemoveParticipant', { code: 'internal', msg: 'no answer' });
    media.close();
    assert.deepEqual(await media.closed, { by: 'us' });
    await waitFor('the room is deleted', () => !livekit.rooms.has(call.room));
    assert.ok(room.has_left);
    assert.deepEqual(left_first, refuses ? [] : [false]);
  }
});

test('a room that cannot be joined is a retry: nothing was dialed, and the room is deleted', async () => {
  const { voice } = open();
  livekit.memory.failJoins(1);
  const asked = order();
  assert.equal((await voice.place(asked)).outcome, 'busy');
  await waitFor('the room is deleted', () => !livekit.rooms.has(`parley-${asked.call_id}`));
});

test('a dial request that no SIP server took is sent again', async () => {
  const { voice } = open();
  livekit.faults.set('SIP/CreateSIPParticipant', { code: 'unavailable', msg: 'no response from servers' });
  await voice.place(order());
  const call = await livekit.next();
  call.answer();
  (await voice.media(call.room))!.close();
});

test('a ring timeout, which LiveKit reports without a SIP status, ends the call as not answered', async () => {
  const { voice, events } = open();
  await voice.place(order());
  const call = await livekit.next();
  call.fail('canceled', 'call timed out');
  assert.equal(await voice.media(call.room), null);
  const last = events.at(-1)!;
  assert.ok(last.kind === 'call_changed');
  assert.deepEqual([last.trigger, last.end_reason], ['rang_out', 'ring_timeout']);
});

test('a lost response to the dial request is never a second dial: the room tells the rest', async () => {
  const { voice } = open();
  await voice.place(order());
  const call = await livekit.next();
  const dials = () => livekit.seen.filter(({ method }) => method === 'SIP/CreateSIPParticipant').length;
  const before = dials();
  call.loseResponse();
  call.setStatus('active');
  const media = (await voice.media(call.room))!;
  assert.equal(dials(), before);
  assert.deepEqual(await open().carrier.callState(call.room), { outcome: 'live' });
  media.close();
  await waitFor('ended', async () => (await open().carrier.callState(call.room)).outcome === 'ended');
});

test('a call of another process is found by its id, and hanging up deletes its room', async () => {
  const { voice } = open();
  const asked = order();
  await voice.place(asked);
  const call = await livekit.next();
  call.answer();
  const other = open();
  const lookup = { since: new Date(), isKnown: async () => false };
  assert.deepEqual(await other.voice.find(asked, lookup), { outcome: 'found', provider_call_id: call.room });
  assert.deepEqual(await other.voice.hangUp(call.room), { outcome: 'ended' });
  assert.deepEqual(await other.voice.hangUp(call.room), { outcome: 'already_ended' });
  assert.deepEqual(await other.voice.find(asked, lookup), { outcome: 'absent' });
});

test('a connection that stays lost for 15 s ends the call with a failure', async () => {
  const { voice } = open();
  await voice.place(order());
  const call = await livekit.next();
  call.answer();
  const media = (await voice.media(call.room))!;
  const { listener } = livekit.rooms.get(call.room)!;
  listener!.connection('lost', 'reconnecting');
  listener!.connection('restored', 'reconnected');
  listener!.connection('lost', 'reconnecting');
  const end = await media.closed;
  assert.equal(end.by, 'failure');
});

test('a room that is joined again reports the phone as gone and back, and the call goes on', async () => {
  const { voice } = open();
  await voice.place(order());
  const call = await livekit.next();
  call.answer();
  const media = (await voice.media(call.room))!;
  const room = livekit.rooms.get(call.room)!;
  room.listener!.connection('lost', 'reconnecting');
  call.leave('UNKNOWN_REASON');
  room.listener!.connection('restored', 'reconnected');
  call.setStatus('active');
  let end: unknown = null;
  media.closed.then((how) => {
    end = how;
  });
  const heard = new Promise<void>((resolve) =>
    media.onFrame((pcm) => {
      if (pcm[0] === 5000) resolve();
    }),
  );
  // Longer than a phone that does not come back has.
  await new Promise<void>((resolve) => livekit.clock.after(5000, resolve));
  call.say(new Int16Array(160).fill(5000));
  await heard;
  assert.equal(end, null);
  call.leave('UNKNOWN_REASON');
  assert.equal((await media.closed).by, 'failure');
});

test('worker sockets say no to calls beyond their capacity, and set-up is repeated without duplicates', async () => {
  const places = { free: 1 };
  const inbound = {
    agent_name: 'parley',
    set_up: { numbers: ['+14155550100'], sources: ['192.0.2.0/24'] },
  };
  const { carrier, events, voice } = open(inbound, places);
  await carrier.listener!.start();
  await waitFor('registered', () => livekit.workers.length === 1);
  const again = open(inbound, { free: 0 });
  await again.carrier.listener!.start();
  await again.carrier.listener!.stop();
  assert.deepEqual([livekit.trunks.size, livekit.rules.size], [1, 1]);
  const trunk = livekit.trunks.get('ST_1')!;
  assert.deepEqual(trunk.allowed_addresses, ['192.0.2.0/24']);
  assert.equal(trunk.max_call_duration, '14460s');
  await waitFor('one worker', () => livekit.workers.length === 1);

  const phone = (await livekit.callIn('+14155550199', '+14155550100'))!;
  await waitFor('offered', () => events.length > 0);
  assert.deepEqual(events[0], {
    kind: 'call_offered',
    provider_call_id: phone.room.name,
    from: '+14155550199',
    to: '+14155550100',
    has_place: true,
  });
  await waitFor('the place is given back to the service, which runs the call', () => places.free === 1);
  places.free = 0;
  await waitFor('full', () => livekit.workers[0]!.status === 'WS_FULL');
  assert.equal(await livekit.callIn('+14155550198', '+14155550100'), null);
  await voice.decline(phone.room.name);
  places.free = 1;
  await waitFor('free again', () => livekit.workers[0]!.status === 'WS_AVAILABLE');
  await carrier.listener!.stop();
  await waitFor('gone', () => livekit.workers.length === 0);
});

test('every answer to the dial request and every reason to leave has an ending', () => {
  const refused = (code: string, detail: string, sip_status: number | null = null) =>
    dialOutcome({ outcome: 'refused', code, detail, sip_status }, null);
  const reasonOf = (outcome: ReturnType<typeof dialOutcome>) =>
    outcome.outcome === 'ended' ? outcome.ending.end_reason : outcome.outcome;
  assert.equal(reasonOf(refused('resource_exhausted', 'busy', 486)), 'busy');
  assert.equal(reasonOf(refused('permission_denied', 'declined', 603)), 'rejected');
  assert.equal(reasonOf(refused('canceled', 'call timed out')), 'ring_timeout');
  assert.equal(reasonOf(refused('canceled', 'transaction failed to complete')), 'trunk_failure');
  assert.equal(reasonOf(refused('invalid_argument', 'no such host')), 'setup_error');
  assert.equal(reasonOf(refused('not_found', 'no trunk')), 'setup_error');
  assert.equal(reasonOf(refused('deadline_exceeded', 'late')), 'unknown');
  assert.equal(reasonOf(dialOutcome({ outcome: 'lost', detail: 'x' }, null)), 'unknown');
  assert.equal(reasonOf(dialOutcome({ outcome: 'busy', detail: 'x' }, null)), 'busy');
  assert.equal(endingBeforeAnswer('USER_UNAVAILABLE').end_reason, 'ring_timeout');
  assert.equal(endingBeforeAnswer('USER_REJECTED').end_reason, 'busy');
  assert.equal(endingBeforeAnswer('UNKNOWN_REASON').end_reason, 'trunk_failure');
  assert.equal(endingBeforeAnswer('ROOM_DELETED').end_reason, 'canceled');
  assert.deepEqual(['CLIENT_INITIATED', 'UNKNOWN_REASON', 'SERVER_SHUTDOWN'].map(isHangUp), [
    true,
    false,
    false,
  ]);
});

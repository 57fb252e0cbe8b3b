// Calls over LiveKit: the whole service against a stand-in of LiveKit's server, with its rooms in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import {
  ended,
  eventually,
  place,
  read,
  said,
  timeline,
  transcript,
  until,
} from '../../../../testing/calls.ts';
import type { RoomPhone } from '../../../../testing/carriers/livekit-rooms.ts';
import { startOnLiveKit } from '../../../../testing/carriers/service.ts';
import { hearCoded, sayCoded } from '../../../../testing/coded-speech.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';

const limits = { timeout: 120_000 };
const friend = '+14155550123';
const { client, livekit } = await startOnLiveKit(fastClock(5), { LIVEKIT_INBOUND: 'on' });
const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
  country_code: 'US',
  capabilities: ['voice'],
});
assert.equal(number.status, 201, number.text);

const hears = (far: RoomPhone, text: RegExp) =>
  eventually(`heard ${text}`, () => text.test(hearCoded(joinPcm(far.frames()))));

async function answeredCall(more: Record<string, unknown> = {}) {
  const { id } = await place(client, friend, {
    first_message: 'Good morning.',
    ai_disclosure: false,
    ...more,
  });
  const far = await livekit.next();
  far.ring();
  far.answer();
  await hears(far, /Good morning\./);
  return { id, far };
}

test(
  'our own agent speaks: the call ends with transcript, keys and a recording of both sides',
  limits,
  async () => {
    const { id } = await place(client, friend, { record: true, system_prompt: 'Ask for their name.' });
    const far = await livekit.next();
    far.ring();
    await until(client, id, 'ringing');
    far.answer();
    far.say(sayCoded('Hello, this is Thomas.'));
    await hears(far, /your name\?/);
    far.press('5');
    far.press('#');
    far.say(sayCoded('My name is Thomas Baker.'));
    await hears(far, /Goodbye\./);
    const record = await ended(client, id);
    assert.deepEqual(
      [record.provider, record.provider_call_id, record.from, record.status, record.end_reason],
      ['livekit', far.room, number.body.e164, 'completed', 'agent_hangup'],
      JSON.stringify(await timeline(client, id)),
    );
    await eventually('the room is deleted', () => !livekit.rooms.has(far.room));
    const turns = await transcript(client, id);
    assert.match(said(turns, 'agent'), /AI assistant.*your name.*Goodbye/);
    assert.match(said(turns, 'person'), /Hello, this is Thomas\..*My name is Thomas Baker\./);
    const kinds = (await timeline(client, id)).map(({ kind }) => kind);
    for (const kind of ['placed', 'rang', 'answered', 'digits_pressed', 'recorded', 'hung_up'] as const)
      assert.ok(kinds.includes(kind), `${kind} of ${kinds}`);
    assert.ok(record.recording_url);
  },
);

test('the person can interrupt, and the transcript keeps what was heard', limits, async () => {
  const { id } = await place(client, friend, {
    first_message: 'I would like to tell you a very long story about the sea, the wind and many ships.',
    ai_disclosure: false,
  });
  const far = await livekit.next();
  far.answer();
  await hears(far, /very long/);
  far.say(sayCoded('Stop, I have no time for this.'));
  await eventually('interrupted', async () => (await transcript(client, id))[0]?.is_interrupted === true);
  far.hangUp();
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['completed', 'callee_hangup']);
  assert.doesNotMatch((await transcript(client, id))[0]!.text, /ships/);
});

for (const [sip_status, status, end_reason] of [
  [486, 'busy', 'busy'],
  [603, 'busy', 'rejected'],
  [480, 'no_answer', 'unreachable'],
  [404, 'failed', 'unreachable'],
  [503, 'failed', 'trunk_failure'],
] as const) {
  test(`a call that SIP refuses with ${sip_status} ends ${status} with ${end_reason}`, limits, async () => {
    const { id } = await place(client, friend);
    const call = await livekit.next();
    call.refuse(sip_status, 'no');
    const record = await ended(client, id);
    assert.deepEqual([record.status, record.end_reason], [status, end_reason]);
    await eventually('closed', () => !livekit.rooms.has(call.room));
  });
}

test('a call that rings out ends as not answered', limits, async () => {
  const { id } = await place(client, friend, { ring_timeout_seconds: 20 });
  const call = await livekit.next();
  assert.equal(call.request.ringing_timeout, '20s');
  call.fail('canceled', 'call timed out');
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['no_answer', 'ring_timeout']);
});

test('a call can be canceled while it rings, and hung up while it is in progress', limits, async () => {
  const ringing = await place(client, friend);
  const first = await livekit.next();
  first.ring();
  await until(client, ringing.id, 'ringing');
  await client.request('POST', `/v1/calls/${ringing.id}/cancel`);
  assert.equal((await ended(client, ringing.id)).status, 'canceled');
  await eventually('closed', () => !livekit.rooms.has(first.room));

  const { id, far } = await answeredCall();
  const response = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([response.body.status, response.body.end_reason], ['completed', 'api_hangup']);
  await eventually('closed', () => !livekit.rooms.has(far.room));
});

test('a person who answers and hangs up at once has completed the call', limits, async () => {
  const { id } = await place(client, friend);
  const far = await livekit.next();
  far.answer();
  far.hangUp();
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['completed', 'callee_hangup']);
  assert.notEqual(record.duration_seconds, null);
});

test('a phone whose SIP service crashed ends the call as a media failure', limits, async () => {
  const { id, far } = await answeredCall();
  far.leave('UNKNOWN_REASON');
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['failed', 'media_failure']);
});

test('warm transfer: the colleague accepts, and both hear each other', limits, async () => {
  const { id, far } = await answeredCall();
  const transfer = await client.request('POST', `/v1/calls/${id}/transfer`, {
    to: '+14155550124',
    recipient_consent: true,
    brief: 'A call from Tom.',
  });
  assert.equal(transfer.status, 200, transfer.text);
  const ana = await livekit.next();
  ana.answer();
  ana.say(sayCoded('Desk, this is Ana.'));
  await hears(ana, /A call from Tom\..*take the call\./);
  ana.say(sayCoded('Yes, please.'));
  await eventually('connected', async () => (await read(client, id)).transfer?.status === 'connected');
  ana.say(sayCoded('Hello Tom.'));
  await hears(far, /Hello Tom\./);
  ana.hangUp();
  assert.equal((await ended(client, id)).end_reason, 'colleague_hangup');
});

test(
  'an inbound call is declined without an agent, and answered by the agent of the number',
  limits,
  async () => {
    await eventually('registered', () => livekit.workers.length === 1);
    const declined = (await livekit.callIn(friend, number.body.e164))!;
    await eventually('declined', () => !livekit.rooms.has(declined.room.name));
    assert.equal(declined.room.is_published, false);

    const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
      name: 'Desk',
      first_message: 'How can I help you?',
    });
    await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
    const far = (await livekit.callIn(friend, number.body.e164))!;
    await hears(far, /AI assistant.*How can I help you\?/);
    far.say(sayCoded('I only wanted to say hello.'));
    const { body } = await client.request<{ items: Call[] }>('GET', '/v1/calls?limit=1');
    const { id } = body.items[0]!;
    await eventually('understood', async () => /hello/.test(said(await transcript(client, id), 'person')));
    far.hangUp();
    const record = await ended(client, id);
    assert.deepEqual(
      [record.direction, record.provider, record.from, record.to, record.status, record.end_reason],
      ['inbound', 'livekit', friend, number.body.e164, 'completed', 'callee_hangup'],
    );
  },
);

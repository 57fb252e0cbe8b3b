// Calls over LiveKit, on which its own agent speaks: the whole service against a stand-in of LiveKit's server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Call } from '@parley/contract/call-records';
import { startTestApp } from '../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  place,
  timeline,
  transcript,
  until,
} from '../../../testing/calls.ts';
import { livekit_access, startLiveKit } from '../../../testing/carriers/livekit.ts';
import { leavingOf, reasonName } from '../../providers/carrier/livekit/translate.ts';

const livekit = await startLiveKit();
after(() => livekit.close());
const { client, url } = await startTestApp(
  {
    PARLEY_CARRIER: 'livekit',
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: livekit_access.api_key,
    LIVEKIT_API_SECRET: livekit_access.api_secret,
    LIVEKIT_SIP_TRUNK_ID: 'ST_1',
    LIVEKIT_NUMBERS: '+14155550100',
  },
  { speech: () => codedSpeech() },
);
livekit.setWebhook(`${url}/v1/carriers/livekit/callbacks`);
const number = await client.request('POST', '/v1/numbers', { country_code: 'US', capabilities: ['voice'] });
assert.equal(number.status, 201, number.text);
const friend = '+14155550123';
const limits = { timeout: 90_000 };

test('the agent is dispatched with its briefing, and the call ends with a transcript', limits, async () => {
  const { id } = await place(client, friend, {
    system_prompt: 'Ask for their name.',
    ring_timeout_seconds: 20,
  });
  const call = await livekit.next();
  assert.equal(call.room, `parley-${id}`);
  assert.deepEqual(
    [call.metadata.system_prompt, call.metadata.ai_disclosure, call.metadata.call_id],
    ['Ask for their name.', true, id],
  );
  assert.deepEqual(
    [
      call.request.sip_trunk_id,
      call.request.sip_call_to,
      call.request.sip_number,
      call.request.ringing_timeout,
    ],
    ['ST_1', friend, '+14155550100', '20s'],
  );
  call.answer();
  await until(client, id, 'in_progress');
  const turn = { speaker: 'agent', text: 'What is your name?', started_ms: 300, ended_ms: 1500 };
  assert.equal(await livekit.turn(call.room, turn), 200);
  assert.equal(await livekit.left(call.room, 'CLIENT_INITIATED'), 200);
  const record = await ended(client, id);
  assert.deepEqual(
    [record.provider, record.provider_call_id, record.status, record.end_reason],
    ['livekit', call.room, 'completed', 'callee_hangup'],
    JSON.stringify(await timeline(client, id)),
  );
  assert.deepEqual(
    (await transcript(client, id)).map(({ speaker, text }) => [speaker, text]),
    [['agent', 'What is your name?']],
  );
});

test('what a person refuses to LiveKit’s agent stops calls and texts to the number', limits, async () => {
  const refusing = '+14155550177';
  const { id } = await place(client, refusing);
  const call = await livekit.next();
  assert.deepEqual(
    (call.metadata.tools as { name: string }[]).map(({ name }) => name),
    ['do_not_contact'],
  );
  call.answer();
  await until(client, id, 'in_progress');
  assert.equal(await livekit.refuseContact(call.room), 200);
  assert.equal(await livekit.refuseContact(call.room), 200, 'reported twice');
  await livekit.left(call.room, 'CLIENT_INITIATED');
  await ended(client, id);
  const again = await client.request('POST', '/v1/calls', { to: refusing, recipient_consent: true });
  assert.deepEqual([again.status, again.body.code], [422, 'recipient_suppressed']);
  const log = await client.request<{ items: { data: { revoked_by: unknown } }[] }>(
    'GET',
    '/v1/events?type=consent.revoked',
  );
  assert.deepEqual(
    log.body.items.map(({ data }) => data.revoked_by),
    [{ kind: 'agent', item_id: id }],
  );
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

test('a call can be hung up, and its LiveKit room is closed', limits, async () => {
  const { id } = await place(client, friend);
  const call = await livekit.next();
  call.answer();
  await until(client, id, 'in_progress');
  const response = await client.request<Call>('POST', `/v1/calls/${id}/cancel`);
  assert.deepEqual([response.body.status, response.body.end_reason], ['completed', 'api_hangup']);
  await eventually('closed', () => !livekit.rooms.has(call.room));
});

test('the maximum duration also applies when LiveKit’s agent speaks', limits, async () => {
  const { id } = await place(client, friend, { max_duration_seconds: 30 });
  (await livekit.next()).answer();
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['completed', 'max_duration']);
});

test('a webhook without LiveKit’s token is refused', limits, async () => {
  const event = { event: 'participant_left', room: { name: 'parley-x' } };
  for (const token of ['Bearer x', 'a.b.c', ''])
    assert.equal(await livekit.post(event, token || 'none'), 403);
});

test('every disconnect reason has the same meaning by name and by number', () => {
  const meanings = (was_answered: boolean) =>
    Array.from({ length: 17 }, (_, reason) => leavingOf(reasonName(reason), was_answered).end_reason);
  assert.deepEqual(meanings(false), [
    ...['canceled', 'canceled', 'canceled', 'trunk_failure', 'canceled', 'canceled', 'canceled'],
    ...['trunk_failure', 'canceled', 'trunk_failure', 'canceled', 'ring_timeout', 'busy', 'trunk_failure'],
    ...['trunk_failure', 'media_failure', 'setup_error'],
  ]);
  assert.deepEqual(meanings(true), [
    ...['callee_hangup', 'callee_hangup', 'callee_hangup', 'trunk_failure', 'agent_hangup', 'agent_hangup'],
    ...['callee_hangup', 'trunk_failure', 'callee_hangup', 'trunk_failure', 'agent_hangup', 'callee_hangup'],
    ...['callee_hangup', 'trunk_failure', 'trunk_failure', 'media_failure', 'setup_error'],
  ]);
  assert.equal(leavingOf('USER_REJECTED', false).trigger, 'declined');
});

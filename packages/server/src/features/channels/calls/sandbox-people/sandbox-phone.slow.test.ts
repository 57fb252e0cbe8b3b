// The sandbox phone: the developer answers, types or speaks, presses keys, hangs up, and calls their own numbers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { SandboxPhoneCall } from '@parley/contract/operations/sandbox/sandbox-phone';
import { type Client, startTestApp } from '../../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  people,
  place,
  said,
  timeline,
  transcript,
  until,
} from '../../../../../testing/calls.ts';
import { sayCoded } from '../../../../../testing/coded-speech.ts';
import { openEventSource } from '../../../../../testing/event-source.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { advanceClock } from '../../../../../testing/webhooks.ts';

const me = '+15005550210';
// Slower than in other tests: the person's actions are HTTP requests, and the agent's wait for them runs on this clock.
const { client, organization, url } = await startTestApp(
  {},
  { speech: () => codedSpeech({ clock: fastClock(4) }) },
);

const open: { close(): void }[] = [];
after(() => {
  for (const stream of open) stream.close();
});
async function stream(of: Client) {
  const source = await openEventSource(`${url}/v1/events/stream`, { authorization: `Bearer ${of.key}` });
  open.push(source);
  const data = () =>
    source.messages.map(
      (message) => JSON.parse(message.data) as { type: string; data: Record<string, unknown> },
    );
  return {
    data,
    async until(matches: (event: ReturnType<typeof data>[number]) => boolean) {
      for (let count = 1; !data().some(matches); count++) await source.received(count);
    },
  };
}
const phone = (of: Client, id: string, action: string, body?: unknown) =>
  of.request<SandboxPhoneCall & { code: string; url: string }>(
    'POST',
    `/v1/sandbox/phone/calls/${id}/${action}`,
    body,
  );
const atPhone = async (of: Client) =>
  (await of.request<{ items: SandboxPhoneCall[] }>('GET', '/v1/sandbox/phone/calls')).body.items;

async function ringing(of: Client, more: Record<string, unknown> = {}) {
  const call = await place(of, me, { ring_timeout_seconds: 60, ...more });
  await until(of, call.id, 'ringing');
  await eventually('at the phone', async () => (await atPhone(of)).length > 0);
  return call.id;
}

test('the phone rings, the person answers and types, and the stream publishes what both sides say', async () => {
  const own = organization();
  const events = await stream(own);
  // With a second question the agent does not end the call by itself before the person hangs up.
  const system_prompt = 'Ask for their name. Ask for their favorite color.';
  const id = await ringing(own, { system_prompt, summarize: false });
  assert.deepEqual(
    (await atPhone(own)).map(({ call_id, status, direction, to }) => [call_id, status, direction, to]),
    [[id, 'ringing', 'outbound', me]],
  );
  assert.equal((await phone(own, id, 'say', { text: 'Hello' })).status, 409);
  assert.equal((await phone(own, id, 'answer')).status, 200);
  assert.equal((await phone(own, id, 'answer')).status, 409);
  await until(own, id, 'in_progress');
  assert.equal((await phone(own, id, 'say', { text: 'Hello, this is me.' })).status, 200);
  await events.until(({ type, data }) => type === 'call.said' && /your name/.test(String(data.text)));
  assert.equal((await phone(own, id, 'press', { digits: '7#' })).status, 200);
  assert.equal((await phone(own, id, 'say', { text: 'My name is Ada.' })).status, 200);
  await events.until(({ type, data }) => type === 'call.said' && /favorite color/.test(String(data.text)));
  assert.equal((await phone(own, id, 'hang-up')).body.status, 'ended');

  const call = await ended(own, id);
  assert.deepEqual([call.status, call.end_reason], ['completed', 'callee_hangup']);
  const turns = await transcript(own, id);
  assert.match(said(turns, 'person'), /Hello, this is me\..*My name is Ada\./);
  const pressed = (await timeline(own, id)).filter(({ kind }) => kind === 'digits_pressed');
  assert.equal(pressed.map(({ detail }) => detail.digits).join(''), '7#');
  await events.until(({ type }) => type === 'call.completed');
  await events.until(({ type, data }) => type === 'sandbox.phone_changed' && data.status === 'ended');
  const published = events.data().filter(({ type }) => type === 'call.said');
  assert.deepEqual(published.map(({ data }) => data.text).sort(), turns.map(({ text }) => text).sort());
  assert.deepEqual(
    events
      .data()
      .filter(({ type }) => type === 'sandbox.phone_changed')
      .map(({ data }) => data.status),
    ['ringing', 'in_progress', 'ended'],
  );
  assert.deepEqual(await atPhone(own), []);
  // These events are only streamed: they are neither listed nor sent to webhooks.
  const listed = await own.request<{ items: { type: string }[] }>('GET', '/v1/events');
  const types = listed.body.items.map(({ type }) => type).filter((type) => type.startsWith('call.'));
  assert.deepEqual([...new Set(types)].sort(), ['call.answered', 'call.completed']);
  const hook = { target_url: 'https://example.com/hook', event_types: ['call.said'] };
  assert.equal((await own.request('POST', '/v1/webhooks', hook)).status, 422);
});

test('a declined call ends busy, and an unanswered one ends no_answer', async () => {
  const own = organization();
  const id = await ringing(own);
  assert.equal((await phone(own, id, 'decline')).body.status, 'ended');
  const call = await ended(own, id);
  assert.deepEqual([call.status, call.end_reason], ['busy', 'rejected']);
  assert.equal((await phone(own, id, 'answer')).body.code, 'call_already_ended');

  const unanswered = await ringing(own, { ring_timeout_seconds: 5 });
  assert.equal((await ended(own, unanswered)).status, 'no_answer');
  await eventually('gone', async () => (await atPhone(own)).length === 0);
});

test('the agent hears the microphone, and the loudspeaker plays the agent', {
  timeout: 300_000,
}, async () => {
  const own = organization();
  const id = await ringing(own, { first_message: 'Good morning.', ai_disclosure: false });
  await phone(own, id, 'answer');
  await until(own, id, 'in_progress');
  const address = (await phone(own, id, 'sound')).body.url;
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  let loud = 0;
  socket.addEventListener('message', ({ data }) => {
    if (new Int16Array(data as ArrayBuffer).some((sample) => sample > 1000)) loud++;
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const again = new WebSocket(address);
  const refused = await new Promise<CloseEvent>((resolve) => again.addEventListener('close', resolve));
  assert.equal(refused.code, 1008);
  const sound = sayCoded('Hello, it is me.');
  for (let at = 0; at < sound.length; at += 160) socket.send(sound.slice(at, at + 160));
  await eventually('heard', async () => /it is me/.test(said(await transcript(own, id), 'person')));
  await eventually('loud', () => loud >= 10);
  await phone(own, id, 'hang-up');
  await closed;
  await ended(own, id);
});

test('the calls of another organization are not at the phone', async () => {
  const [own, other] = [organization(), organization()];
  const id = await ringing(own);
  assert.deepEqual(await atPhone(other), []);
  for (const action of ['answer', 'decline', 'hang-up', 'sound']) {
    assert.equal((await phone(other, id, action)).status, 404, action);
  }
  await phone(own, id, 'decline');
});

async function numberWithAgent(of: Client, more: Record<string, unknown> = {}) {
  const number = await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  assert.equal(number.status, 201, number.text);
  const agent = await of.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Desk',
    first_message: 'Good morning, how can I help you?',
    // Its event would come some time after the end of the call.
    summarize: false,
    ...more,
  });
  const set = await of.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  assert.equal(set.status, 200, set.text);
  return { e164: number.body.e164, number_id: number.body.id, agent_id: agent.body.id };
}
const callIn = (of: Client, body: Record<string, unknown>) =>
  of.request<{ is_answered: boolean; call: Call }>('POST', '/v1/sandbox/inbound-calls', body);

test('an inbound call is answered by the agent of the number', async () => {
  const own = organization();
  const { e164, agent_id } = await numberWithAgent(own);
  const response = await callIn(own, {
    from: '+15005550299',
    to: e164,
    script: [
      { do: 'wait_for_turn' },
      { do: 'say', text: 'When do you open?' },
      { do: 'wait_for_turn' },
      { do: 'hang_up' },
    ],
  });
  assert.equal(response.status, 201, response.text);
  assert.equal(response.body.is_answered, true);
  const { id } = response.body.call;
  const call = await ended(own, id);
  assert.deepEqual(
    [call.direction, call.status, call.end_reason, call.from, call.to, call.agent_id],
    ['inbound', 'completed', 'callee_hangup', '+15005550299', e164, agent_id],
  );
  const turns = await transcript(own, id);
  assert.match(said(turns, 'agent'), /AI assistant.*Good morning, how can I help you\?/);
  assert.match(said(turns, 'person'), /When do you open\?/);
  const { body } = await own.request<{ items: { type: string; data: Record<string, unknown> }[] }>(
    'GET',
    '/v1/events',
  );
  assert.deepEqual(
    body.items.filter(({ type }) => type.startsWith('call.')).map(({ type, data }) => [type, data.direction]),
    [
      ['call.completed', 'inbound'],
      ['call.answered', 'inbound'],
    ],
  );
});

test('the person can call their own agent from the phone', async () => {
  const own = organization();
  const { e164 } = await numberWithAgent(own, { ai_disclosure: false });
  const { id } = (await callIn(own, { from: me, to: e164 })).body.call;
  await eventually('at the phone', async () => (await atPhone(own)).length > 0);
  await phone(own, id, 'say', { text: 'Can you hear me?' });
  await eventually('heard', async () => /hear me/.test(said(await transcript(own, id), 'person')));
  await phone(own, id, 'hang-up');
  assert.equal((await ended(own, id)).status, 'completed');
});

test('a number without an agent declines, and a number of another organization cannot be called', async () => {
  const [own, other] = [organization(), organization()];
  const { e164, number_id } = await numberWithAgent(own);
  await own.request('PATCH', `/v1/numbers/${number_id}`, { voice_agent_id: null });
  const declined = await callIn(own, { from: '+15005550299', to: e164 });
  assert.deepEqual(declined.body, { is_answered: false, call: null });
  const calls = await own.request<{ items: Call[] }>('GET', '/v1/calls');
  assert.deepEqual(calls.body.items, []);
  assert.equal((await callIn(other, { from: '+15005550299', to: e164 })).status, 404);
});

test('moving the clock ends a ringing call, at the phone and at a person who never answers (M10)', async () => {
  const own = organization();
  const mine = await ringing(own);
  const theirs = (await place(own, people.never_answers, { ring_timeout_seconds: 120 })).id;
  await until(own, theirs, 'ringing');
  await advanceClock(client, 61);
  const first = (await own.request<Call>('GET', `/v1/calls/${mine}`)).body;
  assert.deepEqual([first.status, first.end_reason], ['no_answer', 'ring_timeout'], 'immediately');
  assert.deepEqual(await atPhone(own), []);
  assert.equal((await own.request<Call>('GET', `/v1/calls/${theirs}`)).body.status, 'ringing');
  await advanceClock(client, 60);
  const second = (await own.request<Call>('GET', `/v1/calls/${theirs}`)).body;
  assert.deepEqual([second.status, second.end_reason], ['no_answer', 'ring_timeout']);
  const kinds = (await timeline(own, theirs)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['requested', 'dialed', 'placed', 'rang', 'rang_out']);
});

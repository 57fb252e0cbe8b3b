// When a call fails in this service, it is also hung up at the carrier, so that no person stays on a silent line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Client } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, place, until } from '../../../../testing/calls.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../testing/carriers/telnyx.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { standIn } from '../../../../testing/stand-in.ts';

const clock = fastClock(5);
const speech = () => codedSpeech({ clock });
const friend = '+14155550123';

/** A relay that refuses every connection, as soon as `refuse` is called. */
async function refusingRelay() {
  const refused = Promise.withResolvers<void>();
  const { url } = await standIn((_, response) => {
    void refused.promise.then(() => response.writeHead(401).end());
  });
  return { url: url.replace('http', 'ws'), refuse: refused.resolve };
}

const numberWithRelay = (of: Client, url: string) =>
  numberWithAgent(of, { engines: { relay: { url, secret: 'the secret of the relay' } } });

async function numberWithAgent(of: Client, more: object = {}): Promise<string> {
  const agent = await of.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk', ...more });
  assert.equal(agent.status, 201, agent.text);
  const number = await of.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  await of.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  return number.body.e164;
}

async function ownNumber(of: Client): Promise<void> {
  const number = await of.request('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
}

async function lastCall(of: Client): Promise<Call> {
  const { body } = await of.request<{ items: Call[] }>('GET', '/v1/calls?limit=1');
  return ended(of, body.items[0]!.id);
}

test('an inbound call over Telnyx whose relay refuses the connection is hung up', async () => {
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const relay = await refusingRelay();
  const to = await numberWithRelay(client, relay.url);
  const call = await telnyx.phone.callIn(telnyx.profile.webhook_url, friend, to);
  await call.report('call.answered');
  relay.refuse();
  const record = await lastCall(client);
  assert.deepEqual([record.status, record.end_reason], ['failed', 'setup_error']);
  await eventually('hung up at the carrier', () => telnyx.calls.get(call.id) === false);
});

test('an inbound call over Twilio whose relay refuses the connection is hung up', async () => {
  const { client, twilio } = await startOnTwilio({}, { speech });
  const relay = await refusingRelay();
  const to = await numberWithRelay(client, relay.url);
  const { voice_url } = twilio.numbers.find(({ phone_number }) => phone_number === to)!;
  const { sid } = await twilio.phone.callIn(voice_url, friend, to);
  relay.refuse();
  const record = await lastCall(client);
  assert.deepEqual([record.status, record.end_reason], ['failed', 'setup_error']);
  const call = twilio.phone.calls.find((each) => each.sid === sid)!;
  await eventually('hung up at the carrier', () => call.status === 'completed');
});

test('an answered call over Telnyx whose audio cannot be opened is hung up', async () => {
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  await ownNumber(client);
  const { id } = await place(client, friend);
  const call = await telnyx.phone.next();
  await call.report('call.answered');
  await call.report('streaming.failed', { failure_reason: 'connection_failed' });
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['failed', 'media_failure']);
  await eventually('hung up at the carrier', () => telnyx.calls.get(call.id) === false);
});

const isAnswer = ({ path }: { path: string }) => path.endsWith('/actions/answer');

test('an inbound call that Telnyx is too busy to answer is answered a moment later', async () => {
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const to = await numberWithAgent(client);
  telnyx.failNext('too_many', isAnswer);
  const call = await telnyx.phone.callIn(telnyx.profile.webhook_url, friend, to);
  assert.deepEqual(
    call.actions.map(({ name }) => name),
    ['answer'],
  );
});

test('an inbound call that Telnyx stays too busy to answer is rejected', async () => {
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const to = await numberWithAgent(client);
  telnyx.failAll('too_many', isAnswer);
  const call = await telnyx.phone.callIn(telnyx.profile.webhook_url, friend, to);
  assert.equal(telnyx.seen.filter(isAnswer).length, 3);
  assert.deepEqual(
    call.actions.map(({ name }) => name),
    ['reject'],
  );
  assert.equal((await lastCall(client)).end_reason, 'setup_error');
});

for (const fault of ['too_many', 'broken'] as const) {
  test(`a call whose hang-up fails at Telnyx (${fault}) is hung up a moment later`, async () => {
    const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
    await ownNumber(client);
    const { id } = await place(client, friend);
    const call = await telnyx.phone.next();
    await call.report('call.answered');
    const far = await call.stream(clock);
    await until(client, id, 'in_progress');
    telnyx.failNext(fault, ({ path }) => path.endsWith('/actions/hangup'));
    await client.request('POST', `/v1/calls/${id}/cancel`);
    await far.closed;
    assert.equal((await ended(client, id)).end_reason, 'api_hangup');
    await eventually('hung up at the carrier', () => telnyx.calls.get(call.id) === false);
  });

  test(`a call whose hang-up fails at Twilio (${fault}) is hung up a moment later`, async () => {
    const { client, twilio } = await startOnTwilio({}, { speech });
    await ownNumber(client);
    const { id } = await place(client, friend);
    const call = await twilio.phone.next();
    const far = await call.answer(clock);
    await call.report('in-progress');
    await until(client, id, 'in_progress');
    twilio.failNext(fault, ({ path }) => path.includes(call.sid));
    await client.request('POST', `/v1/calls/${id}/cancel`);
    await far.closed;
    await eventually('hung up at the carrier', () => call.status === 'completed');
  });
}

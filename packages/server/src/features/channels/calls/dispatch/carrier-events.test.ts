// What carriers report about calls is stored, or the carrier is told to report it again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Client } from '../../../../../testing/app.ts';
import { codedSpeech, ended, place } from '../../../../../testing/calls.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../../testing/carriers/telnyx.ts';
import { disturbedDatabase } from '../../../../../testing/disturbed-database.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';

const friend = '+14155550123';

const speech = () => codedSpeech({ clock: fastClock(1) });

async function placeFromNumber(client: Client): Promise<string> {
  const number = await client.request('POST', '/v1/numbers', { country_code: 'US' });
  assert.equal(number.status, 201, number.text);
  return (await place(client, friend)).id;
}

async function assertCompleted(client: Client, id: string): Promise<void> {
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['completed', 'callee_hangup']);
  assert.notEqual(record.duration_seconds, null);
}

test('a person who answers and hangs up at once has completed the call, before Twilio opens its audio', async () => {
  const { client, twilio } = await startOnTwilio({}, { speech });
  const id = await placeFromNumber(client);
  const call = await twilio.phone.next();
  for (const status of ['initiated', 'ringing', 'in-progress', 'completed']) await call.report(status);
  await assertCompleted(client, id);
});

test('a person who answers and hangs up at once has completed the call, before Telnyx opens its audio', async () => {
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const id = await placeFromNumber(client);
  const call = await telnyx.phone.next();
  await call.report('call.answered');
  await call.report('call.hangup', { hangup_cause: 'normal_clearing', sip_hangup_cause: '200' });
  await assertCompleted(client, id);
});

test('a caller who hangs up before Twilio opens the audio has canceled the call', async () => {
  const { client, twilio } = await startOnTwilio({}, { speech });
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
  const number = await client.request<{ id: string; e164: string }>('POST', '/v1/numbers', {
    country_code: 'US',
  });
  await client.request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  const [{ voice_url, status_callback }] = twilio.numbers as [(typeof twilio.numbers)[0]];
  const call = await twilio.phone.callIn(voice_url, friend, number.body.e164, status_callback);
  assert.match(call.document, /<Stream/);
  assert.equal(await call.report('completed'), 200);
  const { body } = await client.request<{ items: Call[] }>('GET', '/v1/calls?limit=1');
  assert.deepEqual([body.items[0]!.status, body.items[0]!.end_reason], ['canceled', 'canceled']);
});

test('an event that could not be stored is reported again by the carrier, and gives the reason of the end', async () => {
  const { db, next } = await disturbedDatabase();
  const { client, telnyx } = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech, db });
  const id = await placeFromNumber(client);
  const call = await telnyx.phone.next();
  next({
    statement: /from calls\s+where provider = .* for update/s,
    async before() {
      throw new Error('the database fails over');
    },
  });
  const busy = { hangup_cause: 'user_busy', sip_hangup_cause: '486' };
  assert.equal(await call.report('call.hangup', busy), 500);
  assert.equal(await call.report('call.hangup', busy), 200);
  const record = await ended(client, id);
  assert.deepEqual([record.status, record.end_reason], ['busy', 'busy']);
});

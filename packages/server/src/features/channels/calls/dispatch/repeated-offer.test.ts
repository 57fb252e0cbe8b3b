// A carrier repeats the offer of a call that this process runs already: the call goes on, also when it took the last place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../../../testing/app.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../../testing/carriers/telnyx.ts';

const one_call = { PARLEY_CALLS_AT_ONCE: '1' };
const caller = '+14155550123';

/** A number with an agent that answers it. */
async function answeredNumber({ request }: Client): Promise<string> {
  const agent = await request<{ id: string }>('POST', '/v1/agents', { name: 'Desk' });
  const number = await request<{ id: string; e164: string }>('POST', '/v1/numbers', { country_code: 'US' });
  await request('PATCH', `/v1/numbers/${number.body.id}`, { voice_agent_id: agent.body.id });
  return number.body.e164;
}

test('Twilio gets the same response again, and another call is rejected', async () => {
  const { client, twilio } = await startOnTwilio(one_call);
  const to = await answeredNumber(client);
  const { voice_url } = twilio.numbers.find(({ phone_number }) => phone_number === to)!;
  const call = await twilio.phone.callIn(voice_url, caller, to);
  assert.match(call.document, /<Stream/);
  assert.equal(await (await call.requestDocument()).text(), call.document);
  assert.match((await twilio.phone.callIn(voice_url, '+14155550124', to)).document, /<Reject/);
});

test('Telnyx is not asked to end the call, and another call is rejected', async () => {
  const { client, telnyx } = await startOnTelnyx({ ...one_call, TELNYX_CONNECTION_ID: telnyx_connection });
  const to = await answeredNumber(client);
  const { webhook_url } = telnyx.profile;
  const call = await telnyx.phone.callIn(webhook_url, caller, to);
  await call.report('call.initiated', { state: 'parked' });
  assert.deepEqual(
    call.actions.map(({ name }) => name),
    ['answer'],
  );
  const other = await telnyx.phone.callIn(webhook_url, '+14155550124', to);
  assert.deepEqual(
    other.actions.map(({ name }) => name),
    ['reject'],
  );
});

// Transfers over Twilio and Telnyx: two calls at stand-ins of the carriers, connected by the service.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import { codedSpeech, ended, eventually, place, read, transcript } from '../../../../../testing/calls.ts';
import type { CarrierStream } from '../../../../../testing/carriers/media-stream.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../../testing/carriers/telnyx.ts';
import { hearCoded, sayCoded } from '../../../../../testing/coded-speech.ts';
import { fastClock } from '../../../../../testing/fast-clock.ts';
import { joinPcm } from '../../../../protocols/audio/join-pcm.ts';

const clock = fastClock(4);
const speech = () => codedSpeech({ clock });
const [person, colleague] = ['+14155550123', '+14155550124'];

async function onTwilio() {
  const service = await startOnTwilio({}, { speech });
  const next = async () => {
    const call = await service.twilio.phone.next();
    return {
      async pickUp() {
        await call.report('ringing');
        const far = await call.answer(clock);
        await call.report('in-progress');
        return far;
      },
      refuse: () => call.report('busy', { SipResponseCode: '486' }),
    };
  };
  return { service, next };
}

async function onTelnyx() {
  const service = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const next = async () => {
    const call = await service.telnyx.phone.next();
    return {
      async pickUp() {
        await call.report('call.initiated', { state: 'bridging' });
        await call.report('call.answered');
        return call.stream(clock);
      },
      refuse: () => call.report('call.hangup', { hangup_cause: 'user_busy', sip_hangup_cause: '486' }),
    };
  };
  return { service, next };
}

const hears = (far: CarrierStream, text: RegExp) =>
  eventually(`heard ${text}`, () => text.test(hearCoded(joinPcm(far.frames()))));

for (const start of [onTwilio, onTelnyx]) {
  describe(start === onTwilio ? 'a transfer over Twilio' : 'a transfer over Telnyx', async () => {
    const { service, next } = await start();
    const { client } = service;
    const bought = await client.request('POST', '/v1/numbers', { country_code: 'US' });
    assert.equal(bought.status, 201, bought.text);

    async function talking() {
      const { id } = await place(client, person, { first_message: 'Good morning.', ai_disclosure: false });
      const far = await (await next()).pickUp();
      await hears(far, /Good morning\./);
      return { id, far };
    }
    const transfer = (id: string, body: object) =>
      client.request('POST', `/v1/calls/${id}/transfer`, {
        to: colleague,
        recipient_consent: true,
        brief: 'A call from Tom.',
        ...body,
      });

    test('warm: the colleague accepts, both hear each other, and its hang-up ends the call', async () => {
      const { id, far } = await talking();
      assert.equal((await transfer(id, {})).status, 200);
      const ana = await (await next()).pickUp();
      ana.say(sayCoded('Desk, this is Ana.'));
      await hears(ana, /A call from Tom\..*take the call\./);
      ana.say(sayCoded('Yes, please.'));
      await eventually('connected', async () => (await read(client, id)).transfer?.status === 'connected');
      ana.say(sayCoded('Hello Tom.'));
      await hears(far, /Hello Tom\./);
      far.say(sayCoded('Hello Ana.'));
      await hears(ana, /Hello Ana\./);
      ana.hangUp();
      const call = await ended(client, id);
      assert.deepEqual([call.status, call.end_reason], ['completed', 'colleague_hangup']);
      const turns = await transcript(client, id);
      assert.ok(turns.some(({ speaker, is_private }) => speaker === 'colleague' && !is_private));
      const { body } = await client.request<{ items: Call[] }>('GET', `/v1/calls?parent_call_id=${id}`);
      assert.equal(body.items[0]!.from, call.from);
    });

    test('a colleague who is busy returns the person to the agent', async () => {
      const { id, far } = await talking();
      await transfer(id, { mode: 'blind' });
      await (await next()).refuse();
      await eventually('failed', async () => (await read(client, id)).transfer?.failure === 'busy');
      far.hangUp();
      assert.equal((await ended(client, id)).end_reason, 'callee_hangup');
    });
  });
}

// Calls over Twilio and Telnyx: the whole service against stand-ins that implement their protocols, frame by frame.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Client } from '../../../../testing/app.ts';
import {
  codedSpeech,
  ended,
  eventually,
  place,
  said,
  timeline,
  transcript,
  until,
} from '../../../../testing/calls.ts';
import type { CarrierStream } from '../../../../testing/carriers/media-stream.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../testing/carriers/service.ts';
import { telnyx_connection } from '../../../../testing/carriers/telnyx.ts';
import { hearCoded, sayCoded } from '../../../../testing/coded-speech.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { sql } from '../../../platform/db/sql.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';

const clock = fastClock(5);
const speech = () => codedSpeech({ clock });
const friend = '+14155550123';

/** One call at a carrier's stand-in. The tests are the same for all carriers; only the reports differ. */
type CarrierCall = {
  provider_call_id: string;
  /** Answers, after all events that the carrier reports before. */
  pickUp(): Promise<CarrierStream>;
  /** The carrier reports in its own terms that the call was not answered. */
  refuse(reason: 'busy' | 'declined' | 'no_answer' | 'unreachable'): Promise<unknown>;
  /** The carrier reports the end of an answered call. */
  reportEnd(): Promise<unknown>;
  isLive(): boolean;
};
type OnCarrier = {
  name: string;
  service: Awaited<ReturnType<typeof startOnTwilio | typeof startOnTelnyx>>;
  next(): Promise<CarrierCall>;
  callIn(from: string, to: string): Promise<{ declined: boolean; pickUp(): Promise<CarrierStream> }>;
  connectWithToken(token: string): Promise<CarrierStream>;
  placed(): number;
  loseNextResponse(fault?: 'lost' | 'broken'): void;
};

async function onTwilio(): Promise<OnCarrier> {
  const service = await startOnTwilio({}, { speech });
  const { phone } = service.twilio;
  const refusals = {
    busy: ['busy', { SipResponseCode: '486' }],
    declined: ['busy', { SipResponseCode: '603' }],
    no_answer: ['no-answer', {}],
    unreachable: ['failed', { SipResponseCode: '404' }],
  } as const;
  return {
    name: 'twilio',
    service,
    async next() {
      const call = await phone.next();
      return {
        provider_call_id: call.sid,
        async pickUp() {
          await call.report('initiated');
          await call.report('ringing');
          const far = await call.answer(clock);
          await call.report('in-progress');
          return far;
        },
        refuse: (reason) => call.report(refusals[reason][0], refusals[reason][1]),
        reportEnd: () => call.report('completed', { CallDuration: '12' }),
        isLive: () => !['completed', 'canceled'].includes(call.status),
      };
    },
    async callIn(from, to) {
      const number = service.twilio.numbers.find(({ phone_number }) => phone_number === to)!;
      const call = await phone.callIn(number.voice_url, from, to);
      // A repeated request gets the same response.
      assert.equal(await (await call.requestDocument()).text(), call.document);
      return { declined: call.document.includes('<Reject/>'), pickUp: () => call.answer(clock) };
    },
    connectWithToken: (token) => phone.calls.at(-1)!.answer(clock, token),
    placed: () => phone.calls.length,
    loseNextResponse: (fault = 'lost') =>
      service.twilio.failNext(fault, ({ method, path }) => method === 'POST' && path.endsWith('/Calls.json')),
  };
}

async function onTelnyx(): Promise<OnCarrier> {
  const service = await startOnTelnyx({ TELNYX_CONNECTION_ID: telnyx_connection }, { speech });
  const { phone, calls } = service.telnyx;
  const refusals = {
    busy: { hangup_cause: 'user_busy', sip_hangup_cause: '486' },
    declined: { hangup_cause: 'call_rejected', sip_hangup_cause: '603' },
    no_answer: { hangup_cause: 'timeout' },
    unreachable: { hangup_cause: 'not_found', sip_hangup_cause: '404' },
  };
  return {
    name: 'telnyx',
    service,
    async next() {
      const call = await phone.next();
      return {
        provider_call_id: call.id,
        async pickUp() {
          await call.report('call.initiated', { state: 'bridging' });
          await call.report('call.answered');
          return call.stream(clock);
        },
        refuse: (reason) => call.report('call.hangup', refusals[reason]),
        reportEnd: () =>
          call.report('call.hangup', { hangup_cause: 'normal_clearing', sip_hangup_cause: '200' }),
        isLive: () => calls.get(call.id) === true,
      };
    },
    async callIn(from, to) {
      const call = await phone.callIn(service.telnyx.profile.webhook_url, from, to);
      // Telnyx repeats a webhook without a response.
      await call.report('call.initiated', { state: 'parked' });
      assert.equal(call.actions.length, 1);
      const declined = call.actions[0]!.name === 'reject';
      return {
        declined,
        async pickUp() {
          await call.report('call.answered');
          return call.stream(clock);
        },
      };
    },
    connectWithToken: (token) => phone.calls.at(-1)!.stream(clock, token),
    placed: () => phone.calls.length,
    loseNextResponse: (fault = 'lost') =>
      service.telnyx.failNext(fault, ({ method, path }) => method === 'POST' && path === '/v2/calls'),
  };
}

const heardBy = (far: CarrierStream) => hearCoded(joinPcm(far.frames()));
const hears = (far: CarrierStream, text: RegExp) =>
  eventually(`heard ${text}`, () => text.test(heardBy(far)));
async function ownNumber(of: Client) {
  const number = await of.request<{ id: string; e164: string; inbound_registered: boolean }>(
    'POST',
    '/v1/numbers',
    { country_code: 'US' },
  );
  assert.equal(number.status, 201, number.text);
  assert.equal(number.body.inbound_registered, true);
  return number.body;
}

for (const start of [onTwilio, onTelnyx]) {
  describe(start === onTwilio ? 'a call over Twilio' : 'a call over Telnyx', {
    timeout: 120_000,
  }, async () => {
    const line = await start();
    const { client, db } = line.service;
    const number = await ownNumber(client);

    test('carries sound in both directions, and ends with transcript, keys and recording', async () => {
      const { id } = await place(client, friend, { record: true, system_prompt: 'Ask for their name.' });
      const call = await line.next();
      const far = await call.pickUp();
      far.say(sayCoded('Hello, this is Thomas.'));
      await hears(far, /your name\?/);
      far.press('5');
      far.press('#');
      far.say(sayCoded('My name is Thomas Baker.'));
      await hears(far, /Goodbye\./);
      await far.closed;
      await call.reportEnd();
      const record = await ended(client, id);
      assert.deepEqual(
        [record.provider, record.provider_call_id, record.from, record.status, record.end_reason],
        [line.name, call.provider_call_id, number.e164, 'completed', 'agent_hangup'],
        JSON.stringify(await timeline(client, id)),
      );
      assert.equal(call.isLive(), false, 'the carrier got the hang-up');
      const turns = await transcript(client, id);
      assert.match(said(turns, 'agent'), /AI assistant.*your name.*Goodbye/);
      assert.match(said(turns, 'person'), /Hello, this is Thomas\..*My name is Thomas Baker\./);
      const kinds = (await timeline(client, id)).map(({ kind }) => kind);
      for (const kind of ['placed', 'answered', 'digits_pressed', 'recorded', 'hung_up'] as const) {
        assert.ok(kinds.includes(kind), `${kind} of ${kinds}`);
      }
      assert.ok(record.recording_url);
    });

    test('can be interrupted: the carrier gets a clear, and the transcript keeps what was heard', async () => {
      const { id } = await place(client, friend, {
        first_message: 'I would like to tell you a very long story about the sea, the wind and many ships.',
        ai_disclosure: false,
      });
      const far = await (await line.next()).pickUp();
      await hears(far, /very long/);
      far.say(sayCoded('Stop, I have no time for this.'));
      await eventually('clear', () => far.clears.count > 0);
      far.hangUp();
      const record = await ended(client, id);
      assert.deepEqual([record.status, record.end_reason], ['completed', 'callee_hangup']);
      const [first] = await transcript(client, id);
      assert.equal(first!.is_interrupted, true);
      assert.match(first!.text, /^I would like to tell you a/);
      assert.doesNotMatch(first!.text, /ships/);
    });

    for (const [reason, status, end_reason] of [
      ['busy', 'busy', 'busy'],
      ['declined', 'busy', 'rejected'],
      ['no_answer', 'no_answer', 'ring_timeout'],
      ['unreachable', 'failed', 'unreachable'],
    ] as const) {
      test(`that is not answered (${reason}) ends ${status} with ${end_reason}`, async () => {
        const { id } = await place(client, friend);
        await (await line.next()).refuse(reason);
        const record = await ended(client, id);
        assert.deepEqual([record.status, record.end_reason], [status, end_reason]);
      });
    }

    test('can be canceled while it rings, and hung up while it is in progress', async () => {
      const ringing = await place(client, friend);
      const first = await line.next();
      await until(client, ringing.id, 'dialing', 'ringing');
      await client.request('POST', `/v1/calls/${ringing.id}/cancel`);
      assert.equal((await ended(client, ringing.id)).status, 'canceled');
      await eventually('canceled at the carrier', () => !first.isLive());

      const talking = await place(client, friend);
      const second = await line.next();
      const far = await second.pickUp();
      await until(client, talking.id, 'in_progress');
      const response = await client.request<Call>('POST', `/v1/calls/${talking.id}/cancel`);
      assert.deepEqual([response.body.status, response.body.end_reason], ['completed', 'api_hangup']);
      await far.closed;
      await eventually('hung up at the carrier', () => !second.isLive());
    });

    test('is found when the response was lost, is not placed twice, and continues', async () => {
      const before = line.placed();
      line.loseNextResponse();
      const { id } = await place(client, friend, { first_message: 'Good morning.', ai_disclosure: false });
      const call = await line.next();
      const far = await call.pickUp();
      await hears(far, /Good morning\./);
      far.hangUp();
      const record = await ended(client, id);
      assert.deepEqual(
        [record.status, record.end_reason, record.provider_call_id, line.placed() - before],
        ['completed', 'callee_hangup', call.provider_call_id, 1],
      );
    });

    test('that the carrier never accepted ends failed, and is not placed again', async () => {
      const before = line.placed();
      line.loseNextResponse('broken');
      const { id } = await place(client, friend, { ring_timeout_seconds: 5 });
      const record = await ended(client, id);
      assert.deepEqual(
        [record.status, record.end_reason, line.placed() - before],
        ['failed', 'trunk_failure', 0],
      );
      const decision = await db.maybe<{ outcome: string | null }>(
        sql`select admission::json ->> 'outcome' as outcome from calls where id = ${id}`,
      );
      assert.equal(decision!.outcome, 'allow', 'the rules that let it go are known');
    });

    test('a media socket with a wrong token is closed', async () => {
      const socket = await line.connectWithToken('a-guess');
      assert.equal((await socket.closed).code, 1008);
    });

    test('a stream that breaks ends the call as a media failure', async () => {
      const { id } = await place(client, friend);
      const call = await line.next();
      const far = await call.pickUp();
      await until(client, id, 'in_progress');
      far.breakOff();
      const record = await ended(client, id);
      assert.deepEqual([record.status, record.end_reason], ['failed', 'media_failure']);
      await eventually('hung up at the carrier', () => !call.isLive());
    });

    test('from outside is answered by the agent of the number, and declined without one', async () => {
      assert.equal((await line.callIn(friend, number.e164)).declined, true);
      const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
        name: 'Desk',
        first_message: 'How can I help you?',
      });
      await client.request('PATCH', `/v1/numbers/${number.id}`, { voice_agent_id: agent.body.id });
      const offered = await line.callIn(friend, number.e164);
      assert.equal(offered.declined, false);
      const far = await offered.pickUp();
      await hears(far, /AI assistant.*How can I help you\?/);
      far.say(sayCoded('I only wanted to say hello.'));
      const { body } = await client.request<{ items: Call[] }>('GET', '/v1/calls?limit=1');
      const { id } = body.items[0]!;
      await eventually('understood', async () => /hello/.test(said(await transcript(client, id), 'person')));
      far.hangUp();
      const record = await ended(client, id);
      assert.deepEqual(
        [record.direction, record.provider, record.from, record.to, record.status, record.end_reason],
        ['inbound', line.name, friend, number.e164, 'completed', 'callee_hangup'],
      );
    });
  });
}

test('a call that was given up and is answered afterwards is hung up at the carrier', {
  timeout: 60_000,
}, async () => {
  const line = await onTelnyx();
  const { client } = line.service;
  await ownNumber(client);
  line.loseNextResponse();
  const { id } = await place(client, friend, { ring_timeout_seconds: 5 });
  const call = await line.next();
  assert.equal((await ended(client, id)).end_reason, 'trunk_failure');
  assert.equal(call.isLive(), true);
  const far = await call.pickUp();
  far.breakOff();
  await eventually('hung up at the carrier', () => !call.isLive());
});

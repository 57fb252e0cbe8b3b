// Failures of calls over Twilio, Telnyx and a SIP trunk: explain names the culprit, and a script follows the fix.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Client } from '../../../../testing/app.ts';
import { codedSpeech, ended, place, until } from '../../../../testing/calls.ts';
import { buyNumber, sendText } from '../../../../testing/carriers/numbers-and-texts.ts';
import { startScriptedTrunk } from '../../../../testing/carriers/scripted-trunk.ts';
import { startOnTelnyx, startOnTwilio } from '../../../../testing/carriers/service.ts';
import { serviceWithTrunk } from '../../../../testing/carriers/sip-service.ts';
import { telnyx_connection } from '../../../../testing/carriers/telnyx.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { expected, type FollowedFix, followFixes } from '../../../../testing/followed-fixes.ts';
import { standIn } from '../../../../testing/stand-in.ts';
import { waitFor } from '../../../../testing/wait-for.ts';

const friend = '+14155550123';
const wrong_number = '+14155550199';
const clock = fastClock(10);
const speech = () => codedSpeech({ clock });
const endOf = async (of: Client, { id }: { id: string }) => (await ended(of, id)).id;

type Expected = FollowedFix<Client>['expected'];
/** What a carrier can do with the next call. */
type CarrierCalls = {
  client: Client;
  /** The carrier reports the call as not answered, in its own terms. */
  refuse(report: [status: string, fields: Record<string, string>]): Promise<unknown>;
  /** The person answers, and hangs up. */
  answer(): Promise<unknown>;
};

/** Calls again as the fix says; this time the person answers. */
const again = (
  { client, refuse, answer }: CarrierCalls,
  report: Parameters<CarrierCalls['refuse']>[0],
  [fix, verdict, more]: [RegExp, Expected, { to?: string; ring_timeout_seconds?: number }?],
): FollowedFix<Client> => ({
  name: `${report[0]} ${Object.values(report[1]).join(' ')}`,
  expected: verdict,
  fix,
  async fail(own) {
    const call = await place(own, more?.to ? wrong_number : friend);
    await refuse(report);
    return endOf(client, call);
  },
  async follow(own) {
    const { to = friend, ...changed } = more ?? {};
    const call = await place(own, to, changed);
    await answer();
    return endOf(client, call);
  },
  works: 'callee_hangup',
});

const busy: [RegExp, Expected] = [/^Call again in some minutes/, ['busy', 'recipient', 'later']];
/** The carrier reports that the person declined. A text gets through. */
const declined = (
  { client, refuse }: CarrierCalls,
  report: Parameters<CarrierCalls['refuse']>[0],
  sent: () => Promise<unknown>,
): FollowedFix<Client> => ({
  name: `${report[0]} ${Object.values(report[1]).join(' ')}`,
  expected: ['rejected', 'recipient', 'no'],
  fix: /Do not call again at once. Write first/,
  async fail(own) {
    const call = await place(own, friend);
    await refuse(report);
    return endOf(client, call);
  },
  async follow(own) {
    const { id } = await sendText(own, { to: friend, body: 'When may we call you?' });
    await sent();
    return id;
  },
  works: 'delivered',
});

const ring_longer: Parameters<typeof again>[2] = [
  /ring longer with ring_timeout_seconds/,
  ['ring_timeout', 'recipient', 'later'],
  { ring_timeout_seconds: 90 },
];
const correct_number: Parameters<typeof again>[2] = [
  /Check the number and correct the contact/,
  ['unreachable', 'recipient', 'no'],
  { to: friend },
];
const trunk_failure: [RegExp, Expected] = [
  /^Call again in some minutes/,
  ['trunk_failure', 'carrier', 'later'],
];

describe('Twilio', async () => {
  const { client, twilio, app } = await startOnTwilio({}, { speech });
  await buyNumber(client);
  const calls: CarrierCalls = {
    client,
    refuse: async ([status, fields]) => (await twilio.phone.next()).report(status, fields),
    async answer() {
      const call = await twilio.phone.next();
      await call.report('ringing');
      const line = await call.answer(clock);
      await call.report('in-progress');
      line.hangUp();
    },
  };
  followFixes(
    [
      again(calls, ['busy', { SipResponseCode: '486' }], busy),
      declined(calls, ['busy', { SipResponseCode: '603' }], async () => {
        await app.jobs.drain();
        await twilio.report(twilio.messages.at(-1)!, 'delivered');
      }),
      again(calls, ['no-answer', {}], ring_longer),
      again(calls, ['failed', { SipResponseCode: '404' }], correct_number),
      again(calls, ['failed', { SipResponseCode: '503' }], trunk_failure),
      {
        name: 'answered, but the carrier cannot open the audio',
        expected: ['media_failure', 'carrier', 'later'],
        fix: /Check that the carrier reaches this server for audio \(PARLEY_BASE_URL/,
        async fail(own) {
          const call = await place(own, friend, { ring_timeout_seconds: 5 });
          const placed = await twilio.phone.next();
          await placed.report('ringing');
          await placed.report('in-progress');
          return endOf(own, call);
        },
        async follow(own) {
          const call = await place(own, friend, { ring_timeout_seconds: 5 });
          await calls.answer();
          return endOf(own, call);
        },
        works: 'callee_hangup',
      },
      {
        name: 'answered, and the audio breaks off',
        expected: ['media_failure', 'carrier', 'later'],
        fix: /then call again/,
        async fail(own) {
          const call = await place(own, friend);
          const placed = await twilio.phone.next();
          const line = await placed.answer(clock);
          await placed.report('in-progress');
          line.breakOff();
          return endOf(own, call);
        },
        async follow(own) {
          const call = await place(own, friend);
          await calls.answer();
          return endOf(own, call);
        },
        works: 'callee_hangup',
      },
    ],
    () => client,
    (own) => own,
  );
});

describe('Telnyx', async () => {
  const { client, telnyx, app } = await startOnTelnyx(
    { TELNYX_CONNECTION_ID: telnyx_connection },
    { speech },
  );
  await buyNumber(client);
  const calls: CarrierCalls = {
    client,
    refuse: async ([hangup_cause, fields]) =>
      (await telnyx.phone.next()).report('call.hangup', { hangup_cause, ...fields }),
    async answer() {
      const call = await telnyx.phone.next();
      await call.report('call.initiated', { state: 'bridging' });
      await call.report('call.answered');
      const line = await call.stream(clock);
      line.hangUp();
      await call.report('call.hangup', { hangup_cause: 'normal_clearing', sip_hangup_cause: '200' });
    },
  };
  followFixes(
    [
      again(calls, ['user_busy', { sip_hangup_cause: '486' }], busy),
      declined(calls, ['call_rejected', { sip_hangup_cause: '603' }], async () => {
        await app.jobs.drain();
        await telnyx.report(telnyx.messages.at(-1)!, 'delivered');
      }),
      again(calls, ['timeout', {}], ring_longer),
      again(calls, ['not_found', { sip_hangup_cause: '404' }], correct_number),
      again(calls, ['unspecified', { sip_hangup_cause: '503' }], trunk_failure),
    ],
    () => client,
    (own) => own,
  );
});

describe('a SIP trunk', async () => {
  const trunk = await startScriptedTrunk();
  const { client } = await serviceWithTrunk(trunk.port);
  /** The trunk refuses with a status, is repaired, and accepts the next call. */
  const repaired = (
    status: string,
    [fix, verdict, detail]: [RegExp, Expected, RegExp?],
  ): FollowedFix<Client> => ({
    name: status,
    expected: verdict,
    fix,
    ...(detail && { detail }),
    async fail(own) {
      trunk.reply = status;
      return endOf(own, await place(own, friend));
    },
    async follow(own) {
      trunk.reply = 'answers';
      return endOf(own, await place(own, friend));
    },
    works: 'callee_hangup',
  });
  followFixes(
    [
      repaired('486 Busy Here', busy),
      repaired('403 Forbidden', [
        /has the words of the carrier. Check the account.*then call again/,
        ['setup_error', 'carrier', 'later'],
        /403/,
      ]),
      repaired('488 Not Acceptable Here', [
        /RTP ports\) and accepts G\.711, then call again/,
        ['media_failure', 'carrier', 'later'],
      ]),
      repaired('503 Service Unavailable', trunk_failure),
    ],
    () => client,
    (own) => own,
  );
});

describe('a carrier without a language model', async () => {
  const model = await standIn((_, response) => response.writeHead(200).end());
  const { client, twilio } = await startOnTwilio(
    { PARLEY_OFFLINE_LLM_ON_REAL_CALLS: 'off', WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8' },
    { speech },
  );
  const { id, e164 } = await buyNumber(client);
  const agent = await expected<{ id: string }>(201, client, 'POST', '/v1/agents', { name: 'Ana' });
  await expected(200, client, 'PATCH', `/v1/numbers/${id}`, { voice_agent_id: agent.id });
  const callIn = () => twilio.phone.callIn(twilio.numbers[0]!.voice_url, friend, e164);
  const newestCall = async (own: Client) =>
    (await expected<{ items: { id: string }[] }>(200, own, 'GET', '/v1/calls')).items[0]!;
  followFixes<Client>(
    [
      {
        name: 'an inbound call that no model can answer',
        expected: ['llm_not_configured', 'you', 'now_with_new_key'],
        fix: /PUT \/v1\/providers\/llm.*the person can then call again/,
        async fail(own) {
          const call = await callIn();
          assert.match(call.document, /<Reject\/>/);
          return (await newestCall(own)).id;
        },
        async follow(own) {
          const params = { base_url: `${model.url}/v1`, model: 'house-1' };
          const provider = { provider: 'openai-compatible', api_key: 'sk-own-key', params };
          await expected(200, own, 'PUT', '/v1/providers/llm', provider);
          // Whether one is set is cached for a second.
          const call = await waitFor('the call is accepted', async () => {
            const offered = await callIn();
            return offered.document.includes('<Reject/>') ? null : offered;
          });
          const line = await call.answer(clock);
          const placed = await newestCall(own);
          await until(own, placed.id, 'in_progress');
          line.hangUp();
          return endOf(own, placed);
        },
        works: 'callee_hangup',
      },
    ],
    () => client,
    (own) => own,
  );
});

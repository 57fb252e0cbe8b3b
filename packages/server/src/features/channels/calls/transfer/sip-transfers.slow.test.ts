// Transfers over a SIP trunk: a softphone calls the service, which calls a colleague on another softphone or on SIPp.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Client } from '../../../../../testing/app.ts';
import { codedSpeech, ended, eventually, read, timeline, transcript } from '../../../../../testing/calls.ts';
import { serviceWithTrunk, sip_number } from '../../../../../testing/carriers/sip-service.ts';
import { hearCoded, sayCoded } from '../../../../../testing/coded-speech.ts';
import { freePort } from '../../../../../testing/free-port.ts';
import { waitFor } from '../../../../../testing/wait-for.ts';
import { joinPcm } from '../../../../protocols/audio/join-pcm.ts';
import { baresip_is_missing, startBaresip } from '../../../../providers/carrier/sip/testing/baresip.ts';
import { sipp_is_missing, startSipp, step } from '../../../../providers/carrier/sip/testing/sipp.ts';
import { realTimeClock } from '../../../../providers/media/media-clock.ts';
import { samplesOf } from '../../../../providers/media/media-session.ts';

const [person, colleague] = ['+14155550123', '+14155550124'];
const speech = () => codedSpeech({ clock: realTimeClock() });
const silence = (ms: number) => new Int16Array(samplesOf(ms));
/** The same words again and again, because a busy machine may drop audio packets. */
const repeats = (words: string, first_ms: number) =>
  joinPcm([silence(first_ms), ...Array.from({ length: 40 }, () => [sayCoded(words), silence(2000)]).flat()]);

type Softphone = Awaited<ReturnType<typeof startBaresip>>;
const hears = (phone: Softphone, words: RegExp) =>
  eventually(`heard ${words}`, async () => words.test(hearCoded(await phone.received())));

/** The person calls the number of the agent. */
async function called(service: Awaited<ReturnType<typeof serviceWithTrunk>>, phone: Softphone) {
  const { client } = service;
  const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
    name: 'Desk',
    first_message: 'Good morning.',
    ai_disclosure: false,
  });
  await client.request('PATCH', `/v1/numbers/${service.number_id}`, { voice_agent_id: agent.body.id });
  phone.command('dial', `sip:${sip_number}@127.0.0.1:${service.listen_port}`);
  await hears(phone, /Good morning\./);
  const { body } = await client.request<{ items: Call[] }>('GET', '/v1/calls');
  return body.items[0]!.id;
}

async function transfer(client: Client, id: string) {
  const answer = await client.request('POST', `/v1/calls/${id}/transfer`, {
    to: colleague,
    recipient_consent: true,
    brief: 'Tom calls.',
  });
  assert.equal(answer.status, 200, answer.text);
}

test('warm: the colleague accepts with a key, and both hear each other', {
  skip: baresip_is_missing,
  timeout: 300_000,
}, async () => {
  // The person speaks when the colleague is usually connected.
  const tom = await startBaresip({ transport: 'udp', user: person, says: repeats('Tom here.', 15_000) });
  const ana = await startBaresip({ transport: 'udp', user: colleague, says: repeats('Ana here.', 500) });
  try {
    const service = await serviceWithTrunk(ana.port, 0, { speech });
    const { client } = service;
    const id = await called(service, tom);
    await transfer(client, id);
    await hears(ana, /take the call/);
    assert.ok(!/Ana/.test(hearCoded(await tom.received())), 'the briefing is private');
    ana.command('sndcode', '1');
    await eventually('connected', async () => (await read(client, id)).transfer?.status === 'connected');
    await hears(tom, /Ana here\./);
    await hears(ana, /Tom here\./);
    tom.command('sndcode', '5');
    await eventually('the key of the person', () => ana.digits() === '5');

    ana.command('hangup');
    const call = await ended(client, id);
    assert.deepEqual(
      [call.direction, call.provider, call.status, call.end_reason, call.transfer!.status],
      ['inbound', 'sip', 'completed', 'colleague_hangup', 'ended'],
      JSON.stringify(await timeline(client, id)),
    );
    const turns = await transcript(client, id);
    assert.ok(turns.some(({ speaker, is_private }) => speaker === 'colleague' && !is_private));
    const leg = await ended(client, call.transfer!.leg_call_id!);
    assert.deepEqual([leg.from, leg.to, leg.status], [sip_number, colleague, 'completed']);
  } finally {
    await tom.stop();
    await ana.stop();
  }
});

test('a colleague who is busy or declines returns the person to the agent', {
  skip: baresip_is_missing || sipp_is_missing,
  timeout: 300_000,
}, async () => {
  const tom = await startBaresip({ transport: 'udp', user: person, says: silence(120_000) });
  try {
    const port = await freePort();
    const service = await serviceWithTrunk(port, 0, { speech });
    const { client } = service;
    const id = await called(service, tom);
    for (const [status, words, failure, times] of [
      [486, 'Busy Here', 'busy', 1],
      [603, 'Decline', 'declined', 2],
    ] as const) {
      const desk = await startSipp({
        transport: 'udp',
        port,
        steps: [
          step.receive('INVITE'),
          step.reply(180, 'Ringing'),
          step.reply(status, words),
          step.receive('ACK'),
        ],
      });
      await transfer(client, id);
      const { transfer: failed } = await waitFor(`failed: ${failure}`, async () => {
        const call = await read(client, id);
        return call.transfer?.failure === failure ? call : null;
      });
      assert.equal(failed!.status, 'failed');
      assert.equal((await desk.done).code, 0);
      await eventually(
        'the agent goes on',
        async () => (await timeline(client, id)).filter(({ kind }) => kind === 'resumed').length === times,
      );
    }
    assert.equal((await read(client, id)).status, 'in_progress');
    tom.command('hangup');
    assert.equal((await ended(client, id)).end_reason, 'callee_hangup');
  } finally {
    await tom.stop();
  }
});

// Calls over a SIP trunk: the whole service calls a softphone, and SIPp calls the service.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Call } from '@parley/contract/channels/calls/call-records';
import type { Client } from '../../../../testing/app.ts';
import { ended, eventually, place, said, timeline, transcript, until } from '../../../../testing/calls.ts';
import { sip_number as own_number, serviceWithTrunk } from '../../../../testing/carriers/sip-service.ts';
import { freePort } from '../../../../testing/free-port.ts';
import type { AppOptions } from '../../../app/app.ts';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';
import { baresip_is_missing, startBaresip } from '../../../providers/carrier/sip/testing/baresip.ts';
import { sipp_is_missing, startSipp, step } from '../../../providers/carrier/sip/testing/sipp.ts';
import { samplesOf } from '../../../providers/media/media-session.ts';
import { fliteTts } from '../../../providers/tts/flite/index.ts';

const friend = '+14155550123';

/** "Hello, this is Thomas." and then the full name again and again: on a slow machine the agent's question comes late. */
async function thomas(): Promise<Int16Array> {
  const tts = fliteTts();
  const spoken = async (text: string) => {
    const sound: Int16Array[] = [];
    const request = { text, voice: 'rms', language: 'en', signal: AbortSignal.timeout(30_000) };
    for await (const pcm of tts.speak(request)) sound.push(pcm);
    return joinPcm(sound);
  };
  const silence = (ms: number) => new Int16Array(samplesOf(ms));
  const hello = await spoken('Hello, this is Thomas.');
  const name = await spoken('My name is Thomas Baker.');
  await tts.close();
  const names = Array.from({ length: 18 }, () => [silence(11_000), name]).flat();
  return joinPcm([silence(500), hello, ...names]);
}

const with_speech_engines: Partial<AppOptions> = { speech: (bundled) => bundled };

const readiness = async (of: Client) =>
  (await of.request<{ checks: Record<string, string> }>('GET', '/readyz')).body;

/** One call to a softphone that says its name again and again. Returns what the agent understood. */
async function callSoftphone(t: TestContext): Promise<string> {
  const phone = await startBaresip({
    transport: 'udp',
    user: friend,
    says: await thomas(),
  });
  try {
    const { client } = await serviceWithTrunk(phone.port, 1, with_speech_engines);
    const { id } = await place(client, friend, { record: true, system_prompt: 'Ask for their name.' });
    const call = await ended(client, id);
    const turns = await transcript(client, id);
    for (const turn of turns) t.diagnostic(`${turn.speaker}: ${turn.text}`);
    assert.deepEqual(
      [call.provider, call.from, call.status, call.end_reason, call.answered_by],
      ['sip', own_number, 'completed', 'agent_hangup', 'human'],
      JSON.stringify(await timeline(client, id)),
    );
    assert.match(said(turns, 'agent'), /AI assistant.*your name.*Goodbye/);
    const redirect = await client.request('GET', `/v1/calls/${id}/recording`);
    const wav = Buffer.from(await (await fetch(redirect.headers.get('location')!)).arrayBuffer());
    for (const channel of [0, 1]) {
      let loud = 0;
      for (let at = 44 + 2 * channel; at < wav.length; at += 4) if (wav.readInt16LE(at) > 1000) loud++;
      assert.ok(loud > 1000, `channel ${channel} is silent`);
    }
    assert.ok(
      (await phone.received()).some((sample) => sample > 1000),
      'the softphone heard nothing',
    );
    assert.equal((await readiness(client)).checks.sip, 'ready');
    return said(turns, 'person');
  } finally {
    await phone.stop();
  }
}

describe('a call over a SIP trunk', () => {
  test('speaks with a softphone, and ends with a transcript and a recording of both sides', {
    skip: baresip_is_missing,
    timeout: 600_000,
  }, async (t) => {
    // A busy machine may drop audio packets, which garbles the name. Such a call is repeated.
    let person = await callSoftphone(t);
    for (let attempt = 2; attempt <= 3 && !/Thomas/.test(person); attempt++) person = await callSoftphone(t);
    assert.match(person, /Thomas/);
  });
});

describe('a trunk', () => {
  test('that reports busy ends the call busy', {
    skip: sipp_is_missing,
    timeout: 300_000,
  }, async () => {
    const callee = await startSipp({
      transport: 'udp',
      steps: [
        step.receive('INVITE'),
        step.reply(180, 'Ringing'),
        step.reply(486, 'Busy Here'),
        step.receive('ACK'),
      ],
    });
    const { client } = await serviceWithTrunk(callee.port);
    const { id } = await place(client, friend);
    const call = await ended(client, id);
    assert.deepEqual([call.status, call.end_reason], ['busy', 'busy']);
    await callee.done;
  });

  test('that does not respond is reported by readyz', { timeout: 300_000 }, async () => {
    const { client } = await serviceWithTrunk(await freePort(), 1);
    await eventually('not ready', async () => (await readiness(client)).checks.sip !== 'ready');
    assert.match((await readiness(client)).checks.sip!, /^unavailable: The SIP trunk does not respond/);
  });
});

async function callOnce(to: number, steps: Parameters<typeof startSipp>[0]['steps']) {
  const caller = await startSipp({ transport: 'udp', remote: { port: to, number: own_number }, steps });
  const { code, errors } = await caller.done;
  assert.equal(code, 0, errors);
}
const inbound = async (of: Client): Promise<Call[]> =>
  (await of.request<{ items: Call[] }>('GET', '/v1/calls')).body.items;

describe('an inbound call over the trunk', () => {
  test('is answered by the agent of the number, and declined without one', {
    skip: sipp_is_missing,
    timeout: 300_000,
  }, async () => {
    const { client, number_id, listen_port } = await serviceWithTrunk(await freePort());
    await callOnce(listen_port, [
      step.call(),
      step.expect(100, { optional: true }),
      step.expect(603),
      step.request('ACK', '1 ACK'),
    ]);
    assert.deepEqual(await inbound(client), []);

    const agent = await client.request<{ id: string }>('POST', '/v1/agents', {
      name: 'Desk',
      first_message: 'Good morning.',
    });
    await client.request('PATCH', `/v1/numbers/${number_id}`, { voice_agent_id: agent.body.id });
    await callOnce(listen_port, [
      step.call(),
      step.expect(100, { optional: true }),
      step.expect(200),
      step.request('ACK', '1 ACK'),
      step.pause(3000),
      step.request('BYE', '2 BYE', { retrans: true }),
      step.expect(200),
    ]);
    const [received] = await inbound(client);
    const call = await ended(client, received!.id);
    assert.deepEqual(
      [call.direction, call.provider, call.status, call.end_reason, call.from, call.to, call.agent_id],
      ['inbound', 'sip', 'completed', 'callee_hangup', '+15005550001', own_number, agent.body.id],
      JSON.stringify(await timeline(client, call.id)),
    );
  });

  test('a call that is still ringing is closed when the service stops', { timeout: 300_000 }, async () => {
    const { client, app } = await serviceWithTrunk(await freePort());
    const { id } = await place(client, friend, { ring_timeout_seconds: 60 });
    await until(client, id, 'dialing');
    await app.workers.stop();
    const call = await ended(client, id);
    assert.deepEqual([call.status, call.end_reason], ['failed', 'force_closed']);
  });
});

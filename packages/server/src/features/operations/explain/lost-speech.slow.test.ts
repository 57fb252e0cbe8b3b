// Calls on which the person spoke and was not understood: explain never says that nothing is wrong, metric and log know it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../../testing/app.ts';
import { codedSpeech, ended, eventually, place, timeline, until } from '../../../../testing/calls.ts';
import { codedStt, hearCoded } from '../../../../testing/coded-speech.ts';
import { readExposition } from '../../../../testing/exposition.ts';
import { fastClock } from '../../../../testing/fast-clock.ts';
import { expected, verdictOf } from '../../../../testing/followed-fixes.ts';

const me = '+15005550210';
let understands = true;
const stt = codedStt((pcm) => (understands ? Promise.resolve(hearCoded(pcm)) : new Promise(() => {})));
const { client } = await startTestApp({}, { speech: () => codedSpeech({ stt, clock: fastClock(10) }) });

async function answered(): Promise<string> {
  const { id } = await place(client, me, {
    ring_timeout_seconds: 60,
    first_message: 'Good morning, this is Acme.',
    summarize: false,
  });
  await until(client, id, 'ringing');
  const phone = `/v1/sandbox/phone/calls/${id}`;
  await eventually('it rings', async () => (await client.request('POST', `${phone}/answer`)).status === 200);
  await until(client, id, 'in_progress');
  return id;
}
const say = (id: string, text: string) =>
  expected(200, client, 'POST', `/v1/sandbox/phone/calls/${id}/say`, { text });
const lostIn = async (id: string) =>
  (await timeline(client, id)).filter(({ kind }) => kind === 'not_understood');
const counted = async () =>
  readExposition((await client.request('GET', '/metrics')).text).value('parley_call_speech_lost_total', {
    cause: 'recognition_late',
  });

test('U1: a person who was not understood and hung up: explain names the lost speech, not "Nothing is wrong"', async () => {
  understands = false;
  const before = (await counted()) ?? 0;
  const id = await answered();
  await eventually('the first message is over', async () => {
    const { turns } = await expected<{ turns: unknown[] }>(200, client, 'GET', `/v1/calls/${id}/transcript`);
    return turns.length > 0;
  });
  await say(id, 'Hello, I have a question about my order of last week.');
  await eventually('the timeline has not_understood', async () => (await lostIn(id)).length > 0);
  await expected(200, client, 'POST', `/v1/sandbox/phone/calls/${id}/hang-up`);
  const call = await ended(client, id);
  assert.equal(call.end_reason, 'callee_hangup');
  const verdict = await verdictOf(client, id);
  assert.deepEqual([verdict.code, verdict.who], ['speech_lost', 'parley']);
  assert.doesNotMatch(`${verdict.summary} ${verdict.fix}`, /Nothing is wrong/);
  assert.match(verdict.detail!, /[1-9]\d* s of speech became no turn.*callee_hangup/);
  assert.equal(await counted(), before + 1);
});

test('U1: a call on which nothing is ever understood ends as not_understood, and explain says why', async () => {
  understands = false;
  const id = await answered();
  for (let times = 1; times <= 4; times++) {
    const said = await client.request('POST', `/v1/sandbox/phone/calls/${id}/say`, {
      text: 'Hello, is anybody there who understands me?',
    });
    if (said.status !== 200) break;
    await eventually('it is noted, or the call is over', async () => {
      const call = await client.request<{ ended_at: string | null }>('GET', `/v1/calls/${id}`);
      return call.body.ended_at !== null || (await lostIn(id)).length >= times;
    });
  }
  const call = await ended(client, id);
  assert.deepEqual([call.status, call.end_reason], ['failed', 'not_understood']);
  const verdict = await verdictOf(client, id);
  assert.deepEqual([verdict.code, verdict.who], ['not_understood', 'parley']);
  assert.match(verdict.detail!, /Recognition did not answer in time/);
});

test('U1: where everything was understood explain still says that nothing is wrong', async () => {
  understands = true;
  const id = await answered();
  await say(id, 'Hello, this is me.');
  await eventually('both spoke', async () => {
    const { turns } = await expected<{ turns: unknown[] }>(200, client, 'GET', `/v1/calls/${id}/transcript`);
    return turns.length > 1;
  });
  await client.request('POST', `/v1/sandbox/phone/calls/${id}/hang-up`);
  await ended(client, id);
  assert.match((await verdictOf(client, id)).fix, /Nothing is wrong/);
});

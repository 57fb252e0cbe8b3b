// A complete spoken call with the bundled engines: two voices talk over a line in memory, and the recording is intelligible.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { heldEngines } from '../../../../../testing/held-engines.ts';
import { steppedClock } from '../../../../../testing/stepped-clock.ts';
import { offlineLlm } from '../../../../providers/llm/offline/index.ts';
import { samplesOf } from '../../../../providers/media/media-session.ts';
import { memoryCall } from '../../../../providers/media/memory-session.ts';
import { recordCall } from '../../../../providers/media/recorder.ts';
import { moonshineStt } from '../../../../providers/stt/moonshine/index.ts';
import { fliteTts } from '../../../../providers/tts/flite/index.ts';
import { sileroVad } from '../../../../providers/vad/silero/index.ts';
import { personAt } from '../sandbox-people/people.ts';
import { playPerson } from '../sandbox-people/person.ts';
import type { Fact, SpokenCallEnd } from './facts.ts';
import { speakOnCall } from './voice-agent.ts';

const real = { vad: sileroVad(), stt: moonshineStt({ threads: 1 }), tts: fliteTts() };
before(() => Promise.all(Object.values(real).map((engine) => engine.ready())));
after(() => Promise.all(Object.values(real).map((engine) => engine.close())));

async function callFor(system_prompt: string, number: string) {
  const clock = steppedClock();
  const engines = { ...heldEngines(clock, real), clock };
  const { caller, callee } = memoryCall({ clock });
  const person = personAt(number);
  assert.ok(person.answers);

  const chunks: Buffer[] = [];
  const to = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
  const recording = recordCall({ clock, session: caller, to });
  const facts: Fact[] = [];
  let end: SpokenCallEnd | null = null;
  void playPerson({ ...engines, voice: 'rms' }, callee, person.steps);
  void speakOnCall(
    { ...engines, llm: offlineLlm(), emit: (fact) => facts.push(fact) },
    recording.session,
    {
      direction: 'outbound',
      system_prompt,
      first_message: null,
      language: 'en',
      voice: 'kal16',
      model: null,
      ai_disclosure: true,
      max_duration_ms: 120_000,
    },
    new AbortController().signal,
  ).then((result) => {
    end = result;
  });
  await clock.passUntil(() => end !== null, 120_000);
  await recording.finish();
  const said = (speaker: 'agent' | 'person') =>
    facts.flatMap((fact) => (fact.kind === 'said' && fact.speaker === speaker ? [fact.text] : [])).join(' ');
  return { facts, end: end! as SpokenCallEnd, said, wav: Buffer.concat(chunks) };
}

/** What our own recognition understands of one channel of the recording, one stretch of sound at a time. */
async function recognized(wav: Buffer, channel: 0 | 1): Promise<string> {
  const session = real.stt.open({ language: 'en' });
  const texts: string[] = [];
  let silence = longest_pause;
  for (let i = 0; 44 + 4 * i < wav.length; i++) {
    const sample = wav.readInt16LE(44 + 4 * i + 2 * channel);
    silence = sample === 0 ? silence + 1 : 0;
    if (silence < longest_pause) session.push(Int16Array.of(sample));
    if (silence !== longest_pause) continue;
    texts.push(await session.text());
    session.nextTurn();
  }
  texts.push(await session.text());
  session.close();
  return texts.join(' ');
}
const longest_pause = samplesOf(500);

test('the agent books an appointment with a sandbox person, and both sides make sense', async (t) => {
  const { facts, end, said, wav } = await callFor(
    'Call the dentist and book an appointment for Tuesday. Then ask for their name.',
    '+15005550201',
  );
  for (const fact of facts) if (fact.kind === 'said') t.diagnostic(`${fact.speaker}: ${fact.text}`);

  assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
  assert.match(
    said('agent'),
    /^Hello, this is an AI assistant speaking\..*book an appointment for Tuesday.*your name.*Goodbye\./,
  );
  for (const word of [/hello/i, /possible/i, /tuesday/i, /my name is thomas/i])
    assert.match(said('person'), word);
  assert.ok(facts.some((fact) => fact.kind === 'answered_by' && fact.by === 'human'));

  const [person, agent] = [await recognized(wav, 0), await recognized(wav, 1)];
  t.diagnostic(`left: ${person}`);
  t.diagnostic(`right: ${agent}`);
  for (const word of [/tuesday/i, /my name is thomas/i]) assert.match(person, word);
  for (const word of [/assistant/i, /appointment/i, /your name/i, /goodbye/i]) assert.match(agent, word);
});

test('voicemail is recognized from its sound, and the message is left after the beep', async (t) => {
  const { facts, end, said } = await callFor('Remind them of the appointment on Monday.', '+15005550205');
  for (const fact of facts) if (fact.kind === 'said') t.diagnostic(`${fact.speaker}: ${fact.text}`);
  assert.equal(end.reason, 'voicemail');
  assert.ok(facts.some((fact) => fact.kind === 'answered_by' && fact.by === 'machine'));
  assert.match(said('agent'), /AI assistant.*remind you of the appointment on Monday.*Goodbye\./);
});

test('a person who interrupts is understood', async (t) => {
  const { facts, end, said, wav } = await callFor('Book an appointment for Tuesday.', '+15005550206');
  for (const fact of facts) if (fact.kind === 'said') t.diagnostic(`${fact.speaker}: ${fact.text}`);
  assert.equal(end.outcome, 'completed');
  assert.match(said('person'), /please be brief/i);
  assert.ok(facts.some((fact) => fact.kind === 'said' && fact.is_interrupted));

  // The clock stops while engines compute, so this measures only the delay that is built into the rules.
  const [person, agent] = [loudMoments(wav, 0), loudMoments(wav, 1)];
  const interruption = person.find((ms, i) => i > 0 && ms - person[i - 1]! > 500)!;
  const silent = agent.findLast((ms) => ms < interruption + 1000)! + 20;
  t.diagnostic(`silent ${silent - interruption} ms after the first sound of the interruption`);
  assert.ok(
    agent.some((ms) => Math.abs(ms - interruption) < 100),
    'the agent was not speaking',
  );
  assert.ok(silent - interruption <= 250);
});

/** The start of each 20 ms in which a channel has sound. */
function loudMoments(wav: Buffer, channel: 0 | 1): number[] {
  const moments: number[] = [];
  for (let ms = 0; 44 + 32 * (ms + 20) <= wav.length; ms += 20) {
    const samples = Array.from({ length: 160 }, (_, i) =>
      wav.readInt16LE(44 + 32 * ms + 4 * i + 2 * channel),
    );
    if (samples.some((sample) => Math.abs(sample) > 800)) moments.push(ms);
  }
  return moments;
}

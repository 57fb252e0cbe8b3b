// The people of the sandbox behave as documented when the agent calls them; with coded speech on a stepped clock.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { codedStt, codedTts, codedVad, hearCoded } from '../../../../../testing/coded-speech.ts';
import { steppedClock } from '../../../../../testing/stepped-clock.ts';
import { joinPcm } from '../../../../protocols/audio/join-pcm.ts';
import { offlineLlm } from '../../../../providers/llm/offline/index.ts';
import { memoryCall } from '../../../../providers/media/memory-session.ts';
import type { Fact, SpokenCallEnd } from '../conversation/facts.ts';
import { speakOnCall } from '../conversation/voice-agent.ts';
import { personAt, sandboxPeople } from './people.ts';
import { playPerson } from './person.ts';

async function callPerson(
  name: string,
  system_prompt = 'Book a table for two. Ask for their name.',
  computing_ms = 0,
) {
  const person = sandboxPeople.find((one) => one.name === name)!;
  assert.ok(person.answers);
  const clock = steppedClock();
  const { caller, callee } = memoryCall({ clock });
  const engines = { vad: codedVad(), stt: codedStt(), tts: codedTts(), clock };
  const facts: Fact[] = [];
  let end: SpokenCallEnd | null = null;
  let person_is_done = false;
  const slow_stt = codedStt(async (pcm) => {
    if (computing_ms > 0) await new Promise<void>((resolve) => clock.after(computing_ms, resolve));
    return hearCoded(pcm);
  });
  void playPerson({ ...engines, stt: slow_stt, voice: 'rms' }, callee, person.steps).then(() => {
    person_is_done = true;
  });
  void speakOnCall(
    { ...engines, llm: offlineLlm(), emit: (fact) => facts.push(fact) },
    caller,
    {
      direction: 'outbound',
      system_prompt,
      first_message: null,
      language: 'en',
      voice: null,
      model: null,
      ai_disclosure: true,
      max_duration_ms: 120_000,
    },
    new AbortController().signal,
  ).then((result) => {
    end = result;
  });
  await clock.passUntil(() => end !== null && person_is_done, 120_000);
  const transcript = facts.flatMap((fact) => (fact.kind === 'said' ? [`${fact.speaker}: ${fact.text}`] : []));
  return { facts, end: end! as SpokenCallEnd, transcript };
}

test('the person who converses and the agent reach the end of the conversation', async () => {
  const { transcript, end } = await callPerson('converses');
  assert.deepEqual(transcript, [
    'person: Hello, this is Thomas.',
    'agent: Hello, this is an AI assistant speaking. I would like to book a table for two. Is that possible?',
    'person: Yes, that is possible.Tuesday at ten works for us for two.',
    'agent: Thank you, I have noted: Yes, that is possible.Tuesday at ten works for us for two. Could you tell me your name?',
    'person: My name is Thomas Baker.',
    'agent: Thank you, I have noted: My name is Thomas Baker. That was all. Goodbye.',
  ]);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
});

test('five similar questions get five different answers (C8)', async () => {
  const { transcript, end } = await callPerson(
    'converses',
    'Ask for their street. Ask for their city. Ask for their name. Ask for their phone number. Ask for their postal code.',
  );
  const answers = transcript
    .filter((line) => line.startsWith('person: '))
    .slice(1)
    .map((line) => line.replaceAll(/,\b/g, ', '));
  assert.deepEqual(answers, [
    'person: It is Main Street, number twelve.',
    'person: It is in Springfield.',
    'person: My name is Thomas Baker.',
    'person: It is five five five, zero one two three.',
    'person: It is six two seven zero one.',
  ]);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
});

test('a person whose engines compute for 30 seconds does not count as silent (O8)', async () => {
  const { transcript, end } = await callPerson('converses', 'Ask for their name.', 30_000);
  assert.ok(transcript.includes('person: My name is Thomas Baker.'));
  assert.ok(!transcript.some((line) => /still there/.test(line)));
  assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
});

test('the person agrees to the requested day, time and name (C7)', async () => {
  const { transcript } = await callPerson(
    'converses',
    'Book a table for two on Friday at eight under the name Sousa.',
  );
  assert.ok(
    transcript.some((line) => /Friday at eight works for us for two, under the name Sousa/i.test(line)),
  );
});

test('the voicemail greets, beeps and receives the message', async () => {
  const { transcript, end, facts } = await callPerson('voicemail');
  assert.ok(facts.some((fact) => fact.kind === 'answered_by' && fact.by === 'machine'));
  assert.match(transcript.at(-1)!, /AI assistant.*I would like to book a table for two\..*Goodbye\./);
  assert.equal(end.reason, 'voicemail');
});

test('the person who interrupts is heard, and the call continues to its end', async () => {
  const { transcript, end, facts } = await callPerson('interrupts');
  assert.ok(facts.some((fact) => fact.kind === 'said' && fact.is_interrupted));
  assert.ok(transcript.some((line) => /please be brief/.test(line)));
  assert.match(transcript.at(-1)!, /Goodbye/);
  assert.equal(end.outcome, 'completed');
});

test('the person who hangs up leaves a completed call', async () => {
  const { end } = await callPerson('hangs_up');
  assert.deepEqual([end.outcome, end.reason], ['completed', 'callee_hangup']);
});

test('the keys of the person who presses digits are recorded', async () => {
  const { facts, end } = await callPerson('presses_digits');
  const pressed = facts.flatMap((fact) => (fact.kind === 'digits_pressed' ? [fact.digits] : []));
  assert.deepEqual(pressed, ['1', '2', '#']);
  assert.equal(end.outcome, 'completed');
});

test('the numbers are reserved and unique, and any other number is answered', () => {
  const numbers = sandboxPeople.map(({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(numbers.every((number) => /^\+1500555\d{4}$/.test(number)));
  assert.deepEqual(
    sandboxPeople.flatMap((person) => (person.answers ? [] : [person.carrier_reports])),
    ['busy', 'declined', 'never_answers', 'unreachable'],
  );
  assert.equal(personAt('+15551234567').name, 'converses');
});

test('the guide lists the same people', async () => {
  const guide = await readFile(
    new URL('../../../../../../../docs/guides/speech.md', import.meta.url),
    'utf8',
  );
  const listed = [...guide.matchAll(/^\| (\+1500\d+) \| (.+) \|$/gm)].map(([, number, meaning]) => ({
    number,
    meaning,
  }));
  assert.deepEqual(
    listed,
    sandboxPeople.map(({ number, meaning }) => ({ number, meaning })),
  );
});

/** The line to a person of the sandbox, without an agent. */
function listenTo(name: string) {
  const person = sandboxPeople.find((one) => one.name === name)!;
  assert.ok(person.answers);
  const clock = steppedClock();
  const { caller, callee } = memoryCall({ clock });
  const frames: Int16Array[] = [];
  caller.onFrame((pcm) => frames.push(pcm.slice()));
  const engines = { vad: codedVad(), stt: codedStt(), tts: codedTts(), clock, voice: 'rms' };
  void playPerson(engines, callee, person.steps);
  const heard = () => hearCoded(joinPcm(frames));
  const hears = (words: RegExp) => clock.passUntil(() => words.test(heard()), 60_000);
  return { caller, frames, heard, hears };
}

test('the menu is repeated, and a key chooses what is said next', async () => {
  const { caller, heard, hears } = listenTo('menu');
  await hears(/press two\..*press two\./);
  assert.doesNotMatch(heard(), /nine to five/);
  await caller.sendDigits('1');
  await hears(/nine to five, Monday to Friday\..*press two\./);
  await caller.sendDigits('2');
  await hears(/Desk, this is Ana\./);
  caller.close();
});

test('the one with hold music asks to hold, plays ten seconds of sound and then converses', async () => {
  const { caller, frames, heard, hears } = listenTo('hold_music');
  await hears(/Please hold the line\./);
  const before = frames.length;
  assert.doesNotMatch(heard(), /Thank you/);
  await hears(/Thank you for holding\./);
  const loud = frames.slice(before).filter((frame) => frame.some((sample) => sample > 500));
  assert.ok(loud.length >= 450, `${loud.length} frames of sound`);
  caller.close();
});

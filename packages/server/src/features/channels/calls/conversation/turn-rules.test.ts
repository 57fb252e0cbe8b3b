// The small rules of conversation: pauses, clauses, back-channels, machine detection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBackChannel } from './listen/back-channel.ts';
import { quick_endpoint, silenceAfter } from './listen/endpoint.ts';
import { turnTaking } from './listen/turn-taking.ts';
import { clauseSplitter, speakable } from './speak/clauses.ts';
import { beepDetector, soundsLikeMachine } from './voicemail/voicemail.ts';

test('a complete sentence needs a short pause, an incomplete one a long pause', () => {
  const pause = (text: string) => silenceAfter(text, quick_endpoint);
  for (const text of ['I am fine.', 'Who is there?', 'Great!']) assert.equal(pause(text), 300, text);
  for (const text of ['I would prefer', 'Tuesday morning', '']) assert.equal(pause(text), 480, text);
  for (const text of [
    'I want to book and',
    'It is, um,',
    'My number is 555 12',
    'four two seven',
    'with the',
    'yes,',
  ]) {
    assert.equal(pause(text), 900, text);
  }
});

test('a back-channel is distinguished from a reply', () => {
  for (const text of ['Uh-huh.', 'Okay', 'yeah, right', 'I see.', 'Mhm', 'yes yes yes'])
    assert.ok(isBackChannel(text), text);
  for (const text of ['', 'No.', 'Wait', 'Okay, but when?', 'yes I want that one', 'Stop.'])
    assert.ok(!isBackChannel(text), text);
});

test('streamed text is split into clauses, the first one early', () => {
  const { push, flush } = clauseSplitter();
  const out = [
    'Good ',
    'morning, this is Dr',
    '. Miller. I have 3.5 ',
    'hours, and then, well, I go home. ',
    'Bye',
  ].map(push);
  assert.deepEqual(out, [
    [],
    ['Good morning,'],
    ['this is Dr. Miller.'],
    ['I have 3.5 hours, and then, well, I go home.'],
    [],
  ]);
  assert.deepEqual(flush(), ['Bye']);
});

test('text without punctuation is cut before it is too long', () => {
  const { push, flush } = clauseSplitter();
  const clauses = [...push('word '.repeat(200)), ...flush()];
  assert.ok(clauses.length > 3 && clauses.every((clause) => clause.length <= 220));
  assert.equal(clauses.join(' ').split(' ').length, 200);
});

test('Markdown and emoji are not read aloud', () => {
  assert.equal(speakable('**Hello** [there](https://x.test) 🙂\n- one\n- `two`'), 'Hello there one two');
});

test('a click is no speech, and a short pause does not end a turn', () => {
  const taking = turnTaking(32);
  const update = (...probabilities: number[]) =>
    probabilities.map((probability) => taking.update(probability)).at(-1)!;
  assert.equal(update(1, 1, 0, 0).is_speaking, false);
  assert.equal(update(1, 1, 1).started, true);
  assert.equal(update(0.4).silence_ms, 0);
  assert.deepEqual([update(0, 0).silence_ms, update(1).resumed], [64, false]);
  assert.deepEqual([update(1).resumed, update(1).silence_ms], [true, 0]);
  taking.reset();
  assert.equal(update(1).is_speaking, false);
});

test('a beep is detected when it is over; speech and noise are not beeps', () => {
  const frames = (make: (i: number) => number, count = 25) =>
    Array.from({ length: count }, (_, n) =>
      Int16Array.from({ length: 160 }, (_, i) => Math.round(make(n * 160 + i))),
    );
  const silence = frames(() => 0, 2);
  const detects = (sound: Int16Array[]) => [...sound, ...silence].filter(beepDetector()).length;
  for (const hz of [440, 800, 1000, 1400, 2000]) {
    assert.equal(detects(frames((i) => 6000 * Math.sin((2 * Math.PI * hz * i) / 8000))), 1, `${hz} Hz`);
  }
  assert.equal(detects(frames((i) => 6000 * Math.sin((2 * Math.PI * 1000 * i) / 8000), 5)), 0, 'too short');
  assert.equal(detects(frames((i) => ((i * 7919) % 9001) - 4500)), 0, 'noise');
  const keys = (i: number) =>
    4000 * (Math.sin((2 * Math.PI * 770 * i) / 8000) + Math.sin((2 * Math.PI * 1336 * i) / 8000));
  assert.equal(detects(frames(keys)), 0, 'the tones of a key');
});

test('greetings of machines are recognized by their text', () => {
  for (const text of [
    'Please leave a message after the tone.',
    'You have reached the voicemail of Tom',
    'I cannot come to the phone right now',
    'At the beep, record your message',
  ]) {
    assert.ok(soundsLikeMachine(text), text);
  }
  for (const text of ['Hello?', 'Miller, good morning.', 'Can I take a message?', 'He is not in today.'])
    assert.ok(!soundsLikeMachine(text), text);
});

// A conversation on the phone: turns, interruptions, silence, keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedStt, codedVad, hearCoded, sayCoded } from '../../../../testing/coded-speech.ts';
import { callUp, disclosure, scripted, tool } from '../../../../testing/phone-call.ts';
import type { Vad } from '../../../providers/vad/vad.ts';

test('the person greets, the agent answers, and both are in the transcript in order', async () => {
  const call = callUp(
    {},
    {
      llm: scripted('I would like a table. For two, please.', [
        { text: 'Thank you. Goodbye.' },
        tool('hang_up'),
      ]),
    },
  );
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('please.'), 5000);
  await call.clock.pass(300);
  await call.say('That is fine.');
  const end = await call.untilEnd();
  assert.deepEqual(call.transcript(), [
    'person: Hello?',
    'agent: I would like a table. For two, please.',
    'person: That is fine.',
    'agent: Thank you. Goodbye.',
  ]);
  assert.equal(call.heard(), 'I would like a table.For two, please. Thank you.Goodbye.');
  assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
  assert.deepEqual(await call.person.closed, { by: 'them' });
  const times = call.said().flatMap(({ started_ms, ended_ms }) => [started_ms, ended_ms]);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('nobody says hello: the agent opens the conversation with its first message', async () => {
  const call = callUp({ first_message: 'Good morning from Acme.' });
  await call.clock.passUntil(() => call.heard() === 'Good morning from Acme.', 6000);
  assert.equal(call.ended(), null);
});

test('the first message is said once, also when the person speaks first', async () => {
  const llm = scripted('On Tuesday.');
  const call = callUp({ first_message: 'Good morning from Acme.' }, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.equal(llm.thoughts.length, 0);
  await call.say('When do you come?');
  await call.clock.pass(3000);
  assert.equal(call.heard(), 'Good morning from Acme. On Tuesday.');
  assert.deepEqual(
    llm.thoughts[0]!.turns.map(({ role, content }) => `${role}: ${content}`),
    ['user: Hello?', 'assistant: Good morning from Acme.', 'user: When do you come?'],
  );
});

test('the disclosure comes before anything else', async () => {
  const call = callUp({ ai_disclosure: true, first_message: 'Good morning.' });
  await call.clock.passUntil(() => call.heard().includes('morning.'), 8000);
  assert.equal(call.heard(), `${disclosure}Good morning.`);
});

test('a disclosure that was interrupted is said again until it has been heard', async () => {
  const call = callUp({ ai_disclosure: true }, { llm: scripted('First.', 'Second.', 'Third.') });
  await call.clock.passUntil(() => call.heard().startsWith('Hello, this'), 5000);
  await call.say('Who is speaking there?');
  await call.clock.pass(5000);
  assert.ok(call.transcript().at(-1)!.endsWith(`${disclosure} Second.`), call.transcript().at(-1));
  await call.say('And what do you want?');
  await call.clock.pass(3000);
  assert.equal(call.transcript().at(-1), 'agent: Third.');
});

test('speaking over the agent silences it within 250 ms, and only what was heard stays', async () => {
  const long =
    'I would like to tell you a very long story about the history of our company and its many products.';
  const llm = scripted(long, 'Of course.');
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 30, 5000);
  const began_ms = call.clock.ms();
  call.person.write(sayCoded('Stop, I have a question now.'));
  await call.clock.passUntil(() => !call.lastFrameIsLoud(), 1000);
  assert.ok(call.clock.ms() - began_ms <= 250, `silent after ${call.clock.ms() - began_ms} ms`);
  await call.clock.pass(6000);

  const cut = call.said().find(({ is_interrupted }) => is_interrupted)!;
  assert.ok(long.startsWith(cut.text) && cut.text.length < 60, cut.text);
  assert.ok(call.heard().startsWith(cut.text), 'the transcript has words that were not heard');
  assert.deepEqual(
    llm.thoughts[1]!.turns.map(({ content }) => content),
    ['Hello?', cut.text, 'Stop, I have a question now.'],
  );
  assert.equal(call.transcript().at(-1), 'agent: Of course.');
  const interruption = call.facts.find((fact) => fact.kind === 'interrupted')!;
  assert.ok(interruption.clear_ms <= 20);
});

test('an uh-huh does not stop the agent: it goes on where it was', async () => {
  const long = 'We have rooms on Monday and rooms on Tuesday and also some rooms on Friday.';
  const llm = scripted(long);
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 25, 5000);
  await call.say('Uh-huh.');
  await call.clock.pass(8000);
  assert.equal(llm.thoughts.length, 1);
  assert.deepEqual(call.transcript(), ['person: Hello?', 'person: Uh-huh.', `agent: ${long}`]);
  assert.ok(call.heard().endsWith('also some rooms on Friday.'), call.heard());
  // The word at the cut may be heard twice, never lost.
  assert.ok(call.heard().replaceAll(' ', '').length >= long.replaceAll(' ', '').length);
});

test('a noise does not stop the agent either', async () => {
  const long = 'We have rooms on Monday and rooms on Tuesday and also some rooms on Friday.';
  const llm = scripted(long);
  const call = callUp({}, { llm, stt: codedStt(async (pcm) => hearCoded(pcm).replaceAll('~', '')) });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 25, 5000);
  await call.say('~~~~~~');
  await call.clock.pass(8000);
  assert.equal(llm.thoughts.length, 1);
  assert.ok(call.heard().endsWith('also some rooms on Friday.'));
});

test('an okay after the question is an answer', async () => {
  const llm = scripted('Is Tuesday good?', 'Great.');
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('good?'), 5000);
  await call.clock.pass(200);
  await call.say('Okay.');
  await call.clock.pass(3000);
  assert.equal(call.transcript().at(-1), 'agent: Great.');
});

test('a person who goes on after a pause has said one thing, and no sound of it is lost', async () => {
  // Pauses of several lengths, because windows of 32 ms and frames of 20 ms meet differently.
  for (const pause_ms of [600, 620, 640, 660, 680, 700, 720, 740]) {
    const llm = scripted('First.', 'Second.');
    const call = callUp({}, { llm });
    await call.say('I would like to book and');
    await call.clock.pass(pause_ms);
    await call.say('also to pay.');
    await call.clock.pass(4000);
    assert.deepEqual(llm.thoughts[0]!.turns, [
      { role: 'user', content: 'I would like to book and also to pay.' },
    ]);
  }
});

test('judgements that come late do not end a turn that goes on', async () => {
  const llm = scripted('First.', 'Second.');
  let late: Promise<void> = Promise.resolve();
  let is_slow = false;
  const vad: Vad = {
    ...codedVad(),
    open() {
      const session = codedVad().open();
      const judge = async (window: Int16Array) => {
        await late;
        if (is_slow) await new Promise<void>((go) => call.clock.after(20, go));
        return session.judge(window);
      };
      return { ...session, judge };
    },
  };
  const call = callUp({}, { llm, vad });
  await call.say('I have a question.');
  await call.clock.pass(60);
  const { promise, resolve } = Promise.withResolvers<void>();
  late = promise;
  await call.clock.pass(150);
  await call.say('And another one to ask you.');
  is_slow = true;
  resolve();
  await call.clock.pass(6000);
  assert.deepEqual(llm.thoughts[0]!.turns, [
    { role: 'user', content: 'I have a question. And another one to ask you.' },
  ]);
});

test('each answer tells where its time went, and the parts add up', async () => {
  const call = callUp({}, { llm: scripted('Good morning.') });
  await call.say('Hello, who is there?');
  await call.clock.pass(3000);
  const { timings } = call.said().find(({ speaker }) => speaker === 'agent')!;
  const { total_ms, ...parts } = timings!;
  assert.deepEqual(Object.keys(parts), [
    'endpoint_ms',
    'stt_ms',
    'first_token_ms',
    'first_byte_ms',
    'first_frame_ms',
  ]);
  assert.equal(
    Object.values(parts).reduce((sum, ms) => sum + ms, 0),
    total_ms,
  );
  assert.equal(parts.endpoint_ms, 300);
  assert.ok(total_ms >= 300 && total_ms <= 360, `${total_ms}`);
});

test('keys that the person presses reach the model', async () => {
  const llm = scripted('Please press a key.', 'Thank you.');
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('key.'), 5000);
  await call.person.sendDigits('42#');
  await call.clock.pass(4000);
  assert.match(llm.thoughts[1]!.turns.at(-1)!.content, /keys: 42#/);
  assert.equal(call.facts.filter(({ kind }) => kind === 'digits_pressed').length, 3);
});

test('the agent presses keys and goes on; keys that are none are refused', async () => {
  const llm = scripted(
    [{ text: 'One moment.' }, tool('send_digits', { digits: '12#' })],
    [tool('send_digits', { digits: 'rm -rf' })],
    'Done.',
  );
  const call = callUp({}, { llm });
  await call.say('Press one two for sales.');
  await call.clock.passUntil(() => call.heard().includes('Done.'), 8000);
  assert.equal(call.digits(), '12#');
  assert.deepEqual(
    llm.thoughts[2]!.turns.filter(({ role }) => role === 'tool').map(({ content }) => content),
    ['sent', 'refused: not keys of a phone'],
  );
  assert.deepEqual(call.facts.filter(({ kind }) => kind === 'digits_sent').length, 1);
});

test('a model that only ever calls tools is stopped', async () => {
  const llm = scripted(...Array.from({ length: 10 }, () => [tool('no_such_tool')]));
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.equal(llm.thoughts.length, 4);
  assert.equal(call.ended(), null);
});

test('silence is asked about once, then the call ends', async () => {
  const call = callUp({}, { llm: scripted('What is your name?') });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.match(call.heard(), /name\? Are you still there\? I cannot hear you/);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'silence_timeout']);
});

test('a person who comes back is listened to', async () => {
  const call = callUp({}, { llm: scripted('What is your name?', 'Welcome back.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('still there?'), 20_000);
  await call.say('Yes, it is Tom.');
  await call.clock.passUntil(() => call.heard().includes('Welcome back.'), 5000);
  await call.clock.pass(7000);
  assert.equal(call.ended(), null);
});

// The voice agent in conversation: turns, interruptions, silence, keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedStt, codedVad, hearCoded, sayCoded } from '../../../../../testing/coded-speech.ts';
import { disclosure, scripted, startCall, tool } from '../../../../../testing/phone-call.ts';
import type { Vad } from '../../../../providers/vad/vad.ts';

test('the person greets, the agent replies, and the transcript has both in order', async () => {
  const call = startCall(
    {},
    {
      llm: scripted('I would like a table. For two, please.', [
        { text: 'Thank you. Goodbye.' },
        tool('end_call'),
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

test('when the person says nothing, the agent opens with its first message', async () => {
  const call = startCall({ first_message: 'Good morning from Acme.' });
  await call.clock.passUntil(() => call.heard() === 'Good morning from Acme.', 6000);
  assert.equal(call.ended(), null);
});

test('the first message is said once, even if the person speaks first', async () => {
  const llm = scripted('On Tuesday.');
  const call = startCall({ first_message: 'Good morning from Acme.' }, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.equal(llm.requests.length, 0);
  await call.say('When do you come?');
  await call.clock.pass(3000);
  assert.equal(call.heard(), 'Good morning from Acme. On Tuesday.');
  assert.deepEqual(
    llm.requests[0]!.turns.map(({ role, content }) => `${role}: ${content}`),
    ['user: Hello?', 'assistant: Good morning from Acme.', 'user: When do you come?'],
  );
});

test('the AI disclosure is said first', async () => {
  const call = startCall({ ai_disclosure: true, first_message: 'Good morning.' });
  await call.clock.passUntil(() => call.heard().includes('morning.'), 8000);
  assert.equal(call.heard(), `${disclosure}Good morning.`);
});

test('an interrupted disclosure is repeated until it was heard', async () => {
  const call = startCall({ ai_disclosure: true }, { llm: scripted('First.', 'Second.', 'Third.') });
  await call.clock.passUntil(() => call.heard().startsWith('Hello, this'), 5000);
  await call.say('Who is speaking there?');
  await call.clock.pass(5000);
  assert.ok(call.transcript().at(-1)!.endsWith(`${disclosure} Second.`), call.transcript().at(-1));
  await call.say('And what do you want?');
  await call.clock.pass(3000);
  assert.equal(call.transcript().at(-1), 'agent: Third.');
});

test('speaking over the agent silences it within 250 ms, and the transcript keeps only what was heard', async () => {
  const long =
    'I would like to tell you a very long story about the history of our company and its many products.';
  const llm = scripted(long, 'Of course.');
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 30, 5000);
  const began_ms = call.clock.ms();
  call.person.write(sayCoded('Stop, I have a question now.'));
  await call.clock.passUntil(() => !call.lastFrameIsLoud(), 1000);
  assert.ok(call.clock.ms() - began_ms <= 250, `silent after ${call.clock.ms() - began_ms} ms`);
  await call.clock.pass(6000);

  const cut = call.said().find(({ is_interrupted }) => is_interrupted)!;
  assert.ok(long.startsWith(cut.text) && cut.text.length < 60, cut.text);
  assert.ok(call.heard().startsWith(cut.text), 'the transcript has text that was not heard');
  assert.deepEqual(
    llm.requests[1]!.turns.map(({ content }) => content),
    ['Hello?', cut.text, 'Stop, I have a question now.'],
  );
  assert.equal(call.transcript().at(-1), 'agent: Of course.');
  const interruption = call.facts.find((fact) => fact.kind === 'interrupted')!;
  assert.ok(interruption.clear_ms <= 20);
});

test('an uh-huh does not stop the agent: it continues where it paused', async () => {
  const long = 'We have rooms on Monday and rooms on Tuesday and also some rooms on Friday.';
  const llm = scripted(long);
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 25, 5000);
  await call.say('Uh-huh.');
  await call.clock.pass(8000);
  assert.equal(llm.requests.length, 1);
  assert.deepEqual(call.transcript(), ['person: Hello?', 'person: Uh-huh.', `agent: ${long}`]);
  assert.ok(call.heard().endsWith('also some rooms on Friday.'), call.heard());
  // The word at the pause may be repeated but never lost.
  assert.ok(call.heard().replaceAll(' ', '').length >= long.replaceAll(' ', '').length);
});

test('noise does not stop the agent', async () => {
  const long = 'We have rooms on Monday and rooms on Tuesday and also some rooms on Friday.';
  const llm = scripted(long);
  const call = startCall({}, { llm, stt: codedStt(async (pcm) => hearCoded(pcm).replaceAll('~', '')) });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 25, 5000);
  await call.say('~~~~~~');
  await call.clock.pass(8000);
  assert.equal(llm.requests.length, 1);
  assert.ok(call.heard().endsWith('also some rooms on Friday.'));
});

test('an okay after a question is a reply', async () => {
  const llm = scripted('Is Tuesday good?', 'Great.');
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('good?'), 5000);
  await call.clock.pass(200);
  await call.say('Okay.');
  await call.clock.pass(3000);
  assert.equal(call.transcript().at(-1), 'agent: Great.');
});

test('a person who continues after a pause makes one turn, and no sound is lost', async () => {
  // Several lengths, because windows of 32 ms and frames of 20 ms align differently.
  for (const pause_ms of [600, 620, 640, 660, 680, 700, 720, 740]) {
    const llm = scripted('First.', 'Second.');
    const call = startCall({}, { llm });
    await call.say('I would like to book and');
    await call.clock.pass(pause_ms);
    await call.say('also to pay.');
    await call.clock.pass(4000);
    assert.deepEqual(llm.requests[0]!.turns, [
      { role: 'user', content: 'I would like to book and also to pay.' },
    ]);
  }
});

test('late voice activity detection does not end a turn that continues', async () => {
  const llm = scripted('First.', 'Second.');
  let late: Promise<void> = Promise.resolve();
  let is_slow = false;
  const vad: Vad = {
    ...codedVad(),
    open() {
      const session = codedVad().open();
      const judge = async (window: Int16Array) => {
        await late;
        if (is_slow) await new Promise<void>((resolve) => call.clock.after(20, resolve));
        return session.judge(window);
      };
      return { ...session, judge };
    },
  };
  const call = startCall({}, { llm, vad });
  await call.say('I have a question.');
  await call.clock.pass(60);
  const { promise, resolve } = Promise.withResolvers<void>();
  late = promise;
  await call.clock.pass(150);
  await call.say('And another one to ask you.');
  is_slow = true;
  resolve();
  await call.clock.pass(6000);
  assert.deepEqual(llm.requests[0]!.turns, [
    { role: 'user', content: 'I have a question. And another one to ask you.' },
  ]);
});

test('each reply reports its latency, and the parts add up', async () => {
  const call = startCall({}, { llm: scripted('Good morning.') });
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
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('key.'), 5000);
  await call.person.sendDigits('42#');
  await call.clock.pass(4000);
  assert.match(llm.requests[1]!.turns.at(-1)!.content, /keys: 42#/);
  assert.equal(call.facts.filter(({ kind }) => kind === 'digits_pressed').length, 3);
});

test('the agent presses keys and continues; invalid keys are refused', async () => {
  const llm = scripted(
    [{ text: 'One moment.' }, tool('send_digits', { digits: '12#' })],
    [tool('send_digits', { digits: 'rm -rf' })],
    'Done.',
  );
  const call = startCall({}, { llm });
  await call.say('Press one two for sales.');
  await call.clock.passUntil(() => call.heard().includes('Done.'), 8000);
  assert.equal(call.digits(), '12#');
  assert.deepEqual(
    llm.requests[2]!.turns.filter(({ role }) => role === 'tool').map(({ content }) => content.slice(0, 28)),
    ['sent', '{"error":"invalid_arguments"'],
  );
  assert.deepEqual(call.facts.filter(({ kind }) => kind === 'digits_sent').length, 1);
});

test('a model that only calls tools is stopped after six rounds', async () => {
  const llm = scripted(...Array.from({ length: 10 }, () => [tool('no_such_tool')]));
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.equal(llm.requests.length, 6);
  assert.equal(call.ended(), null);
});

test('after silence the agent asks once, then ends the call', async () => {
  const call = startCall({}, { llm: scripted('What is your name?') });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.match(call.heard(), /name\? Are you still there\? I cannot hear you/);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'silence_timeout']);
});

test('a person who speaks again after silence is heard', async () => {
  const call = startCall({}, { llm: scripted('What is your name?', 'Welcome back.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('still there?'), 20_000);
  await call.say('Yes, it is Tom.');
  await call.clock.passUntil(() => call.heard().includes('Welcome back.'), 5000);
  await call.clock.pass(7000);
  assert.equal(call.ended(), null);
});

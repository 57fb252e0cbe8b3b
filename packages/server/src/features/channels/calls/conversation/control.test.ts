// Control of a running conversation: words and notes by request of the API, at the right moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disclosure, scripted, startCall } from '../../../../../testing/phone-call.ts';

test('"now" stops the agent, is said word for word, and the model knows that it was said', async () => {
  const llm = scripted('This is a long sentence about many things that take time.', 'Fine.');
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 20, 5000);
  assert.deepEqual(call.control().say({ text: 'Stop. Your order is here.', when: 'now', then: 'listen' }), {
    outcome: 'done',
  });
  await call.clock.passUntil(() => call.heard().endsWith('order is here.'), 5000);
  await call.clock.pass(300);
  await call.say('Thank you.');
  await call.clock.pass(2000);
  const [, cut, said] = call.said();
  assert.deepEqual([cut!.is_interrupted, cut!.requested_by], [true, null]);
  assert.deepEqual([said!.text, said!.requested_by], ['Stop. Your order is here.', 'api']);
  assert.ok(llm.requests[1]!.turns.some(({ content }) => content === 'Stop. Your order is here.'));
});

test('"next" waits until the agent has spoken, in the order of the requests', async () => {
  const call = startCall({}, { llm: scripted('One moment please.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length >= 3, 5000);
  for (const text of ['First.', 'Second.'])
    assert.deepEqual(call.control().say({ text, when: 'next', then: 'listen' }), { outcome: 'queued' });
  await call.clock.passUntil(() => call.transcript().length === 4, 10_000);
  assert.deepEqual(call.transcript().slice(1), [
    'agent: One moment please.',
    'agent: First.',
    'agent: Second.',
  ]);
});

test('what is to be said before the opening comes after it, so the disclosure is heard first', async () => {
  const call = startCall({ ai_disclosure: true, first_message: 'Good morning.' });
  await call.clock.pass(20);
  assert.deepEqual(call.control().say({ text: 'One thing.', when: 'now', then: 'end_call' }), {
    outcome: 'queued',
  });
  const end = await call.untilEnd();
  assert.deepEqual(call.transcript(), [`agent: ${disclosure} Good morning.`, 'agent: One thing.']);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'api_hangup']);
});

test('an instruction is a note for the model, which speaks of it at once only when it is asked to', async () => {
  const llm = scripted('Hello.', 'It was shipped.', 'You are welcome.');
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard() === 'Hello.', 5000);
  await call.clock.pass(500);
  const note = { text: 'The order was shipped.', respond: false };
  assert.deepEqual(call.control().instruct(note), { outcome: 'done' });
  await call.clock.pass(1000);
  assert.equal(llm.requests.length, 1);
  assert.deepEqual(call.control().instruct({ text: 'Say so now.', respond: true }), { outcome: 'done' });
  await call.clock.passUntil(() => call.heard().endsWith('shipped.'), 5000);
  assert.deepEqual(llm.requests[1]!.turns.slice(-2), [
    { role: 'note', content: 'The order was shipped.' },
    { role: 'note', content: 'Say so now.' },
  ]);
  assert.equal(call.facts.filter(({ kind }) => kind === 'instructed').length, 2);
});

test('keys are pressed with pauses', async () => {
  const call = startCall();
  await call.clock.pass(20);
  const pressed = call.control().sendDigits('1ww2#');
  assert.equal(call.digits(), '1');
  await call.clock.pass(900);
  assert.equal(call.digits(), '1');
  await call.clock.pass(200);
  assert.deepEqual(await pressed, { outcome: 'done' });
  assert.equal(call.digits(), '12#');
});

test('nothing is said to an answering machine by request, nor after the end', async () => {
  const call = startCall({ first_message: 'Please call back.' });
  await call.say('I cannot take your call. Please leave a message after the tone.');
  await call.clock.passUntil(() => call.facts.some(({ kind }) => kind === 'answered_by'), 5000);
  const say = { text: 'Hello.', when: 'now', then: 'listen' } as const;
  assert.equal(call.control().say(say).outcome, 'refused');
  call.hanging_up.abort('api_hangup');
  await call.untilEnd();
  assert.equal(call.control().say(say).outcome, 'refused');
  assert.equal(call.control().instruct({ text: 'x', respond: true }).outcome, 'refused');
});

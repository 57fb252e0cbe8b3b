// Answering machines: the agent recognizes them and leaves one message.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disclosure, scripted, startCall } from '../../../../../../testing/phone-call.ts';
import { line_rate_hz, samplesOf } from '../../../../../providers/media/media-session.ts';

const beep = Int16Array.from({ length: samplesOf(500) }, (_, i) =>
  Math.round(9000 * Math.sin((2 * Math.PI * 1000 * i) / line_rate_hz)),
);

test('a machine is recognized by its greeting; the message comes after the beep', async () => {
  const call = startCall({ ai_disclosure: true, first_message: 'Please call Acme.' });
  await call.say('You have reached the Millers. Please leave a message after the tone.');
  await call.clock.pass(900);
  assert.equal(call.heard(), '');
  call.person.write(beep);
  await call.clock.pass(500);
  const end = await call.untilEnd();
  assert.equal(call.heard(), `${disclosure}Please call Acme.`);
  assert.deepEqual([end.outcome, end.reason], ['completed', 'voicemail']);
  assert.deepEqual(
    call.facts.flatMap((fact) => (fact.kind === 'answered_by' ? [fact.by] : [])),
    ['machine'],
  );
});

test('a machine without a beep gets its message after a pause', async () => {
  const llm = scripted('This is Acme, please call back.');
  const call = startCall({}, { llm });
  await call.say('I cannot take your call. Leave a message.');
  const end = await call.untilEnd();
  assert.match(llm.requests[0]!.turns.at(-1)!.content, /voicemail/);
  assert.equal(end.reason, 'voicemail');
});

test('an answer like that of a person counts as human', async () => {
  const call = startCall();
  await call.say('Hello, Miller speaking.');
  await call.clock.pass(2000);
  assert.deepEqual(
    call.facts.flatMap((fact) => (fact.kind === 'answered_by' ? [fact.by] : [])),
    ['human'],
  );
});

test('in a running conversation neither a beep nor a phrase makes the person a machine', async () => {
  const call = startCall({}, { llm: scripted('Is Tom there?', 'Thank you.', 'Fine.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('there?'), 5000);
  await call.clock.pass(300);
  await call.say('He is not available, would you like to leave a message?');
  await call.clock.pass(2500);
  call.person.write(beep);
  await call.clock.pass(4000);
  assert.deepEqual(
    call.facts.flatMap((fact) => (fact.kind === 'answered_by' ? [fact.by] : [])),
    ['human'],
  );
  assert.equal(call.ended(), null);
});

// The first message is said before anything else, whatever the other party does meanwhile.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codedStt, codedTts, hearCoded, sayCoded } from '../../../../../../testing/coded-speech.ts';
import { memoryRelay } from '../../../../../../testing/memory-relay.ts';
import { disclosure, scripted, startCall } from '../../../../../../testing/phone-call.ts';
import { SttFailed } from '../../../../../providers/stt/stt.ts';
import type { Tts } from '../../../../../providers/tts/tts.ts';

const first_message = 'Good morning, this is Acme about your order of last week. Do you have a minute?';
const spoken = (text: string) => text.replaceAll(' ', '');
const saysAll = (call: ReturnType<typeof startCall>) =>
  spoken(call.heard()).includes(spoken('order of last week. Do you have a minute?'));

describe('a person who greets twice hears the whole first message', () => {
  for (const second of ['Hello?', 'Yes?', 'Hallo, guten Tag?', 'Hello? Hello? Anybody there?'])
    for (const gap_ms of [100, 400, 900, 1300, 1700, 2200])
      for (const ai_disclosure of [false, true])
        test(`U2: "Hello." and "${second}" ${gap_ms} ms later${ai_disclosure ? ', with the disclosure' : ''}`, async () => {
          const llm = scripted('I am the model.');
          const call = startCall({ first_message, ai_disclosure }, { llm });
          await call.say('Hello.');
          await call.clock.pass(gap_ms);
          await call.say(second);
          const whole = `agent: ${ai_disclosure ? `${disclosure} ` : ''}${first_message}`;
          await call.clock.passUntil(() => call.transcript().includes(whole), 15_000);
          assert.equal(llm.requests.length, 0, 'the model spoke first');
        });
});

test('U2: words that are recognized before the first word was heard do not replace the first message, and are answered after it', async () => {
  const ready = Promise.withResolvers<void>();
  const tts: Tts = {
    ...codedTts(),
    async *speak(request) {
      await ready.promise;
      yield* codedTts().speak(request);
    },
  };
  const llm = scripted('I am calling from the shop.');
  const call = startCall({ first_message }, { llm, tts });
  await call.say('Hello.');
  await call.clock.pass(800);
  await call.say('Where are you calling from?');
  await call.clock.pass(800);
  ready.resolve();
  await call.clock.passUntil(() => call.heard().includes('from the shop.'), 15_000);
  assert.ok(saysAll(call), call.heard());
  assert.deepEqual(
    llm.requests[0]!.turns.map(({ role, content }) => `${role}: ${content}`),
    ['user: Hello.', `assistant: ${first_message}`, 'user: Where are you calling from?'],
  );
});

test('U2: an interruption of the first message counts it as said as far as it was played, and the model hears what is missing', async () => {
  const llm = scripted('Of course, later then.');
  const call = startCall({ first_message }, { llm });
  await call.say('Hello.');
  await call.clock.passUntil(() => call.heard().includes('about your'), 6000);
  await call.say('I am driving, call me later.');
  await call.clock.passUntil(() => call.heard().includes('later then.'), 6000);
  const [user, said, note, words] = llm.requests[0]!.turns;
  assert.deepEqual([user!.role, said!.role, note!.role, words!.role], ['user', 'assistant', 'note', 'user']);
  assert.ok(first_message.startsWith(said!.content) && said!.content.includes('Acme'), said!.content);
  const rest = first_message.slice(said!.content.length).trim();
  assert.ok(note!.content.includes(rest), note!.content);
  assert.equal(words!.content, 'I am driving, call me later.');
  const interrupted = call.said().find(({ is_interrupted }) => is_interrupted)!;
  assert.equal(interrupted.text, said!.content);
  await call.clock.pass(3000);
  assert.ok(!saysAll(call), 'what was cut off was said again');
});

test('U2: on an inbound call the first message is said whole when the caller speaks at once', async () => {
  const llm = scripted('Tuesday is fine.');
  const call = startCall({ first_message, direction: 'inbound' }, { llm });
  await call.clock.pass(200);
  await call.say('Hello, I would like an appointment.');
  await call.clock.passUntil(() => saysAll(call), 15_000);
  assert.ok(spoken(call.heard()).startsWith(spoken('Good morning, this is')), call.heard());
});

test('U2: a noise at the start does not replace the first message', async () => {
  const stt = codedStt(async (pcm) => hearCoded(pcm).replaceAll('~', ''));
  const call = startCall({ first_message }, { stt });
  await call.say('~~~~~~');
  await call.clock.passUntil(() => saysAll(call), 8000);
  assert.ok(!call.heard().includes('still there'), call.heard());
});

test('U2: a recognition that fails once at the start, or in the first message, does not replace it', async () => {
  for (const is_late of [false, true]) {
    let attempts = 0;
    const stt = codedStt(async (pcm) => {
      if (attempts++ === 0) throw new SttFailed('hung up', { retryable: true });
      return hearCoded(pcm);
    });
    const call = startCall({ first_message }, { stt });
    if (is_late) await call.clock.passUntil(() => call.heard().startsWith('Good mor'), 5000);
    await call.say('Hello?');
    await call.clock.passUntil(() => saysAll(call), 8000);
    assert.ok(!call.heard().includes('did not catch'), call.heard());
    assert.ok(call.facts.some((fact) => fact.kind === 'went_wrong' && fact.layer === 'stt'));
  }
});

test('U2: keys and a request to say something now come after the first message', async () => {
  const llm = scripted('You pressed one.');
  const call = startCall({ first_message }, { llm });
  await call.person.sendDigits('1');
  await call.clock.passUntil(() => call.heard().startsWith('Goo'), 5000);
  const said = call.control().say({ text: 'From the desk.', when: 'now', then: 'listen' });
  assert.equal(said.outcome, 'queued');
  await call.person.sendDigits('2');
  await call.clock.passUntil(() => call.heard().includes('From the desk.'), 20_000);
  assert.ok(saysAll(call), call.heard());
  assert.ok(spoken(call.heard()).indexOf(spoken('a minute?')) < spoken(call.heard()).indexOf('Fromthedesk'));
});

test('U2: an answering machine that speaks in two parts gets its message after the beep, not the first message', async () => {
  const call = startCall(
    { first_message, voicemail: { action: 'leave_message', message: 'Please call Acme.' } },
    {},
  );
  await call.say('Hello, this is Tom.');
  await call.clock.pass(700);
  await call.say('Please leave a message after the tone.');
  const end = await call.untilEnd();
  assert.equal(end.reason, 'voicemail');
  assert.ok(call.heard().endsWith('Please call Acme.') && !saysAll(call), call.heard());
});

test('U2: with a relay the first message is said first, and the relay gets what was said over it', async () => {
  const relay = memoryRelay();
  const call = startCall({ first_message, ai_disclosure: true }, { relay: relay.relay });
  await call.say('Hello.');
  await call.clock.pass(900);
  relay.says('I am the relay.');
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('I am the relay.'), 15_000);
  const heard = spoken(call.heard());
  assert.ok(heard.indexOf(spoken('have a minute?')) < heard.indexOf(spoken('I am the relay.')), call.heard());
  assert.ok(call.heard().startsWith(disclosure.slice(0, 14)), call.heard());
});

test('U2: a relay that ends its session at once lets the first message be said to its end', async () => {
  const relay = memoryRelay();
  const call = startCall({ first_message }, { relay: relay.relay });
  relay.push({ type: 'end' });
  const end = await call.untilEnd();
  assert.ok(saysAll(call), call.heard());
  assert.equal(end.reason, 'agent_hangup');
});

test('U2: the first message is said once: a person who speaks over its end is answered', async () => {
  const llm = scripted('Great.');
  const call = startCall({ first_message }, { llm });
  await call.clock.passUntil(() => call.heard().includes('have a'), 10_000);
  call.person.write(sayCoded('Yes, I have one minute now.'));
  await call.clock.passUntil(() => call.heard().includes('Great.'), 8000);
  assert.equal(call.heard().split('Good morning').length, 2, call.heard());
});

// Speech that becomes no turn: the agent says that it did not understand, the timeline names it, and no call dies silently.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codedStt, codedVad, hearCoded } from '../../../../../../testing/coded-speech.ts';
import { scripted, startCall } from '../../../../../../testing/phone-call.ts';
import { randomNumbers, test_seed } from '../../../../../../testing/random.ts';
import type { Vad } from '../../../../../providers/vad/vad.ts';
import { phrasesFor } from '../speak/phrases.ts';

const { not_understood, never_understood } = phrasesFor('en');
const lostIn = (call: ReturnType<typeof startCall>) =>
  call.facts.flatMap((fact) => (fact.kind === 'not_understood' ? [fact] : []));
const agentSaid = (call: ReturnType<typeof startCall>) =>
  call.said().flatMap(({ speaker, text }) => (speaker === 'agent' ? [text] : []));

/** Recognition that answers the first turns never, as if its thread got no processor. */
function starvedStt(lost_turns: number) {
  let turns = 0;
  return codedStt((pcm) => {
    const text = hearCoded(pcm);
    if (text.startsWith('Hello') || ++turns > lost_turns) return Promise.resolve(text);
    return new Promise(() => {});
  });
}

describe('a starved recognizer', () => {
  test('U1: words that are not recognized within 10 s are noted, and the agent asks for them again', async () => {
    const call = startCall({}, { stt: starvedStt(1), llm: scripted('How are you?', 'Good to hear.') });
    await call.say('Hello?');
    await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
    await call.say('I am fine, thank you.');
    await call.clock.passUntil(() => agentSaid(call).includes(not_understood), 15_000);
    const [lost] = lostIn(call);
    assert.equal(lost!.cause, 'recognition_late');
    assert.ok(lost!.sound_ms >= 800 && lost!.sound_ms <= 1400, `${lost!.sound_ms} ms`);
    await call.say('I said that I am fine.');
    await call.clock.passUntil(() => agentSaid(call).includes('Good to hear.'), 5000);
    assert.equal(lostIn(call).length, 1);
  });

  test('U1: a call whose words are never recognized ends with a true reason', async () => {
    const call = startCall({}, { stt: starvedStt(100), llm: scripted('How are you?') });
    await call.say('Hello?');
    await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
    for (let turn = 0; turn < 6 && !call.ended(); turn++) {
      await call.say('Is anybody there?');
      await call.clock.pass(15_000);
    }
    const end = call.ended()!;
    assert.deepEqual([end.outcome, end.reason], ['failed', 'not_understood']);
    assert.match(end.detail!, /did not answer in time/);
    assert.deepEqual(agentSaid(call).slice(1), [not_understood, not_understood, never_understood]);
    assert.equal(lostIn(call).length, 3);
  });

  test('U1: the first message does not wait for words that are not recognized', async () => {
    const first_message = 'Good morning, this is Acme.';
    for (const direction of ['outbound', 'inbound'] as const) {
      const call = startCall({ first_message, direction }, { stt: starvedStt(1) });
      await call.say('Who is there?');
      await call.clock.passUntil(() => agentSaid(call).includes(first_message), 8000);
    }
  });

  test('U1: a person who hangs up before their words are recognized leaves an entry in the timeline', async () => {
    const call = startCall({}, { stt: starvedStt(100), llm: scripted('How are you?') });
    await call.say('Hello?');
    await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
    await call.say('I have a very long story to tell you about my week.');
    await call.clock.pass(500);
    call.person.close();
    await call.untilEnd();
    assert.deepEqual(
      lostIn(call).map(({ cause }) => cause),
      ['call_ended'],
    );
  });

  test('U1: whoever speaks for longer than 10 s is not interrupted', async () => {
    const call = startCall({}, { llm: scripted('I see.') });
    await call.say('Hello, this is a long story that I would like to tell you, '.repeat(6));
    await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
    assert.deepEqual([agentSaid(call), lostIn(call)], [['I see.'], []]);
  });
});

test('U1: speech without words for 10 s is noted, and short noises are not', async () => {
  const stt = codedStt(async (pcm) => hearCoded(pcm).replaceAll('~', ''));
  const call = startCall({}, { stt, llm: scripted('How are you?') });
  await call.say('Hello?');
  await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
  for (let turn = 0; turn < 3; turn++) {
    await call.say('~'.repeat(30));
    await call.clock.pass(2500);
  }
  await call.clock.passUntil(() => agentSaid(call).includes(not_understood), 5000);
  assert.equal(lostIn(call)[0]!.cause, 'no_words');

  const coughs = startCall({}, { stt, llm: scripted('How are you?') });
  await coughs.say('Hello?');
  await coughs.clock.passUntil(() => agentSaid(coughs).length === 1, 5000);
  await coughs.say('~~~~~~');
  await coughs.clock.pass(7000);
  await coughs.say('~~~~~~');
  await coughs.clock.pass(5000);
  assert.deepEqual(lostIn(coughs), []);
});

describe('voice activity detection that fails', () => {
  const failing = (fails: () => boolean, how: 'rejects' | 'hangs'): Vad => ({
    ...codedVad(),
    open() {
      const session = codedVad().open();
      const judge = (window: Int16Array) => {
        if (!fails()) return session.judge(window);
        return how === 'hangs' ? new Promise<number>(() => {}) : Promise.reject(new Error('no memory'));
      };
      return { ...session, judge };
    },
  });
  const { next } = randomNumbers(test_seed);

  for (const [what, fails] of Object.entries({
    'every second window': (count: number) => count % 2 === 0,
    'two of three windows': (count: number) => count % 3 !== 0,
    'nine of ten windows': (count: number) => count % 10 !== 0,
    'random windows': () => next() < 0.5,
  }))
    test(`U1: with ${what} failing the agent hears every turn, and a failed window is no silence`, async () => {
      let count = 0;
      const vad = failing(() => fails(count++), 'rejects');
      const call = startCall({}, { vad, llm: scripted('First.', 'Second.') });
      await call.say('Hello, who is speaking there?');
      await call.clock.passUntil(() => agentSaid(call).length === 1, 8000);
      await call.clock.pass(300);
      await call.say('I would like to have an appointment.');
      await call.clock.passUntil(() => agentSaid(call).length === 2, 8000);
      const person = call.said().flatMap(({ speaker, text }) => (speaker === 'person' ? [text] : []));
      assert.deepEqual(person, ['Hello, who is speaking there?', 'I would like to have an appointment.']);
    });

  test('U1: windows that are never judged do not make the agent deaf', async () => {
    let is_hanging = false;
    const vad = failing(() => is_hanging, 'hangs');
    const call = startCall({}, { vad, llm: scripted('First.', 'Second.') });
    await call.say('Hello?');
    await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
    is_hanging = true;
    await call.say('I would like to have an appointment.');
    await call.clock.passUntil(() => call.transcript().includes('agent: Second.'), 12_000);
    assert.ok(call.facts.some((fact) => fact.kind === 'went_wrong' && fact.layer === 'vad'));
  });
});

test('U1: a silence that ends while the person speaks is counted again afterwards', async () => {
  const stt = codedStt(async (pcm) => hearCoded(pcm).replaceAll('~', ''));
  const call = startCall({}, { stt, llm: scripted('What is your name?') });
  await call.say('Hello?');
  await call.clock.passUntil(() => agentSaid(call).length === 1, 5000);
  await call.clock.pass(7600);
  await call.say('~'.repeat(16));
  const end = await call.untilEnd();
  assert.equal(end.reason, 'silence_timeout');
});

// A relay converses on the phone: prompts, talk cycles, interruptions, keys, its end and its failure, on a stepped clock.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codedStt, codedTts, sayCoded } from '../../../../../../testing/coded-speech.ts';
import { scripted } from '../../../../../../testing/phone-call.ts';
import { startRelayCall } from '../../../../../../testing/relay-call.ts';
import type { Stt } from '../../../../../providers/stt/stt.ts';
import type { Tts } from '../../../../../providers/tts/tts.ts';

const long =
  'The first thing that I would like to say is long, and it goes on and on for quite a while, and then some.';

describe('a relay', () => {
  test('gets what the person said, and its tokens are spoken while they arrive', async () => {
    const { relay, clock, say, transcript, llm } = startRelayCall();
    await clock.pass(2000);
    await say('What time is it?');
    await clock.pass(1500);
    assert.deepEqual(relay.sentOf('prompt'), [
      { type: 'prompt', voicePrompt: 'What time is it?', lang: 'en', last: true },
    ]);
    relay.push({ type: 'text', token: 'It is ' });
    relay.push({ type: 'text', token: 'ten. ', unknown_field: 1 });
    await clock.pass(2000);
    assert.deepEqual(transcript(), ['person: What time is it?']);
    relay.push({ type: 'text', token: 'Anything else?', last: true });
    await clock.pass(3000);
    assert.deepEqual(transcript(), ['person: What time is it?', 'agent: It is ten. Anything else?']);
    assert.equal(llm.requests.length, 0);
  });

  test('may speak first, after the sentence that an AI speaks', async () => {
    const { relay, clock, transcript } = startRelayCall({ call: { ai_disclosure: true } });
    relay.says('Welcome to the shop.');
    await clock.pass(8000);
    assert.match(transcript()[0]!, /^agent: .*\bAI\b.* Welcome to the shop\.$/);
    relay.says('Are you looking for something?');
    await clock.pass(4000);
    assert.equal(transcript()[1], 'agent: Are you looking for something?');
  });

  test('says its cycles one after the other, and one that is preemptible gives way', async () => {
    const { relay, clock, transcript } = startRelayCall();
    await clock.pass(2000);
    relay.says('One.');
    relay.says('Two.');
    await clock.pass(4000);
    assert.deepEqual(transcript(), ['agent: One.', 'agent: Two.']);
    relay.says(long, { preemptible: true });
    await clock.pass(1000);
    relay.says('Stop, this first.');
    await clock.pass(4000);
    assert.equal(transcript().at(-1), 'agent: Stop, this first.');
    assert.ok(transcript().at(-2)!.length < long.length);
  });

  test('is told how much was heard when it is interrupted, and the rest of the cycle is dropped', async () => {
    const { relay, clock, say, transcript, said } = startRelayCall();
    await clock.pass(2000);
    relay.push({ type: 'text', token: long });
    await clock.pass(1500);
    await say('Wait a moment please, I have a question.');
    await clock.pass(1500);
    const [interrupt] = relay.sentOf('interrupt');
    assert.ok(
      long.startsWith(interrupt!.utteranceUntilInterrupt) && interrupt!.utteranceUntilInterrupt !== '',
    );
    assert.ok(interrupt!.durationUntilInterruptMs > 500);
    assert.equal(said().find(({ speaker }) => speaker === 'agent')!.is_interrupted, true);
    // The server answers the new prompt without ever having ended the interrupted cycle.
    relay.says('Of course.');
    await clock.pass(3000);
    assert.equal(transcript().at(-1), 'agent: Of course.');
  });

  test('drops tokens of an interrupted cycle that come before the next prompt', async () => {
    const { relay, clock, person, transcript } = startRelayCall({ settings: { interruptible: 'dtmf' } });
    await clock.pass(2000);
    relay.push({ type: 'text', token: `${long} ` });
    await clock.pass(1500);
    person.sendDigits('5');
    await clock.pass(500);
    assert.equal(relay.sentOf('interrupt').length, 1);
    assert.deepEqual(relay.sentOf('dtmf'), [{ type: 'dtmf', digit: '5' }]);
    relay.push({ type: 'text', token: 'Late words.', last: true });
    relay.says('You pressed five.');
    await clock.pass(4000);
    assert.equal(transcript().at(-1), 'agent: You pressed five.');
    assert.ok(!transcript().some((line) => /Late words/.test(line)));
  });

  test('is not interrupted by speech where it does not allow that, and still gets the words', async () => {
    const { relay, clock, say, transcript } = startRelayCall();
    await clock.pass(2000);
    relay.says(long, { interruptible: false });
    await clock.pass(1000);
    await say('Hello? Are you there?');
    await clock.pass(15_000);
    assert.equal(relay.sentOf('interrupt').length, 0);
    assert.equal(relay.sentOf('prompt')[0]!.voicePrompt, 'Hello? Are you there?');
    assert.ok(transcript().includes(`agent: ${long}`));
  });

  test('gets no keys when it does not want them', async () => {
    const { relay, clock, person } = startRelayCall({ settings: { dtmf: false } });
    await clock.pass(2000);
    person.sendDigits('12');
    await clock.pass(3000);
    assert.deepEqual(relay.sent, []);
  });

  test('presses keys and plays sounds', async () => {
    const { relay, clock, digits, facts } = startRelayCall();
    await clock.pass(2000);
    relay.push({ type: 'sendDigits', digits: '1w2' });
    await clock.pass(2000);
    assert.equal(digits(), '12');
    assert.ok(facts.some(({ kind }) => kind === 'digits_sent'));
    relay.plays(new Int16Array(8000).fill(1000));
    await clock.pass(2000);
    assert.equal(relay.sentOf('error').length, 0);
  });

  test('repeats a sound as often as it asked for, and only ten sounds may wait', async () => {
    const { relay, clock, heard } = startRelayCall();
    await clock.pass(2000);
    relay.plays(sayCoded('Ding.'), { loop: 3 });
    await clock.pass(2000);
    assert.equal(heard(), 'Ding.Ding.Ding.');
    relay.push({ type: 'text', token: long });
    for (let sound = 0; sound < 12; sound++) relay.plays(sayCoded('Ding.'), { loop: 20 });
    assert.deepEqual(
      relay.sentOf('error').map(({ description }) => description),
      Array.from({ length: 2 }, () => 'play: at most 10 sounds may wait.'),
    );
  });

  test('gets words while they are spoken only where it asked for them', async () => {
    const spoken = 'What time is it?';
    const promptsWith = async (partial_prompts: boolean) => {
      const { relay, clock, say } = startRelayCall({ settings: { partial_prompts } });
      await clock.pass(2000);
      await say(spoken);
      await clock.pass(1500);
      return relay.sentOf('prompt').map(({ voicePrompt, last }) => [voicePrompt, last]);
    };
    assert.deepEqual(await promptsWith(true), [
      ['What', false],
      ['What time', false],
      ['What time is', false],
      [spoken, true],
    ]);
    assert.deepEqual(await promptsWith(false), [[spoken, true]]);
  });

  test('whose engine recognizes whole turns only gets no partial prompts', async () => {
    const { name, capabilities, ...engine } = codedStt();
    const open: Stt['open'] = (options) => {
      const { interim: _, ...session } = engine.open(options);
      return session;
    };
    const stt = { ...engine, name, capabilities, open };
    const { relay, clock, say } = startRelayCall({ settings: { partial_prompts: true }, stt });
    await clock.pass(2000);
    await say('What time is it?');
    await clock.pass(1500);
    assert.deepEqual(
      relay.sentOf('prompt').map(({ last }) => last),
      [true],
    );
  });

  test('changes the language of both directions, of recognition from the next turn on', async () => {
    const opened: string[] = [];
    const spoken: string[] = [];
    const [listens, speaks] = [codedStt(), codedTts()];
    const stt: Stt = {
      ...listens,
      open(options) {
        opened.push(options.language);
        return listens.open(options);
      },
    };
    const tts: Tts = {
      ...speaks,
      speak(request) {
        spoken.push(request.language);
        return speaks.speak(request);
      },
    };
    const { relay, clock, say } = startRelayCall({ stt, tts });
    await clock.pass(2000);
    const words = say('Hablo mucho mejor en mi propio idioma.');
    await clock.pass(700);
    relay.push({ type: 'language', ttsLanguage: 'es-ES', transcriptionLanguage: 'es-MX' });
    await words;
    await clock.pass(1500);
    // The whole turn was recognized: the change did not take its first words away.
    assert.deepEqual(
      relay.sentOf('prompt').map(({ voicePrompt, lang }) => [voicePrompt, lang]),
      [['Hablo mucho mejor en mi propio idioma.', 'es-MX']],
    );
    assert.deepEqual(opened, ['en', 'es-MX']);
    relay.says('Claro.');
    await clock.pass(1500);
    assert.equal(spoken.at(-1), 'es-ES');
    relay.says('Of course.', { lang: 'en-US' });
    await clock.pass(1500);
    assert.equal(spoken.at(-1), 'en-US');
    relay.lose('closed 1006');
    await clock.pass(1000);
    assert.equal(spoken.at(-1), 'es-ES');
  });

  test('is told when an engine does not have the language', async () => {
    const [stt, tts] = [codedStt(), codedTts()];
    const english = { streaming: true, languages: ['en'] };
    const { relay, clock } = startRelayCall({
      stt: { ...stt, capabilities: english },
      tts: { ...tts, capabilities: { ...english, voices: [] } },
    });
    await clock.pass(2000);
    relay.push({ type: 'language', ttsLanguage: 'es-ES', transcriptionLanguage: 'es-ES' });
    relay.push({ type: 'language', ttsLanguage: 'en-GB' });
    relay.push({ type: 'language', ttsLanguage: 'not a language' });
    assert.deepEqual(
      relay.sentOf('error').map(({ description }) => description),
      [
        'language: es-ES is not available (tts).',
        'language: es-ES is not available (stt).',
        'language: expected a language tag such as es-ES.',
      ],
    );
  });

  test('is told of frames that are not understood, and the conversation goes on', async () => {
    const { relay, clock, transcript } = startRelayCall();
    await clock.pass(2000);
    relay.push({ type: 'dance' });
    relay.push({ type: 'text' });
    relay.push({ type: 'sendDigits', digits: 'abc' });
    relay.push({ type: 'play', source: 'https://relay.example.com/missing.wav' });
    await clock.pass(500);
    assert.equal(relay.sentOf('error').length, 4);
    relay.says('Still here.');
    await clock.pass(2000);
    assert.deepEqual(transcript(), ['agent: Still here.']);
  });

  test('ends the call after its last words, with its data in the timeline', async () => {
    const { relay, clock, transcript, untilEnd, facts } = startRelayCall();
    await clock.pass(2000);
    relay.says('Goodbye then.');
    relay.push({ type: 'end', handoffData: '{"reasonCode":"live-agent-handoff"}' });
    const end = await untilEnd();
    assert.deepEqual([end.outcome, end.reason], ['completed', 'agent_hangup']);
    assert.deepEqual(transcript(), ['agent: Goodbye then.']);
    const fact = facts.find(({ kind }) => kind === 'relay_ended')!;
    assert.equal((fact as { handoff_data: string }).handoff_data, '{"reasonCode":"live-agent-handoff"}');
  });

  test('ends the call when the person interrupts its last words', async () => {
    const { relay, clock, say, untilEnd } = startRelayCall();
    await clock.pass(2000);
    relay.says(long);
    relay.push({ type: 'end' });
    await clock.pass(1500);
    await say('Wait a moment please, I have a question.');
    assert.equal((await untilEnd()).reason, 'agent_hangup');
  });

  test('gets no instructions: they are refused, and silence still ends the call', async () => {
    const { relay, clock, control, untilEnd } = startRelayCall();
    await clock.pass(2000);
    relay.says('Hello there.');
    await clock.pass(3000);
    for (const respond of [true, false])
      assert.equal(control().instruct({ text: 'We close soon.', respond }).outcome, 'refused');
    assert.equal((await untilEnd()).reason, 'silence_timeout');
  });

  test('that is lost ends the call with an apology', async () => {
    const { relay, clock, transcript, untilEnd } = startRelayCall();
    await clock.pass(2000);
    relay.lose('closed 1006');
    const end = await untilEnd();
    assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'setup_error', 'relay: closed 1006']);
    assert.equal(transcript().length, 1);
  });

  test('that does not answer within 10 seconds has failed', async () => {
    const { say, clock, untilEnd } = startRelayCall();
    await clock.pass(2000);
    await say('Hello?');
    const end = await untilEnd();
    assert.equal(end.detail, 'relay: no answer within 10 s');
  });

  test('that fails is replaced by the model where the agent wants that', async () => {
    const { relay, clock, say, transcript, llm } = startRelayCall({
      settings: { fallback: true },
      llm: scripted('I will take over.', 'It is noon.'),
    });
    await clock.pass(2000);
    await say('Hello?');
    await clock.pass(1000);
    relay.lose('closed 1011');
    await clock.pass(4000);
    assert.equal(transcript().at(-1), 'agent: I will take over.');
    await say('What time is it?');
    await clock.pass(4000);
    assert.equal(transcript().at(-1), 'agent: It is noon.');
    assert.equal(llm.requests[1]!.turns.filter(({ role }) => role === 'user').length, 2);
  });
});

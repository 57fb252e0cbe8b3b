// Whatever fails in a spoken call, it ends in good order and says why.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedStt, codedTts, hearCoded } from '../../../../testing/coded-speech.ts';
import { callUp, scripted, tool } from '../../../../testing/phone-call.ts';
import { type EngineFallback, fallbackLlm, fallbackStt, fallbackTts } from '../../../providers/fallback.ts';
import { type Llm, LlmFailed } from '../../../providers/llm/llm.ts';
import { frame_samples } from '../../../providers/media/media-session.ts';
import { SttFailed } from '../../../providers/stt/stt.ts';
import { type Tts, TtsFailed } from '../../../providers/tts/tts.ts';

for (const [what, error] of [
  ['answers 401', new LlmFailed('answered 401', { retryable: false })],
  ['talks garbage', new LlmFailed('answered something that is no chat completion', { retryable: false })],
] as const) {
  test(`a model that ${what}: a short apology, and the call has failed with the reason`, async () => {
    const call = callUp({}, { llm: scripted(error) });
    await call.say('Hello?');
    const end = await call.untilEnd();
    assert.match(call.heard(), /technical problem.*Goodbye/);
    assert.deepEqual(
      [end.outcome, end.reason, end.detail],
      ['failed', 'setup_error', `llm: ${error.message}`],
    );
    assert.ok(call.facts.some((fact) => fact.kind === 'went_wrong' && fact.layer === 'llm'));
  });
}

test('a model that hangs, even against its signal, does not hold the call', async () => {
  const llm: Llm = {
    name: 'hangs',
    capabilities: { tools: true },
    async *reply() {
      await new Promise(() => {});
    },
  };
  const call = callUp({}, { llm });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.match(call.heard(), /technical problem/);
  assert.deepEqual([end.reason, end.detail], ['setup_error', 'llm: did not answer in time']);
});

test('a model that is overloaded for a moment is asked once more', async () => {
  const llm = scripted(new LlmFailed('answered 503', { retryable: true }), 'Here I am.');
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard() === 'Here I am.', 5000);
});

test('nobody can talk the agent out of its apology', async () => {
  const call = callUp({}, { llm: scripted(new LlmFailed('answered 401', { retryable: false })) });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('technical'), 5000);
  await call.say('What kind of problem is that?');
  assert.equal((await call.untilEnd()).reason, 'setup_error');
  assert.match(call.heard(), /Goodbye\.$/);
});

test('a voice that fails ends the call as failed', async () => {
  const tts: Tts = {
    ...codedTts(),
    // biome-ignore lint/correctness/useYield: it fails before the first sound
    async *speak() {
      throw new TtsFailed('answered 500', { retryable: true });
    },
  };
  const call = callUp({}, { tts });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'tts: answered 500']);
});

test('an ear that fails once asks the person to say it again', async () => {
  let asked = 0;
  const stt = codedStt(async (pcm) => {
    if (asked++ === 0) throw new SttFailed('hung up', { retryable: true });
    return hearCoded(pcm);
  });
  const call = callUp({}, { stt, llm: scripted('Good morning.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('say it again?'), 8000);
  await call.say('Hello, I said.');
  await call.clock.passUntil(() => call.heard().includes('Good morning.'), 5000);
});

test('an ear that stays deaf ends the call as failed', async () => {
  const stt = codedStt(async () => {
    throw new SttFailed('answered 401', { retryable: false });
  });
  const call = callUp({}, { stt });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'stt: answered 401']);
});

test('the call ends at its longest duration', async () => {
  const call = callUp({ max_duration_ms: 30_000 }, { llm: scripted('Tell me more.') });
  for (let i = 0; i < 12 && !call.ended(); i++) {
    await call.say('And another thing I want to say.');
    await call.clock.pass(2500);
  }
  assert.deepEqual([call.ended()!.reason, call.ended()!.duration_ms], ['max_duration', 30_000]);
});

test('a person who hangs up in the middle: the words of both that were heard are kept', async () => {
  const call = callUp({}, { llm: scripted('I would like to tell you a long story about our company.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length > 20, 5000);
  call.person.close();
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason], ['completed', 'callee_hangup']);
  const last = call.said().at(-1)!;
  assert.ok(last.is_interrupted && last.text.startsWith('I would like') && last.text.length < 40, last.text);

  const other = callUp();
  await other.say('Sorry, I must leave.');
  other.person.close();
  await other.untilEnd();
  assert.deepEqual(other.transcript(), ['person: Sorry, I must leave.']);
});

test('a hang-up by API, a force-close and a broken line end the call at once', async () => {
  const by_api = callUp();
  by_api.hanging_up.abort();
  assert.equal((await by_api.untilEnd()).reason, 'api_hangup');
  assert.deepEqual(await by_api.person.closed, { by: 'them' });

  const by_force = callUp();
  by_force.hanging_up.abort('force_closed');
  assert.deepEqual(
    [(await by_force.untilEnd()).outcome, by_force.ended()!.reason],
    ['failed', 'force_closed'],
  );

  const broken = callUp();
  broken.line.fail('no packets for 30 s');
  const end = await broken.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'no packets for 30 s']);
});

test('an answered inbound call is opened at once, and nobody is taken for a machine', async () => {
  const call = callUp({ direction: 'inbound', first_message: 'Acme, good morning.' });
  await call.clock.passUntil(() => call.heard() === 'Acme, good morning.', 1500);
  await call.say('My mailbox is full, leave a message.');
  await call.clock.pass(2000);
  assert.ok(!call.facts.some((fact) => fact.kind === 'answered_by'));
});

test('after the end nothing more is said or heard', async () => {
  const call = callUp({}, { llm: scripted([{ text: 'Bye.' }, tool('hang_up')]) });
  await call.say('Hello?');
  await call.untilEnd();
  const count = call.facts.length;
  call.person.write(new Int16Array(frame_samples).fill(5000));
  await call.clock.pass(20_000);
  assert.equal(call.facts.length, count);
});

test('engines that fail in mid-call are replaced without dropping it', async () => {
  const events: string[] = [];
  const report = ({ layer, to }: EngineFallback) => void events.push(`${layer} > ${to}`);
  const failing = { llm: false, stt: false, tts: false };
  const first_stt = codedStt(async (pcm) => {
    if (failing.stt) throw new SttFailed('gone', { retryable: true });
    return hearCoded(pcm);
  });
  const first_tts: Tts = {
    ...codedTts(),
    async *speak(request) {
      if (failing.tts) throw new TtsFailed('gone', { retryable: true });
      yield* codedTts().speak(request);
    },
  };
  const first_llm: Llm = {
    name: 'first',
    capabilities: { tools: true },
    async *reply() {
      if (failing.llm) throw new LlmFailed('answered 401', { retryable: false });
      yield { text: 'I am the first.' };
    },
  };
  const call = callUp(
    {},
    {
      stt: fallbackStt([first_stt, { ...codedStt(), name: 'second' }], report),
      tts: fallbackTts([first_tts, { ...codedTts(), name: 'second' }], report),
      llm: fallbackLlm([first_llm, { ...scripted('I am the second.'), name: 'second' }], report),
    },
  );
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('first.'), 5000);
  await call.clock.pass(500);
  failing.llm = failing.stt = failing.tts = true;
  await call.say('Who are you now?');
  await call.clock.passUntil(() => call.heard().includes('I am the second.'), 5000);
  assert.equal(call.ended(), null);
  assert.deepEqual(events, ['stt > second', 'llm > second', 'tts > second']);
  assert.deepEqual(call.transcript().at(-1), 'person: Who are you now?');
});

test('a model that does not stop writing is not spoken to the end', async () => {
  let pieces = 0;
  const llm: Llm = {
    name: 'endless',
    capabilities: { tools: true },
    async *reply() {
      while (true) {
        pieces++;
        yield { text: 'And so on and on. ' };
      }
    },
  };
  const call = callUp({}, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.ok(pieces < 300, `${pieces} pieces were taken`);
  assert.match(call.heard(), /And so on and on/);
});

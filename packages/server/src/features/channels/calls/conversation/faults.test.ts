// Failures during a spoken call: the call ends properly and reports the reason.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codedStt, codedTts, hearCoded } from '../../../../../testing/coded-speech.ts';
import { scripted, startCall, tool } from '../../../../../testing/phone-call.ts';
import {
  type EngineFallback,
  fallbackLlm,
  fallbackStt,
  fallbackTts,
} from '../../../../providers/fallback.ts';
import { type Llm, LlmFailed } from '../../../../providers/llm/llm.ts';
import { frame_samples } from '../../../../providers/media/media-session.ts';
import { SttFailed } from '../../../../providers/stt/stt.ts';
import { type Tts, TtsFailed } from '../../../../providers/tts/tts.ts';

for (const [what, error] of [
  ['answers 401', new LlmFailed('answered 401', { retryable: false })],
  ['sends garbage', new LlmFailed('answered something that is no chat completion', { retryable: false })],
] as const) {
  test(`a model that ${what}: the agent apologizes, and the call fails with the reason`, async () => {
    const call = startCall({}, { llm: scripted(error) });
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

test('a model that hangs and ignores its signal does not block the call', async () => {
  const llm: Llm = {
    name: 'hangs',
    capabilities: { tools: true },
    async *reply() {
      await new Promise(() => {});
    },
  };
  const call = startCall({}, { llm });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.match(call.heard(), /technical problem/);
  assert.deepEqual([end.reason, end.detail], ['setup_error', 'llm: did not answer in time']);
});

test('U1: a model that stops in the middle of its reply does not leave the line silent for ever', async () => {
  const llm: Llm = {
    name: 'stalls',
    capabilities: { tools: true },
    async *reply() {
      yield { text: 'Good morning. I ' };
      await new Promise(() => {});
    },
  };
  const call = startCall({}, { llm });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.match(call.heard(), /^Good morning\..*technical problem/);
  assert.deepEqual([end.reason, end.detail], ['setup_error', 'llm: stopped in the middle of its reply']);
});

test('U1: a voice that never answers ends the call with the reason', async () => {
  const tts: Tts = {
    ...codedTts(),
    speak: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }),
    }),
  };
  const call = startCall({}, { tts });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.deepEqual([end.reason, end.detail], ['media_failure', 'tts: no sound within 30 s']);
});

test('a request to a model that is briefly overloaded is retried once', async () => {
  const llm = scripted(new LlmFailed('answered 503', { retryable: true }), 'Here I am.');
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard() === 'Here I am.', 5000);
});

test('the apology cannot be interrupted', async () => {
  const call = startCall({}, { llm: scripted(new LlmFailed('answered 401', { retryable: false })) });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('technical'), 5000);
  await call.say('What kind of problem is that?');
  assert.equal((await call.untilEnd()).reason, 'setup_error');
  assert.match(call.heard(), /Goodbye\.$/);
});

test('failing speech synthesis ends the call as failed', async () => {
  const tts: Tts = {
    ...codedTts(),
    // biome-ignore lint/correctness/useYield: fails before the first sound
    async *speak() {
      throw new TtsFailed('answered 500', { retryable: true });
    },
  };
  const call = startCall({}, { tts });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'tts: answered 500']);
});

test('when recognition fails once, the agent asks the person to repeat', async () => {
  let attempts = 0;
  const stt = codedStt(async (pcm) => {
    if (attempts++ === 0) throw new SttFailed('hung up', { retryable: true });
    return hearCoded(pcm);
  });
  const call = startCall({}, { stt, llm: scripted('Good morning.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().includes('say it again?'), 8000);
  await call.say('Hello, I said.');
  await call.clock.passUntil(() => call.heard().includes('Good morning.'), 5000);
});

test('recognition that keeps failing ends the call as failed', async () => {
  const stt = codedStt(async () => {
    throw new SttFailed('answered 401', { retryable: false });
  });
  const call = startCall({}, { stt });
  await call.say('Hello?');
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'stt: answered 401']);
});

test('the call ends at its maximum duration', async () => {
  const call = startCall({ max_duration_ms: 30_000 }, { llm: scripted('Tell me more.') });
  for (let i = 0; i < 12 && !call.ended(); i++) {
    await call.say('And another thing I want to say.');
    await call.clock.pass(2500);
  }
  assert.deepEqual([call.ended()!.reason, call.ended()!.duration_ms], ['max_duration', 30_000]);
});

test('when the person hangs up mid-turn, the transcript keeps what both sides heard', async () => {
  const call = startCall({}, { llm: scripted('I would like to tell you a long story about our company.') });
  await call.say('Hello?');
  await call.clock.passUntil(() => call.heard().length > 20, 5000);
  call.person.close();
  const end = await call.untilEnd();
  assert.deepEqual([end.outcome, end.reason], ['completed', 'callee_hangup']);
  const last = call.said().at(-1)!;
  assert.ok(last.is_interrupted && last.text.startsWith('I would like') && last.text.length < 40, last.text);

  const other = startCall();
  await other.say('Sorry, I must leave.');
  other.person.close();
  await other.untilEnd();
  assert.deepEqual(other.transcript(), ['person: Sorry, I must leave.']);
});

test('a hang-up by API, a force-close and a broken line end the call immediately', async () => {
  const by_api = startCall();
  by_api.hanging_up.abort();
  assert.equal((await by_api.untilEnd()).reason, 'api_hangup');
  assert.deepEqual(await by_api.person.closed, { by: 'them' });

  const by_force = startCall();
  by_force.hanging_up.abort('force_closed');
  assert.deepEqual(
    [(await by_force.untilEnd()).outcome, by_force.ended()!.reason],
    ['failed', 'force_closed'],
  );

  const broken = startCall();
  broken.line.fail('no packets for 30 s');
  const end = await broken.untilEnd();
  assert.deepEqual([end.outcome, end.reason, end.detail], ['failed', 'media_failure', 'no packets for 30 s']);
});

test('on an inbound call the agent speaks first, and the caller is never taken for a machine', async () => {
  const call = startCall({ direction: 'inbound', first_message: 'Acme, good morning.' });
  await call.clock.passUntil(() => call.heard() === 'Acme, good morning.', 1500);
  await call.say('My mailbox is full, leave a message.');
  await call.clock.pass(2000);
  assert.ok(!call.facts.some((fact) => fact.kind === 'answered_by'));
});

test('after the end nothing more is said or recognized', async () => {
  const call = startCall({}, { llm: scripted([{ text: 'Bye.' }, tool('end_call')]) });
  await call.say('Hello?');
  await call.untilEnd();
  const count = call.facts.length;
  call.person.write(new Int16Array(frame_samples).fill(5000));
  await call.clock.pass(20_000);
  assert.equal(call.facts.length, count);
});

test('engines that fail during a call are replaced without ending it', async () => {
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
  const call = startCall(
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

test('the reply of a model that does not stop writing is cut off', async () => {
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
  const call = startCall({}, { llm });
  await call.say('Hello?');
  await call.clock.pass(3000);
  assert.ok(pieces < 300, `${pieces} pieces were read`);
  assert.match(call.heard(), /And so on and on/);
});

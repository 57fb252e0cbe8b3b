// When a speech engine fails, the next one continues and the call has only a pause.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { Agent } from 'undici';
import { standIn } from '../../testing/stand-in.ts';
import { waitFor } from '../../testing/wait-for.ts';
import { type EngineFallback, fallbackLlm, fallbackStt, fallbackTts } from './fallback.ts';
import { llmRequest } from './llm/conformance.ts';
import { type Llm, LlmFailed, wholeReply } from './llm/llm.ts';
import { openAiCompatibleStt } from './stt/openai-compatible/index.ts';
import { type Stt, SttFailed } from './stt/stt.ts';
import { spoken } from './tts/conformance.ts';
import { type Tts, TtsFailed } from './tts/tts.ts';

function reports() {
  const events: EngineFallback[] = [];
  return { events, report: (event: EngineFallback) => void events.push(event) };
}
const llm = (name: string, reply: Llm['reply']): Llm => ({ name, capabilities: { tools: true }, reply });
const tts = (name: string, speak: Tts['speak']): Tts => ({
  name,
  capabilities: { streaming: true, languages: null, voices: [] },
  ready: async () => {},
  speak,
  close: async () => {},
});
/** Returns as text its name and the number of samples it received in the turn. */
const stt = (name: string, fails: () => boolean): Stt => ({
  name,
  capabilities: { streaming: true, languages: null },
  ready: async () => {},
  open() {
    let received = 0;
    return {
      push(pcm) {
        received += pcm.length;
      },
      async text() {
        if (fails()) throw new SttFailed('gone', { retryable: true });
        return `${name} ${received}`;
      },
      nextTurn() {
        received = 0;
      },
      close() {},
    };
  },
  isBehind: () => false,
  close: async () => {},
});

test('the second model answers when the first fails, and answers all later turns', async () => {
  const { events, report } = reports();
  let requests = 0;
  const both = fallbackLlm(
    [
      // biome-ignore lint/correctness/useYield: it fails before the first chunk
      llm('first', async function* () {
        requests++;
        throw new LlmFailed('answered 401', { retryable: false });
      }),
      llm('second', async function* () {
        yield { text: 'Here I am.' };
      }),
    ],
    report,
  );
  assert.equal((await wholeReply(both, llmRequest('Hello?'))).text, 'Here I am.');
  assert.equal((await wholeReply(both, llmRequest('Hello?'))).text, 'Here I am.');
  assert.equal(requests, 1);
  assert.deepEqual(events, [{ layer: 'llm', from: 'first', to: 'second', why: 'answered 401' }]);
});

test('a model that breaks off is continued, not repeated', async () => {
  const { report } = reports();
  const both = fallbackLlm(
    [
      llm('first', async function* () {
        yield { text: 'I would like ' };
        throw new LlmFailed('stopped', { retryable: true });
      }),
      llm('second', async function* ({ turns }) {
        yield { text: turns.at(-1)!.content === 'I would like ' ? 'an appointment.' : 'what?' };
      }),
    ],
    report,
  );
  assert.equal((await wholeReply(both, llmRequest('Hello?'))).text, 'I would like an appointment.');
});

test('when all engines fail, the last failure is reported', async () => {
  const broken = (name: string) =>
    // biome-ignore lint/correctness/useYield: it fails before the first chunk
    llm(name, async function* () {
      throw new LlmFailed(`${name} is down`, { retryable: true });
    });
  const both = fallbackLlm([broken('first'), broken('second')], () => {});
  await assert.rejects(wholeReply(both, llmRequest('Hello?')), /second is down/);
});

test('an interruption does not switch to the next engine', async () => {
  const { events, report } = reports();
  const both = fallbackLlm(
    [
      // biome-ignore lint/correctness/useYield: it fails before the first chunk
      llm('first', async function* () {
        throw new Error('interrupted');
      }),
      llm('second', async function* () {
        yield { text: 'no' };
      }),
    ],
    report,
  );
  await assert.rejects(wholeReply(both, llmRequest('Hello?')), /interrupted/);
  assert.deepEqual(events, []);
});

test('the second voice repeats the clause that the first could not finish', async () => {
  const { events, report } = reports();
  const both = fallbackTts(
    [
      tts('first', async function* () {
        yield new Int16Array(10);
        throw new TtsFailed('answered 500', { retryable: true });
      }),
      tts('second', async function* () {
        yield new Int16Array(100);
      }),
    ],
    report,
  );
  assert.equal((await spoken(both, 'Hello.')).length, 110);
  assert.equal((await spoken(both, 'Hello.')).length, 100);
  assert.equal(events.length, 1);
});

test('the second recognizer gets the whole turn, including audio from before the switch', async () => {
  const { events, report } = reports();
  let is_down = false;
  const both = fallbackStt([stt('first', () => is_down), stt('second', () => false)], report);
  const session = both.open({ language: 'en' });
  session.push(new Int16Array(100));
  assert.equal(await session.text(), 'first 100');
  session.nextTurn();
  session.push(new Int16Array(160));
  is_down = true;
  session.push(new Int16Array(160));
  const texts = await Promise.all([session.text(), session.text()]);
  assert.deepEqual(texts, ['second 320', 'second 320']);
  assert.equal(events.length, 1);
  session.nextTurn();
  session.push(new Int16Array(50));
  assert.equal(await session.text(), 'second 50');
});

test('stt: a request that is canceled because its turn or the call is over does not replace the engine', async () => {
  const { events, report } = reports();
  const bodies: ServerResponse[] = [];
  const { url } = await standIn((_, response) => void bodies.push(response));
  const agent = new Agent();
  after(() => agent.destroy());
  const vendor = openAiCompatibleStt({ agent, settings: { base_url: url, api_key: null, model: 'm' } });
  const session = fallbackStt([vendor, stt('second', () => false)], report).open({ language: 'es' });
  const answer = async (number: number, text: string) => {
    await waitFor('the request', () => bodies.length >= number);
    bodies[number - 1]!.end(JSON.stringify({ text }));
  };
  session.push(new Int16Array(800));
  const slow = session.text().catch((error: Error) => error.message);
  session.push(new Int16Array(800));
  await waitFor('the slow request', () => bodies.length === 1);
  const second = session.text();
  await answer(2, 'dos');
  assert.equal(await second, 'dos');
  session.nextTurn();
  assert.equal(await slow, 'The turn is over.');
  session.push(new Int16Array(800));
  const third = session.text();
  await answer(3, 'tres');
  assert.equal(await third, 'tres');
  session.push(new Int16Array(800));
  const last = session.text().catch((error: Error) => error.message);
  session.close();
  assert.equal(await last, 'The turn is over.');
  assert.deepEqual(events, []);
});

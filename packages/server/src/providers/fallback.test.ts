// One engine fails, the next goes on, and the call notices nothing but a pause.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EngineFallback, fallbackLlm, fallbackStt, fallbackTts } from './fallback.ts';
import { thought } from './llm/conformance.ts';
import { type Llm, LlmFailed, wholeReply } from './llm/llm.ts';
import { type Stt, SttFailed } from './stt/stt.ts';
import { spoken } from './tts/conformance.ts';
import { type Tts, TtsFailed } from './tts/tts.ts';

function reports() {
  const news: EngineFallback[] = [];
  return { news, report: (one: EngineFallback) => void news.push(one) };
}
const llm = (name: string, reply: Llm['reply']): Llm => ({ name, capabilities: { tools: true }, reply });
const tts = (name: string, speak: Tts['speak']): Tts => ({
  name,
  capabilities: { streaming: true, languages: null, voices: [] },
  ready: async () => {},
  speak,
  close: async () => {},
});
/** Its text is how many samples it heard in the turn. */
const stt = (name: string, fails: () => boolean): Stt => ({
  name,
  capabilities: { streaming: true, languages: null },
  ready: async () => {},
  open() {
    let heard = 0;
    return {
      push(pcm) {
        heard += pcm.length;
      },
      async text() {
        if (fails()) throw new SttFailed('gone', { retryable: true });
        return `${name} ${heard}`;
      },
      nextTurn() {
        heard = 0;
      },
      close() {},
    };
  },
  isBehind: () => false,
  close: async () => {},
});

test('the second model answers when the first refuses, and keeps answering', async () => {
  const { news, report } = reports();
  let asked = 0;
  const both = fallbackLlm(
    [
      // biome-ignore lint/correctness/useYield: it fails before the first piece
      llm('first', async function* () {
        asked++;
        throw new LlmFailed('answered 401', { retryable: false });
      }),
      llm('second', async function* () {
        yield { text: 'Here I am.' };
      }),
    ],
    report,
  );
  assert.equal((await wholeReply(both, thought('Hello?'))).text, 'Here I am.');
  assert.equal((await wholeReply(both, thought('Hello?'))).text, 'Here I am.');
  assert.equal(asked, 1);
  assert.deepEqual(news, [{ layer: 'llm', from: 'first', to: 'second', why: 'answered 401' }]);
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
  assert.equal((await wholeReply(both, thought('Hello?'))).text, 'I would like an appointment.');
});

test('when all have failed the last failure is told', async () => {
  const broken = (name: string) =>
    // biome-ignore lint/correctness/useYield: it fails before the first piece
    llm(name, async function* () {
      throw new LlmFailed(`${name} is down`, { retryable: true });
    });
  const both = fallbackLlm([broken('first'), broken('second')], () => {});
  await assert.rejects(wholeReply(both, thought('Hello?')), /second is down/);
});

test('an interruption is no failure', async () => {
  const { news, report } = reports();
  const both = fallbackLlm(
    [
      // biome-ignore lint/correctness/useYield: it fails before the first piece
      llm('first', async function* () {
        throw new Error('interrupted');
      }),
      llm('second', async function* () {
        yield { text: 'no' };
      }),
    ],
    report,
  );
  await assert.rejects(wholeReply(both, thought('Hello?')), /interrupted/);
  assert.deepEqual(news, []);
});

test('the second voice says the clause that the first could not', async () => {
  const { news, report } = reports();
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
  assert.equal(news.length, 1);
});

test('the second ear hears the whole turn, also what came before it took over', async () => {
  const { news, report } = reports();
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
  assert.equal(news.length, 1);
  session.nextTurn();
  session.push(new Int16Array(50));
  assert.equal(await session.text(), 'second 50');
});

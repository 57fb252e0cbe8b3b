// Reasoning between tags is never part of a reply, however the text is split into chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LlmChunk } from './llm.ts';
import { withoutReasoning } from './reasoning-filter.ts';

async function* chunksOf(texts: readonly string[]): AsyncIterable<LlmChunk> {
  for (const text of texts) yield { text };
}

async function filtered(texts: readonly string[]): Promise<string> {
  let all = '';
  for await (const chunk of withoutReasoning(chunksOf(texts))) if ('text' in chunk) all += chunk.text;
  return all;
}

const cases: [string, string][] = [
  ['<think>They want Tuesday.</think>Tuesday, please.', 'Tuesday, please.'],
  ['<THINK>a</THINK>\n\nGood morning.', 'Good morning.'],
  ['Well. <thinking>x < y</thinking>Yes.', 'Well. Yes.'],
  ['<reasoning>a</think> b</reasoning>Done.', 'Done.'],
  ['It is 3 < 4 and <b>bold</b>.', 'It is 3 < 4 and <b>bold</b>.'],
  ['<think>It never ends', ''],
  ['a <thin', 'a <thin'],
];

test('blocks are removed, and everything else stays', async () => {
  for (const [text, expected] of cases) assert.equal(await filtered([text]), expected, text);
});

test('the result does not depend on where the text is split', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...cases), fc.array(fc.nat(50)), async ([text, expected], cuts) => {
      const ends = [...new Set([...cuts.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b);
      const parts = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
      assert.equal((await filtered(parts)).trim(), expected.trim());
    }),
  );
});

test('a tool call keeps its position behind the text before it', async () => {
  async function* chunks(): AsyncIterable<LlmChunk> {
    yield { text: 'Bye <' };
    yield { tool_call: { call_id: '1', name: 'end_call', arguments: {} } };
  }
  const kinds: string[] = [];
  for await (const chunk of withoutReasoning(chunks())) kinds.push('text' in chunk ? chunk.text : 'tool');
  assert.deepEqual(kinds, ['Bye ', '<', 'tool']);
});

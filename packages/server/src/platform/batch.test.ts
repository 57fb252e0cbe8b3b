// Batching: inputs that arrive together share a flush, and a bad input fails alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batched } from './batch.ts';

test('inputs that arrive together are flushed together, each with its own result', async () => {
  const sizes: number[] = [];
  const add = batched<number, number>(async (inputs) => {
    sizes.push(inputs.length);
    return inputs.map((input) => input * 2);
  });
  assert.deepEqual(await Promise.all([1, 2, 3].map(add)), [2, 4, 6]);
  assert.deepEqual(sizes, [3]);
});

test('inputs that arrive during a flush wait for the next one, and no batch exceeds the maximum', async () => {
  const sizes: number[] = [];
  const gate = Promise.withResolvers<void>();
  const add = batched<number, number>(
    async (inputs) => {
      sizes.push(inputs.length);
      await gate.promise;
      return inputs;
    },
    { max_rows: 4, max_flushes: 1 },
  );
  const first = add(0);
  await new Promise(setImmediate);
  const rest = Array.from({ length: 10 }, (_, i) => add(i));
  gate.resolve();
  await Promise.all([first, ...rest]);
  assert.deepEqual(sizes, [1, 4, 4, 2]);
});

test('a full batch is flushed immediately, and the rest after it', async () => {
  const groups: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const add = batched<number, number>(
    async (inputs) => {
      groups.push(inputs);
      await gate.promise;
      return inputs;
    },
    { max_rows: 2 },
  );
  const all = [1, 2, 3, 4, 5].map(add);
  assert.deepEqual(groups, [
    [1, 2],
    [3, 4],
  ]);
  gate.resolve();
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4, 5]);
  assert.deepEqual(groups.at(-1), [5]);
});

test('one bad input fails alone', async () => {
  const add = batched<string, string>(async (inputs) => {
    if (inputs.includes('bad')) throw new Error('no');
    return inputs;
  });
  const answers = await Promise.allSettled(['a', 'bad', 'b'].map(add));
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

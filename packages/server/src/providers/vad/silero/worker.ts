// Worker thread of Silero: runs a batch of windows, each with the state of its own call.
import { type Model, openModel, Tensor } from '../../../platform/onnx.ts';
import { handleTasks } from '../../../platform/thread-pool.ts';
import {
  context_samples,
  type Judged,
  memory_size,
  state_size,
  type Windows,
  weights,
  window_samples,
} from './network.ts';

const network: Promise<Model> = openModel(weights);
const rate = new Tensor('int64', BigInt64Array.of(8000n), []);
const input_size = context_samples + window_samples;

handleTasks<Windows, Judged>(async ({ windows, counts, states }) => {
  const probabilities = new Float32Array(windows.length / window_samples);
  const starts: number[] = [];
  let start = 0;
  for (const count of counts) {
    starts.push(start);
    start += count;
  }
  // Each step takes the next window of every call that has one left.
  for (let step = 0; step < Math.max(...counts); step++) {
    const calls = counts.flatMap((count, call) => (step < count ? [call] : []));
    const at = calls.map((call) => starts[call]! + step);
    const judged = await runStep(windows, at, calls, states);
    judged.forEach((probability, i) => {
      probabilities[at[i]!] = probability;
    });
  }
  return { result: { probabilities, states }, transfer: [states.buffer] };
});

/** Runs the network once: on the windows `at` these places, each with the state of its call, which it updates. */
async function runStep(
  windows: Int16Array,
  at: readonly number[],
  calls: readonly number[],
  states: Float32Array,
): Promise<Float32Array> {
  const count = calls.length;
  const input = new Float32Array(count * input_size);
  const memory = new Float32Array(2 * count * memory_size);
  for (let i = 0; i < count; i++) {
    const state = states.subarray(calls[i]! * state_size, (calls[i]! + 1) * state_size);
    for (const layer of [0, 1]) {
      const layer_state = state.subarray(layer * memory_size, (layer + 1) * memory_size);
      memory.set(layer_state, (layer * count + i) * memory_size);
    }
    input.set(state.subarray(2 * memory_size), i * input_size);
    for (let k = 0; k < window_samples; k++) {
      input[i * input_size + context_samples + k] = windows[at[i]! * window_samples + k]! / 32_768;
    }
  }
  const result = await (await network).run({
    input: new Tensor('float32', input, [count, input_size]),
    state: new Tensor('float32', memory, [2, count, memory_size]),
    sr: rate,
  });
  const next = result.stateN!.data as Float32Array;
  for (let i = 0; i < count; i++) {
    const to = calls[i]! * state_size;
    for (const layer of [0, 1]) {
      const from = (layer * count + i) * memory_size;
      states.set(next.subarray(from, from + memory_size), to + layer * memory_size);
    }
    const end = (i + 1) * input_size;
    states.set(input.subarray(end - context_samples, end), to + 2 * memory_size);
  }
  return Float32Array.from(result.output!.data as Float32Array);
}

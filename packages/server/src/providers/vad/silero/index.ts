// VAD vendor Silero v6 on a worker thread. Windows of many calls are batched into one run of the network.
import { lazy } from '../../../platform/lazy.ts';
import { requireSpeech } from '../../../platform/package-file.ts';
import { type ThreadPool, threadPool } from '../../../platform/thread-pool.ts';
import type { Vad } from '../vad.ts';
import { type Judged, state_size, type Windows, window_samples } from './network.ts';

/** A window with a louder sample is more than line noise. */
const audible = 12;
/** After this many silent windows the network's result does not change any more, so it is not run. */
const settling_windows = 8;
const max_calls = 32;
/** Of one call in one message: after a stall the thread catches up without an answer for each window. */
const max_windows = 16;

type Waiting = { window: Int16Array; resolve(probability: number): void; reject(error: Error): void };
type Call = { state: Float32Array; waiting: Waiting[] };

export function sileroVad(): Vad {
  const pool = threadPool<Windows, Judged>({
    name: 'vad',
    file: new URL('./worker.ts', import.meta.url),
    threads: 1,
    max_waiting: 4,
  });
  /** Calls with windows that wait. */
  const calls = new Set<Call>();
  let is_running = false;

  /** Collects the next batch while one is running. */
  const run = async () => {
    if (is_running) return;
    is_running = true;
    while (calls.size > 0) {
      const batch = nextBatch(calls);
      try {
        await judge(pool, batch);
      } catch (error) {
        for (const { taken } of batch) for (const { reject } of taken) reject(error as Error);
      }
    }
    is_running = false;
  };

  return {
    name: 'silero',
    capabilities: { window_samples },
    ready: lazy(async () => {
      requireSpeech();
      const [windows, states] = [new Int16Array(window_samples), new Float32Array(state_size)];
      await pool.run({ windows, counts: [1], states });
    }),
    open() {
      const call: Call = { state: new Float32Array(state_size), waiting: [] };
      let silent_windows = settling_windows;
      return {
        judge(window) {
          const is_audible = window.some((sample) => sample > audible || sample < -audible);
          silent_windows = is_audible ? 0 : silent_windows + 1;
          if (silent_windows > settling_windows) return Promise.resolve(0);
          return new Promise<number>((resolve, reject) => {
            call.waiting.push({ window, resolve, reject });
            calls.add(call);
            void run();
          });
        },
        close() {
          calls.delete(call);
          for (const { resolve } of call.waiting.splice(0)) resolve(0);
        },
      };
    },
    close: pool.close,
  };
}

type Batch = { call: Call; taken: Waiting[] }[];

/** Calls whose windows do not fit wait behind the others. */
function nextBatch(calls: Set<Call>): Batch {
  const batch: Batch = [];
  for (const call of calls) {
    if (batch.length === max_calls) break;
    calls.delete(call);
    batch.push({ call, taken: call.waiting.splice(0, max_windows) });
  }
  for (const { call } of batch) if (call.waiting.length > 0) calls.add(call);
  return batch;
}

async function judge(pool: ThreadPool<Windows, Judged>, batch: Batch): Promise<void> {
  const all = batch.flatMap(({ taken }) => taken);
  const windows = new Int16Array(all.length * window_samples);
  const states = new Float32Array(batch.length * state_size);
  all.forEach(({ window }, i) => {
    windows.set(window, i * window_samples);
  });
  batch.forEach(({ call }, i) => {
    states.set(call.state, i * state_size);
  });
  const counts = batch.map(({ taken }) => taken.length);
  const judged = await pool.run({ windows, counts, states }, { transfer: [windows.buffer, states.buffer] });
  batch.forEach(({ call }, i) => {
    call.state = judged.states.slice(i * state_size, (i + 1) * state_size);
  });
  all.forEach(({ resolve }, i) => {
    resolve(judged.probabilities[i]!);
  });
}

// VAD vendor Silero v6 on a worker thread. Windows of many calls are batched into one run of the network.
import { lazy } from '../../../platform/lazy.ts';
import { requireSpeech } from '../../../platform/package-file.ts';
import { threadPool } from '../../../platform/thread-pool.ts';
import type { Vad } from '../vad.ts';
import { type Judged, state_size, type Windows, window_samples } from './network.ts';

/** A window with a louder sample is more than line noise. */
const audible = 12;
/** After this many silent windows the network's result does not change any more, so it is not run. */
const settling_windows = 8;
const max_batch = 32;

type Request = {
  window: Int16Array;
  state: Float32Array;
  resolve: (judged: { probability: number; state: Float32Array }) => void;
  reject: (error: Error) => void;
};

export function sileroVad(): Vad {
  const pool = threadPool<Windows, Judged>({
    name: 'vad',
    file: new URL('./worker.ts', import.meta.url),
    threads: 1,
    max_waiting: 4,
  });
  const requests: Request[] = [];
  let is_running = false;

  /** Collects the next batch while one is running. */
  const run = async () => {
    if (is_running) return;
    is_running = true;
    while (requests.length > 0) {
      const batch = requests.splice(0, max_batch);
      const windows = new Int16Array(batch.length * window_samples);
      const states = new Float32Array(batch.length * state_size);
      batch.forEach(({ window, state }, i) => {
        windows.set(window, i * window_samples);
        states.set(state, i * state_size);
      });
      try {
        const judged = await pool.run({ windows, states }, { transfer: [windows.buffer, states.buffer] });
        batch.forEach(({ resolve }, i) => {
          resolve({
            probability: judged.probabilities[i]!,
            state: judged.states.slice(i * state_size, (i + 1) * state_size),
          });
        });
      } catch (error) {
        for (const { reject } of batch) reject(error as Error);
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
      await pool.run({ windows, states });
    }),
    open() {
      let state: Float32Array = new Float32Array(state_size);
      let silent_windows = settling_windows;
      return {
        async judge(window) {
          const is_audible = window.some((sample) => sample > audible || sample < -audible);
          silent_windows = is_audible ? 0 : silent_windows + 1;
          if (silent_windows > settling_windows) return 0;
          const judged = await new Promise<{ probability: number; state: Float32Array }>(
            (resolve, reject) => {
              requests.push({ window, state, resolve, reject });
              void run();
            },
          );
          state = judged.state;
          return judged.probability;
        },
        close() {},
      };
    },
    close: pool.close,
  };
}

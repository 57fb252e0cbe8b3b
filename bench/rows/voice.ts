// Spoken calls: the service's share of the reply delay, of an interruption and of memory, and a call with offline engines.
import type { Row, Run } from '../harness.ts';
import type { VoiceQuestion } from '../voice-calls.ts';

const calls = 40;

const percentile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
};

/** Measures in a separate process, and compares the value with a fixed limit. */
function allowed(
  figure: Pick<Row, 'name' | 'subject' | 'unit' | 'rounds'>,
  limit: number,
  question: VoiceQuestion,
  choose: (values: number[]) => number,
): Row {
  return {
    ...figure,
    limit: 'allowed',
    target: { comparison: '<=', ratio: 1 },
    warm_up: false,
    async prepare({ stage }: Run) {
      const side = stage.startSide<VoiceQuestion, number[]>(new URL('../voice-calls.ts', import.meta.url));
      return {
        limit: async () => ({ value: limit }),
        subject: async () => ({ value: choose(await side.ask(question)) }),
      };
    },
  };
}

const median = (values: number[]) => percentile(values, 0.5);
const few = { quick: 2, normal: 3, full: 5 };

export const voiceRows: Row[] = [
  allowed(
    {
      name: 'voice-turn',
      subject: `our share of the reply delay, ${calls} calls, p50`,
      unit: 'ms',
      rounds: few,
    },
    10,
    { measure: 'turns', calls, turns: 4 },
    median,
  ),
  allowed(
    {
      name: 'voice-turn-p99',
      subject: `our share of the reply delay, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few,
    },
    25,
    { measure: 'turns', calls, turns: 4 },
    (values) => percentile(values, 0.99),
  ),
  allowed(
    {
      name: 'voice-interruption',
      subject: `from the interrupting frame to silence, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few,
    },
    20,
    { measure: 'interruptions', calls },
    (values) => percentile(values, 0.99),
  ),
  {
    name: 'voice-growth',
    subject: 'processor time of a spoken call among 200',
    limit: 'of a spoken call among 100',
    unit: 'µs/s',
    target: { comparison: '<=', ratio: 1.2 },
    rounds: few,
    async prepare({ stage }) {
      const side = stage.startSide<VoiceQuestion, number[]>(new URL('../voice-calls.ts', import.meta.url));
      const cost = (calls: number) => async () => {
        const [value] = await side.ask({ measure: 'processor', calls, turns: 4 });
        return { value: value! };
      };
      // Not compared with one call, which pays for every wake-up of the process alone.
      return { limit: cost(100), subject: cost(200) };
    },
  },
  allowed(
    { name: 'voice-memory', subject: 'memory of a call without the engines', unit: 'KiB', rounds: few },
    64,
    { measure: 'memory', calls: 200 },
    ([bytes]) => bytes! / 1024,
  ),
  allowed(
    {
      name: 'voice-offline',
      subject: 'reply delay in a call with the offline engines, p50',
      unit: 'ms',
      rounds: { quick: 1, normal: 1, full: 3 },
    },
    1000,
    { measure: 'offline' },
    median,
  ),
];

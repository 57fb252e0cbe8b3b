// Spoken calls: our own share of an answer's delay, of an interruption and of the memory, and a call without an account.
import type { Row, Run } from '../harness.ts';
import type { VoiceQuestion } from '../voice-calls.ts';

const calls = 40;

const percentile = (values: number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
};

/** Asks a process of its own, and judges the figure against what is allowed. */
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
      subject: `our share of an answer’s delay, ${calls} calls, p50`,
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
      subject: `our share of an answer’s delay, ${calls} calls, p99`,
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
      subject: `from the deciding sound to silence, ${calls} calls, p99`,
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
      // Not against one alone, which pays for every waking of the process by itself.
      return { limit: cost(100), subject: cost(200) };
    },
  },
  allowed(
    { name: 'voice-memory', subject: 'memory of a call beyond the engines', unit: 'KiB', rounds: few },
    64,
    { measure: 'memory', calls: 200 },
    ([bytes]) => bytes! / 1024,
  ),
  allowed(
    {
      name: 'voice-offline',
      subject: 'answer’s delay in a call without an account, p50',
      unit: 'ms',
      rounds: { quick: 1, normal: 1, full: 3 },
    },
    1000,
    { measure: 'offline' },
    median,
  ),
];

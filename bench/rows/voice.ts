// Spoken calls: the service's share of the reply delay, of an interruption and of memory, and a call with offline engines.
import type { Row } from '../harness.ts';
import type { VoiceQuestion } from '../voice-calls.ts';
import { allowedIn, few_rounds as few, percentile } from './allowed.ts';

const calls = 40;
const voice_calls = new URL('../voice-calls.ts', import.meta.url);
const allowed = allowedIn<VoiceQuestion>(voice_calls);
const median = (values: number[]) => percentile(values, 0.5);

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
      name: 'voice-tool-turn',
      subject: `our share of the reply delay with one tool call, ${calls} calls, p50`,
      unit: 'ms',
      rounds: few,
    },
    25,
    { measure: 'tool_turns', calls, turns: 4 },
    median,
  ),
  allowed(
    {
      name: 'voice-tool-turn-p99',
      subject: `our share of the reply delay with one tool call, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few,
    },
    60,
    { measure: 'tool_turns', calls, turns: 4 },
    (values) => percentile(values, 0.99),
  ),
  allowed(
    {
      name: 'voice-filler',
      subject: `until a wait for a tool is filled, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few,
    },
    740,
    { measure: 'fillers', calls },
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
      const side = stage.startSide<VoiceQuestion, number[]>(voice_calls);
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

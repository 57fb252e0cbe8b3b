// Transferred calls and calls with a relay: the delay of a bridge, its processor time, and the answer of a relay.
import type { BridgeQuestion } from '../bridged-calls.ts';
import type { Row } from '../harness.ts';
import { allowedIn, few_rounds, percentile } from './allowed.ts';

const calls = 40;
const bridged_calls = new URL('../bridged-calls.ts', import.meta.url);
const allowed = allowedIn<BridgeQuestion>(bridged_calls);
const relay_question = { measure: 'relay_turns', calls, turns: 4 } as const;

export const bridgedCallRows: Row[] = [
  allowed(
    {
      name: 'voice-bridge',
      subject: `delay that a bridge adds in one direction, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few_rounds,
      fixed_time: true,
    },
    60,
    { measure: 'bridge_delay', calls, seconds: 4 },
    (values) => percentile(values, 0.99),
  ),
  {
    name: 'voice-bridge-cpu',
    subject: `processor time of one of ${calls} bridged calls`,
    limit: 'of two lines that are only listened to',
    unit: 'µs/s',
    target: { comparison: '<=', ratio: 1.3 },
    rounds: few_rounds,
    async prepare({ stage }) {
      const side = stage.startSide<BridgeQuestion, number[]>(bridged_calls);
      const cost = (measure: 'bridge_processor' | 'pair_processor') => async () => {
        const [value] = await side.ask({ measure, calls, seconds: 4 });
        return { value: value! };
      };
      return { limit: cost('pair_processor'), subject: cost('bridge_processor') };
    },
  },
  allowed(
    {
      name: 'relay-turn',
      subject: `prompt to the first frame of a relay’s answer, ${calls} calls, p50`,
      unit: 'ms',
      rounds: few_rounds,
      fixed_time: true,
    },
    15,
    relay_question,
    (values) => percentile(values, 0.5),
  ),
  allowed(
    {
      name: 'relay-turn-p99',
      subject: `prompt to the first frame of a relay’s answer, ${calls} calls, p99`,
      unit: 'ms',
      rounds: few_rounds,
      fixed_time: true,
    },
    40,
    relay_question,
    (values) => percentile(values, 0.99),
  ),
];

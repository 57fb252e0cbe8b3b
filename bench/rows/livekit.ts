// Calls over LiveKit: what one process carries, and the memory of rooms that were left. Only where LiveKit's servers are on PATH.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  inOwnNetwork,
  own_network_is_missing,
} from '../../packages/server/src/providers/carrier/livekit/testing/own-network.ts';
import { livekit_is_missing } from '../../packages/server/src/providers/carrier/livekit/testing/stack.ts';
import type { Row, Run, Side } from '../harness.ts';

/** Few: the servers and the phones share the machine with the measured process. */
const calls = 8;
const joins = 1000;
const allowed_mb = 50;
const program = fileURLToPath(new URL('../limits/livekit-rooms.ts', import.meta.url));

async function measure<T>(...parameters: string[]): Promise<T> {
  const [command, args] = inOwnNetwork([process.execPath, '--expose-gc', program, ...parameters]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`livekit-rooms.ts ended with ${code}: ${output}`);
  return JSON.parse(output.trim().split('\n').at(-1)!) as T;
}

type Carried = { cpu_us_per_call_second: number; in_time: number; received: number };

/** Calls that one core could carry. */
const carry =
  ({ window_ms }: Run, events: 'routed' | 'plain'): Side =>
  async () => {
    const { cpu_us_per_call_second, in_time, received } = await measure<Carried>(
      'calls',
      String(calls),
      events,
      String(window_ms),
    );
    if (events === 'routed' && in_time < 0.99)
      throw new Error(`only ${(100 * in_time).toFixed(1)} % of the frames came in time`);
    if (received < 0.9) throw new Error(`only ${(100 * received).toFixed(1)} % of the frames came`);
    return { value: 1_000_000 / cpu_us_per_call_second, cpu_us_per_op: cpu_us_per_call_second };
  };

const rows: Row[] = [
  {
    name: 'livekit-calls',
    subject: `calls over LiveKit, ${calls} at once, 99 % of the frames in time`,
    limit: 'events delivered by the library itself',
    unit: 'calls per core',
    target: { comparison: '>=', ratio: 1 },
    rounds: { quick: 1, normal: 1, full: 2 },
    warm_up: false,
    prepare: async (run) => ({ limit: carry(run, 'plain'), subject: carry(run, 'routed') }),
  },
  {
    name: 'livekit-rooms',
    subject: `memory after ${joins} LiveKit rooms were joined and left`,
    limit: 'allowed growth',
    unit: 'MB',
    target: { comparison: '<=', ratio: 1 },
    rounds: { quick: 1, normal: 1, full: 1 },
    warm_up: false,
    undisturbed: true,
    prepare: async () => ({
      limit: async () => ({ value: allowed_mb }),
      async subject() {
        const { grown_bytes } = await measure<{ grown_bytes: number }>('joins', String(joins));
        return { value: Math.max(0, grown_bytes / 1_000_000) };
      },
    }),
  },
];

const missing = livekit_is_missing || own_network_is_missing;
/** Empty where the servers are missing; `main.ts` says so. */
export const livekitRows: readonly Row[] = missing ? [] : rows;
export const livekit_skipped = missing
  ? `Skipped: ${rows.map(({ name }) => name).join(', ')} (${missing}).`
  : null;

// Call audio over carriers' WebSockets: the cost of a call with our sessions and with bare sockets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Run, Sample } from '../harness.ts';
import type { MediaCarrier } from '../limits/media-carrier.ts';
import type { MediaRelayQuestion, MediaRelayResult } from '../limits/media-relay.ts';
import type { MediaSockets, MediaSocketsResult } from '../limits/media-sockets.ts';
import type { SideProcess } from '../side-process.ts';

const many_calls = 100;
/** Fewer: five processes share the machine. */
const relayed_calls = 40;
const frames_a_second = 50;

type Relay = SideProcess<MediaRelayQuestion, MediaRelayResult>;

async function sockets(
  run: Run,
  kind: 'sessions' | 'bare',
  calls: number,
  /** The carrier connects to it instead, and it relays to the server. */
  relay?: Relay,
): Promise<() => Promise<Sample>> {
  const server = run.stage.startSide<MediaSockets, MediaSocketsResult>(
    new URL('../limits/media-sockets.ts', import.meta.url),
  );
  const carrier = run.stage.startSide<MediaCarrier, number>(
    new URL('../limits/media-carrier.ts', import.meta.url),
  );
  const { port, tokens } = await server.ask({ do: 'listen', kind, calls });
  const entry = relay ? await relay.ask({ do: 'listen', leader_port: port }) : { port };
  await carrier.ask({
    url: `ws://127.0.0.1:${entry.port}/`,
    tokens: kind === 'sessions' ? tokens : Array.from({ length: calls }, () => null),
  });
  return async () => {
    await server.ask({ do: 'count' });
    const started = performance.now();
    await sleep(run.window_ms);
    const { received, sent, cpu_us } = await server.ask({ do: 'count' });
    const expected = (calls * frames_a_second * (performance.now() - started)) / 1000;
    if (received < expected * 0.9)
      throw new Error(`${received} of ${Math.round(expected)} frames were received`);
    // Two messages per 100 ms of audio.
    if (sent < expected * 0.36)
      throw new Error(`${sent} messages were sent instead of ${Math.round(expected * 0.4)}`);
    return { value: received / (cpu_us / 1_000_000) / frames_a_second, cpu_us_per_op: cpu_us / received };
  };
}

const startRelay = (run: Run): Relay =>
  run.stage.startSide<MediaRelayQuestion, MediaRelayResult>(
    new URL('../limits/media-relay.ts', import.meta.url),
  );

/** The calls that one core could relay, while a leader carries them. */
async function relaying(run: Run): Promise<() => Promise<Sample>> {
  const relay = startRelay(run);
  const carried = await sockets(run, 'sessions', relayed_calls, relay);
  return async () => {
    await relay.ask({ do: 'count' });
    const started = performance.now();
    await carried();
    const { relayed, cpu_us } = await relay.ask({ do: 'count' });
    if (relayed !== relayed_calls) throw new Error(`${relayed} of ${relayed_calls} sockets are relayed`);
    const seconds = (performance.now() - started) / 1000;
    return {
      value: relayed_calls / (cpu_us / 1_000_000 / seconds),
      cpu_us_per_op: cpu_us / seconds / relayed_calls,
    };
  };
}

export const mediaSocketRows: Row[] = [
  {
    name: 'media-sockets',
    subject: `calls a core over carriers’ WebSockets, ${many_calls} at once`,
    limit: 'bare sockets, same messages',
    unit: 'calls',
    target: { comparison: '>=', ratio: 0.7 },
    async prepare(run) {
      return {
        limit: await sockets(run, 'bare', many_calls),
        subject: await sockets(run, 'sessions', many_calls),
      };
    },
  },
  {
    name: 'relay-calls',
    subject: `calls a core whose audio another process relays, ${relayed_calls} at once`,
    limit: 'the same, not relayed',
    unit: 'calls',
    target: { comparison: '>=', ratio: 0.8 },
    async prepare(run) {
      return {
        limit: await sockets(run, 'sessions', relayed_calls),
        subject: await sockets(run, 'sessions', relayed_calls, startRelay(run)),
      };
    },
  },
  {
    name: 'relay-process',
    subject: `calls a core of the process that relays, ${relayed_calls} at once`,
    limit: 'calls a core, not relayed',
    unit: 'calls',
    target: { comparison: '>=', ratio: 0.8 },
    async prepare(run) {
      return { limit: await sockets(run, 'sessions', relayed_calls), subject: await relaying(run) };
    },
  },
];

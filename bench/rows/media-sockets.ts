// Call audio over carriers' WebSockets: the cost of a call with our sessions and with bare sockets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Run, Sample } from '../harness.ts';
import type { MediaCarrier } from '../limits/media-carrier.ts';
import type { MediaSockets, MediaSocketsResult } from '../limits/media-sockets.ts';

const calls = 100;
const frames_a_second = 50;

async function sockets(run: Run, kind: 'sessions' | 'bare'): Promise<() => Promise<Sample>> {
  const server = run.stage.startSide<MediaSockets, MediaSocketsResult>(
    new URL('../limits/media-sockets.ts', import.meta.url),
  );
  const carrier = run.stage.startSide<MediaCarrier, number>(
    new URL('../limits/media-carrier.ts', import.meta.url),
  );
  const { port, tokens } = await server.ask({ do: 'listen', kind, calls });
  await carrier.ask({
    url: `ws://127.0.0.1:${port}/`,
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

export const mediaSocketRows: Row[] = [
  {
    name: 'media-sockets',
    subject: `calls a core over carriers’ WebSockets, ${calls} at once`,
    limit: 'bare sockets, same messages',
    unit: 'calls',
    target: { comparison: '>=', ratio: 0.7 },
    async prepare(run) {
      return { limit: await sockets(run, 'bare'), subject: await sockets(run, 'sessions') };
    },
  },
];

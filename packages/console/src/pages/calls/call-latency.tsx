// How long each reply of the agent took, and how the time was spent.
import type { CallTurn } from '@parley/sdk';
import { lazy, Suspense, useMemo } from 'react';
import { Card } from '../../parts/page.tsx';

type Timings = NonNullable<CallTurn['timings']>;
const whole = (timings: Timings) =>
  Object.fromEntries(Object.entries(timings).map(([name, ms]) => [name, Math.round(ms)])) as Timings;

const Plot = lazy(() => import('../../parts/plot.tsx').then(({ Plot }) => ({ default: Plot })));

export function CallLatency({ turns }: { turns: readonly CallTurn[] }) {
  const timed = useMemo(() => turns.flatMap(({ timings }) => (timings ? [whole(timings)] : [])), [turns]);
  const positions = useMemo(() => timed.map((_, index) => index + 1), [timed]);
  const lines = useMemo(
    () => [
      { label: 'Until the first sound', color: '#5660d8', values: timed.map(({ total_ms }) => total_ms) },
      {
        label: 'Detecting the end of speech',
        color: '#c98a12',
        values: timed.map(({ endpoint_ms }) => endpoint_ms),
      },
      {
        label: 'First token of the model',
        color: '#1f9d62',
        values: timed.map(({ first_token_ms }) => first_token_ms),
      },
    ],
    [timed],
  );
  if (timed.length === 0) return null;
  const sorted = timed.map(({ total_ms }) => total_ms).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  return (
    <Card title="Turn latency" actions={<span className="small muted">median {median} ms</span>}>
      <Suspense fallback={<div style={{ height: 200 }} />}>
        <Plot
          times={positions}
          lines={lines}
          height={180}
          unit=" ms"
          summary={`Response time of the agent: ${sorted.length} replies, median ${median} ms, slowest ${sorted.at(-1)} ms.`}
        />
      </Suspense>
    </Card>
  );
}

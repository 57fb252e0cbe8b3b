// Metrics without the library's own counters: those take a twentieth of the time of a small request.
import type { Metric, Registry } from 'prom-client';

type Description<Label extends string> = { name: string; help: string; labels: readonly Label[] };
type Labels = Record<string, string | number>;
type MetricType = 'counter' | 'gauge' | 'histogram';
export type Sample = { metricName?: string; labels: Labels; value: number };

/** `counts` holds a place for each bound and one above all. */
export type Buckets = { counts: number[]; sum_ms: number };

/** Registers something that computes its samples when it is scraped. */
export function register(
  registry: Registry,
  metric: { name: string; help: string; type: MetricType; samples(): Sample[] | Promise<Sample[]> },
): void {
  const { name, help, type, samples } = metric;
  // The library asks a metric for nothing but these fields when it writes the exposition.
  const get = async () => ({ name, help, type, aggregator: 'sum', values: await samples() });
  registry.registerMetric({ name, get } as unknown as Metric);
}

/** Returns the function that counts one; its label values must come from small, closed sets. */
export function counter<Label extends string>(
  registry: Registry,
  { name, help, labels }: Description<Label>,
  initial: readonly string[][] = [],
): (...values: string[]) => void {
  const series = new Map<string, { labels: Labels; value: number }>();
  const seriesOf = (values: string[]) => {
    const key = values.join(' ');
    let found = series.get(key);
    if (!found) {
      found = { labels: Object.fromEntries(labels.map((label, at) => [label, values[at]!])), value: 0 };
      series.set(key, found);
    }
    return found;
  };
  // A series that begins with its first count hides that count from rate().
  for (const values of initial) seriesOf(values);
  register(registry, { name, help, type: 'counter', samples: () => [...series.values()] });
  return (...values) => {
    seriesOf(values).value++;
  };
}

export const emptyBuckets = (bounds_ms: readonly number[]): Buckets => ({
  counts: new Array(bounds_ms.length + 1).fill(0),
  sum_ms: 0,
});

export function addTo(buckets: Buckets, bounds_ms: readonly number[], ms: number): void {
  let place = 0;
  while (place < bounds_ms.length && ms > bounds_ms[place]!) place++;
  buckets.counts[place]!++;
  buckets.sum_ms += ms;
}

/** In the form that the library writes out: every bucket holds what the smaller ones hold too. */
export function bucketSamples(
  name: string,
  labels: Labels,
  bounds_ms: readonly number[],
  { counts, sum_ms }: Buckets,
): Sample[] {
  let count = 0;
  const buckets = counts.map((own, place) => {
    count += own;
    const bound = bounds_ms[place];
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound === undefined ? '+Inf' : bound / 1000 },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum_ms / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

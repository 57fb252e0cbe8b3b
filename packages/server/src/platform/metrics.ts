// Counts and durations for Prometheus.
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';

const request_metric = 'parley_http_request_duration_seconds';
const bounds_ms = [1, 5, 10, 50, 100, 500, 1000, 5000, 30_000];

/** Requests of one operation that were answered with one status; `counts` holds a place for each bound and one above all. */
type Series = { counts: number[]; sum_ms: number };

export function makeMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'parley_' });
  const series = new Map<string, Map<number, Series>>();
  // Counted by hand: the library's own histogram takes a twentieth of the time of a small request.
  registry.registerMetric({
    name: request_metric,
    get: async () => ({
      name: request_metric,
      help: 'Time from the request to the beginning of its answer.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...series].flatMap(([operation, of]) =>
        [...of].flatMap(([status, one]) => samples({ operation, status }, one)),
      ),
    }),
  } as unknown as Metric);

  const seriesOf = (operation: string, status: number): Series => {
    let of = series.get(operation);
    if (!of) {
      of = new Map();
      series.set(operation, of);
    }
    let found = of.get(status);
    if (!found) {
      found = { counts: new Array(bounds_ms.length + 1).fill(0), sum_ms: 0 };
      of.set(status, found);
    }
    return found;
  };

  return {
    registry,
    observeRequest(operation: string, status: number, ms: number): void {
      const one = seriesOf(operation, status);
      let place = 0;
      while (place < bounds_ms.length && ms > bounds_ms[place]!) place++;
      one.counts[place]!++;
      one.sum_ms += ms;
    },
  };
}
export type Metrics = ReturnType<typeof makeMetrics>;

/** In the form that the library writes out: every bucket holds what the smaller ones hold too. */
function samples(labels: { operation: string; status: number }, { counts, sum_ms }: Series) {
  let count = 0;
  const buckets = counts.map((own, place) => {
    count += own;
    const bound = bounds_ms[place];
    return {
      metricName: `${request_metric}_bucket`,
      labels: { ...labels, le: bound === undefined ? '+Inf' : bound / 1000 },
      value: count,
    };
  });
  return [
    ...buckets,
    { metricName: `${request_metric}_sum`, labels, value: sum_ms / 1000 },
    { metricName: `${request_metric}_count`, labels, value: count },
  ];
}

// Counts and durations for Prometheus.
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export function makeMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'parley_' });
  const requests = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the last byte of the request head to the last byte of the answer.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  });
  // Finding the series of two labels costs more than the observation: it is done once for each pair.
  const series = new Map<string, Map<number, ReturnType<typeof requests.labels>>>();
  return {
    registry,
    observeRequest(operation: string, status: number, ms: number): void {
      let of = series.get(operation);
      if (!of) {
        of = new Map();
        series.set(operation, of);
      }
      let found = of.get(status);
      if (!found) {
        found = requests.labels({ operation, status });
        of.set(status, found);
      }
      found.observe(ms / 1000);
    },
  };
}
export type Metrics = ReturnType<typeof makeMetrics>;

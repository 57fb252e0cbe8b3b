// Counts and durations for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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
  return {
    registry,
    observeRequest: (operation: string, status: number, ms: number) =>
      requests.observe({ operation, status }, ms / 1000),
    counter: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name, help, labelNames, registers: [registry] }),
    gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
      new Gauge({ name, help, labelNames, registers: [registry] }),
  };
}
export type Metrics = ReturnType<typeof makeMetrics>;

// The metrics of one process for Prometheus. Label values come from closed sets: no ids, no addresses, no organizations.
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  addTo,
  type Buckets,
  bucketSamples,
  counter,
  emptyBuckets,
  register,
  type Sample,
} from './metric-series.ts';

const request_metric = 'parley_http_request_duration_seconds';
const request_bounds_ms = [1, 5, 10, 50, 100, 500, 1000, 5000, 30_000];
const turn_metric = 'parley_call_turn_latency_seconds';
const turn_bounds_ms = [250, 500, 750, 1000, 1250, 1500, 2000, 3000, 5000, 10_000];

/**
 * Called after the commit that made it true, once for every outcome that a record reaches: an email can be sent, then
 * bounced. The reason is a value of the contract's enums.
 */
export type CountOutcome = (
  channel: 'call' | 'email' | 'sms',
  direction: 'inbound' | 'outbound',
  outcome: string,
  reason: string | null,
) => void;

/** How an attempt of a webhook delivery ended: `retrying` is tried again later, `failed` is not. */
export type AttemptResult = 'delivered' | 'retrying' | 'failed';

export function makeMetrics() {
  const registry = new Registry();
  // Brings the delay of the event loop (monitorEventLoopDelay) as parley_nodejs_eventloop_lag_*.
  collectDefaultMetrics({ register: registry, prefix: 'parley_' });

  const requests = new Map<string, Map<number, Buckets>>();
  register(registry, {
    name: request_metric,
    help: 'Time from the request to the beginning of its answer.',
    type: 'histogram',
    samples: () =>
      [...requests].flatMap(([operation, of]) =>
        [...of].flatMap(([status, one]) =>
          bucketSamples(request_metric, { operation, status }, request_bounds_ms, one),
        ),
      ),
  });
  const requestsOf = (operation: string, status: number): Buckets => {
    let of = requests.get(operation);
    if (!of) {
      of = new Map();
      requests.set(operation, of);
    }
    let found = of.get(status);
    if (!found) {
      found = emptyBuckets(request_bounds_ms);
      of.set(status, found);
    }
    return found;
  };

  const turns = emptyBuckets(turn_bounds_ms);
  register(registry, {
    name: turn_metric,
    help: 'Time from the last sound of the other party to the first sound of the agent, in calls spoken by this process.',
    type: 'histogram',
    samples: () => bucketSamples(turn_metric, {}, turn_bounds_ms, turns),
  });

  const outcome = counter(registry, {
    name: 'parley_outcomes_total',
    help: 'Outcomes that calls, emails and texts reached; one email or text can reach several.',
    labels: ['channel', 'direction', 'outcome', 'reason'],
  });
  const countOutcome: CountOutcome = (channel, direction, name, reason) =>
    outcome(channel, direction, name, reason ?? 'none');
  const attempt = counter(
    registry,
    {
      name: 'parley_webhook_attempts_total',
      help: 'Attempts of webhook deliveries by their result.',
      labels: ['result'],
    },
    [['delivered'], ['retrying'], ['failed']] satisfies AttemptResult[][],
  );

  return {
    registry,
    countOutcome,
    countAttempt: (result: AttemptResult): void => attempt(result),
    observeRequest: (operation: string, status: number, ms: number): void =>
      addTo(requestsOf(operation, status), request_bounds_ms, ms),
    observeTurn: (ms: number): void => addTo(turns, turn_bounds_ms, ms),
    /** Read at every scrape; an empty list leaves the metric without samples. */
    gauge: (name: string, help: string, samples: () => Sample[] | Promise<Sample[]>): void =>
      register(registry, { name, help, type: 'gauge', samples }),
    counter: (name: string, help: string): (() => void) =>
      counter(registry, { name, help, labels: [] }, [[]]),
  };
}
export type Metrics = ReturnType<typeof makeMetrics>;

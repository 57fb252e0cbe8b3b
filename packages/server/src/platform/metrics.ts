// The metrics of one process for Prometheus. Label values come from closed sets: no ids, no addresses, no organizations.
import {
  type SetAsideQueue,
  type SetAsideReason,
  setAsideQueues,
  setAsideReasons,
} from '@parley/contract/operations/set-aside-work';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Called after the commit, once for every outcome that a record reaches: an email can be sent, then bounced. The reason
 * is a value of the contract's enums.
 */
export type CountOutcome = (
  channel: 'call' | 'email' | 'sms',
  direction: 'inbound' | 'outbound',
  outcome: string,
  reason: string | null,
) => void;

/** How an attempt of a webhook delivery ended: `retrying` is tried again later, `failed` is not. */
export type AttemptResult = 'delivered' | 'retrying' | 'failed';

export type Sample = { labels: Record<string, string>; value: number };

type GaugeOptions = {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called at every scrape. An empty list leaves a labeled metric without samples. */
  read(): Sample[] | Promise<Sample[]>;
};

export type LostSpeechCause = 'recognition_late' | 'no_words' | 'call_ended';

export function makeMetrics() {
  const registry = new Registry();
  const registers = [registry];
  // Includes the event loop delay (monitorEventLoopDelay) as parley_nodejs_eventloop_lag_*.
  collectDefaultMetrics({ register: registry, prefix: 'parley_' });

  const requests = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the request to the start of its response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  });
  const turns = new Histogram({
    name: 'parley_call_turn_latency_seconds',
    help: 'Time from the end of the other party’s speech to the first sound of the agent, in calls of this process.',
    buckets: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5, 10],
    registers,
  });
  const outcomes = new Counter({
    name: 'parley_outcomes_total',
    help: 'Outcomes that calls, emails and texts reached; one email or text can reach several.',
    labelNames: ['channel', 'direction', 'outcome', 'reason'],
    registers,
  });
  const attempts = new Counter({
    name: 'parley_webhook_attempts_total',
    help: 'Attempts of webhook deliveries by their result.',
    labelNames: ['result'],
    registers,
  });
  // A series that starts with its first count hides that count from rate().
  for (const result of ['delivered', 'retrying', 'failed'] satisfies AttemptResult[])
    attempts.inc({ result }, 0);

  const lost_speech = new Counter({
    name: 'parley_call_speech_lost_total',
    help: 'How often speech of the other party became no turn, in calls of this process.',
    labelNames: ['cause'],
    registers,
  });
  for (const cause of ['recognition_late', 'no_words', 'call_ended'] satisfies LostSpeechCause[])
    lost_speech.inc({ cause }, 0);

  const set_aside = new Counter({
    name: 'parley_set_aside_total',
    help: 'Work that this process set aside: it does not run again by itself.',
    labelNames: ['queue', 'reason'],
    registers,
  });
  for (const queue of setAsideQueues)
    for (const reason of setAsideReasons) set_aside.inc({ queue, reason }, 0);

  const countOutcome: CountOutcome = (channel, direction, outcome, reason) =>
    outcomes.inc({ channel, direction, outcome, reason: reason ?? 'none' });

  return {
    registry,
    countOutcome,
    countSetAside: (queue: SetAsideQueue, reason: SetAsideReason): void => set_aside.inc({ queue, reason }),
    countAttempt: (result: AttemptResult): void => attempts.inc({ result }),
    observeRequest: (operation: string, status: number, ms: number): void =>
      requests.observe({ operation, status }, ms / 1000),
    observeTurn: (ms: number): void => turns.observe(ms / 1000),
    countLostSpeech: (cause: LostSpeechCause): void => lost_speech.inc({ cause }),
    gauge: (options: GaugeOptions): void => addGauge(registry, options),
    counter(name: string, help: string): (by?: number) => void {
      const counter = new Counter({ name, help, registers });
      return (by) => counter.inc(by);
    },
  };
}
export type Metrics = ReturnType<typeof makeMetrics>;

function addGauge(registry: Registry, { name, help, labels = [], read }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    async collect() {
      const samples = await read();
      this.reset();
      for (const { labels, value } of samples) this.set(labels, value);
    },
  });
}

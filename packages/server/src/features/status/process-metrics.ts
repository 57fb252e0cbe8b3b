// Metrics that are read when they are scraped: queues, connections, calls in progress.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Sample } from '../../platform/metric-series.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { ttlCache } from '../../platform/ttl-cache.ts';
import { type QueueState, queueStore } from './store.ts';
import { within } from './within.ts';

/** However often and by however many it is scraped, the database is asked once in this time at most. */
const queues_age_ms = 5000;
/** A scrape must not wait for a database that is away; usual scrapers give up after ten seconds. */
const queues_limit_ms = 2000;

export type ProcessMetricsDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  callsInProgress(): number;
  /** Connections to the mail relay; undefined where mail goes another way. */
  mailConnections: (() => { open: number; idle: number; waiting: number }) | undefined;
};

export function addProcessMetrics(metrics: Metrics, deps: ProcessMetricsDeps): void {
  const { db } = deps;
  metrics.gauge('parley_calls_in_progress', 'Calls that this process leads.', () => [
    { labels: {}, value: deps.callsInProgress() },
  ]);
  addConnections(metrics, 'parley_database', 'to the database', () => ({
    open: db.pool.totalCount,
    idle: db.pool.idleCount,
    waiting: db.pool.waitingCount,
  }));
  if (deps.mailConnections)
    addConnections(metrics, 'parley_mail_relay', 'to the mail relay', deps.mailConnections);
  addQueues(metrics, deps);
}

function addConnections(
  metrics: Metrics,
  prefix: string,
  where: string,
  read: () => { open: number; idle: number; waiting: number },
): void {
  metrics.gauge(`${prefix}_connections`, `Connections of this process ${where}.`, () => {
    const { open, idle } = read();
    return [
      { labels: { state: 'idle' }, value: idle },
      { labels: { state: 'busy' }, value: open - idle },
    ];
  });
  metrics.gauge(`${prefix}_waiting_requests`, `How much waits for a connection ${where}.`, () => [
    { labels: {}, value: read().waiting },
  ]);
}

function addQueues(metrics: Metrics, { db, clock, log }: { db: Database; clock: Clock; log: Log }): void {
  const store = queueStore(db);
  const failed = metrics.counter(
    'parley_queue_read_failures_total',
    'Scrapes for which the queues could not be read; they have no queue metrics.',
  );
  const queues = ttlCache<QueueState[]>({
    max_age_ms: queues_age_ms,
    // A failure is kept as long as an answer: a database in trouble is not asked more often.
    load: () =>
      within(queues_limit_ms, store.read(clock.now())).catch((error) => {
        failed();
        log.warn({ err: error }, 'the queues cannot be read for metrics');
        return [];
      }),
  });
  const samples = async (value: (state: QueueState) => number): Promise<Sample[]> =>
    (await queues.get()).map((state) => ({ labels: { queue: state.queue }, value: value(state) }));
  metrics.gauge(
    'parley_queue_due_items',
    'Work of all processes that is due and not claimed, per queue; counted up to 10000.',
    () => samples(({ items }) => items),
  );
  metrics.gauge('parley_queue_oldest_age_seconds', 'For how long the oldest of it has been due.', () =>
    samples(({ oldest_age_seconds }) => oldest_age_seconds),
  );
}

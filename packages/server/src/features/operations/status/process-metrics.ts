// Metrics that are read when they are scraped: queues, connections, calls in progress.
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/log.ts';
import type { Metrics, Sample } from '../../../platform/metrics.ts';
import { type ThreadPoolState, threadPoolStates } from '../../../platform/thread-pool.ts';
import { ttlCache } from '../../../platform/ttl-cache.ts';
import { within } from '../../../platform/within.ts';
import { type PoolNumbers, type QueueState, queueStore, type SetAsideCount } from './store.ts';

/** The queues are read from the database at most once in this time, however often the process is scraped. */
const queues_age_ms = 5000;
/** A scrape must not wait for a database that is down; most scrapers give up after ten seconds. */
const queues_limit_ms = 2000;

type Connections = { open: number; idle: number; waiting: number };

export type ProcessMetricsDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  callsInProgress(): number;
  /** How many calls this process runs at most. */
  calls_at_once: number;
  /** Connections to the mail relay; undefined where the transport has none. */
  mailConnections: (() => Connections) | undefined;
};

export function addProcessMetrics(metrics: Metrics, deps: ProcessMetricsDeps): void {
  const { db } = deps;
  metrics.gauge({
    name: 'parley_calls_in_progress',
    help: 'Calls that this process runs.',
    read: () => [{ labels: {}, value: deps.callsInProgress() }],
  });
  metrics.gauge({
    name: 'parley_calls_at_once',
    help: 'Calls that this process runs at most; 0 where it runs none.',
    read: () => [{ labels: {}, value: deps.calls_at_once }],
  });
  addThreadPools(metrics);
  addConnections(metrics, 'parley_database', 'to the database', () => ({
    open: db.pool.totalCount,
    idle: db.pool.idleCount,
    waiting: db.pool.waitingCount,
  }));
  if (deps.mailConnections)
    addConnections(metrics, 'parley_mail_relay', 'to the mail relay', deps.mailConnections);
  addQueues(metrics, deps);
}

function addConnections(metrics: Metrics, prefix: string, target: string, read: () => Connections): void {
  metrics.gauge({
    name: `${prefix}_connections`,
    help: `Connections of this process ${target}.`,
    labels: ['state'],
    read() {
      const { open, idle } = read();
      return [
        { labels: { state: 'idle' }, value: idle },
        { labels: { state: 'busy' }, value: open - idle },
      ];
    },
  });
  metrics.gauge({
    name: `${prefix}_waiting_requests`,
    help: `Requests that wait for a connection ${target}.`,
    read: () => [{ labels: {}, value: read().waiting }],
  });
}

/** Several pools with one name, as in a process with several instances of an engine, are added up. */
function addThreadPools(metrics: Metrics): void {
  const gauge = (name: string, help: string, value: (state: ThreadPoolState) => number) =>
    metrics.gauge({
      name: `parley_thread_pool_${name}`,
      help,
      labels: ['pool'],
      read() {
        const sums = new Map<string, number>();
        for (const state of threadPoolStates())
          sums.set(state.name, (sums.get(state.name) ?? 0) + value(state));
        return [...sums].map(([pool, sum]) => ({ labels: { pool }, value: sum }));
      },
    });
  gauge('threads', 'Threads of the pool that run; they start with the first task.', ({ threads }) => threads);
  gauge('running_tasks', 'Tasks that the threads of the pool work on.', ({ running }) => running);
  gauge('waiting_tasks', 'Tasks that wait for a thread of the pool.', ({ waiting }) => waiting);
  gauge('lag_seconds', 'How long the first waiting task has waited.', ({ lag_ms }) => lag_ms / 1000);
}

function addQueues(metrics: Metrics, { db, clock, log }: { db: Database; clock: Clock; log: Log }): void {
  const store = queueStore(db);
  const countFailure = metrics.counter(
    'parley_queue_read_failures_total',
    'Scrapes for which the queues could not be read; they have no queue metrics.',
  );
  const cached = ttlCache<{ queues: QueueState[]; numbers: PoolNumbers[]; set_aside: SetAsideCount[] }>({
    max_age_ms: queues_age_ms,
    // Failures are cached like results, so that a database in trouble gets no more queries.
    load: () =>
      within(queues_limit_ms, readAll(store, clock.now())).catch((error) => {
        countFailure();
        log.warn({ err: error }, 'queue metrics not read');
        return { queues: [], numbers: [], set_aside: [] };
      }),
  });
  const samples = async (value: (state: QueueState) => number): Promise<Sample[]> =>
    (await cached.get()).queues.map((state) => ({ labels: { queue: state.queue }, value: value(state) }));
  metrics.gauge({
    name: 'parley_queue_due_items',
    help: 'Work of all processes that is due and not claimed, per queue; counted up to 10000.',
    labels: ['queue'],
    read: () => samples(({ items }) => items),
  });
  metrics.gauge({
    name: 'parley_queue_oldest_age_seconds',
    help: 'How long the oldest due item of the queue has been due.',
    labels: ['queue'],
    read: () => samples(({ oldest_age_seconds }) => oldest_age_seconds),
  });
  metrics.gauge({
    name: 'parley_set_aside_entries',
    help: 'Work of all processes that is set aside and waits for a superadmin, per queue.',
    labels: ['queue'],
    read: async () =>
      (await cached.get()).set_aside.map(({ queue, entries }) => ({ labels: { queue }, value: entries })),
  });
  metrics.gauge({
    name: 'parley_pool_numbers',
    help: 'Active numbers of the pool: free, or bound to a call.',
    labels: ['state'],
    read: async () =>
      (await cached.get()).numbers.map(({ state, numbers }) => ({ labels: { state }, value: numbers })),
  });
}

/** One after the other: a scrape must not take two connections of the pool. */
async function readAll(store: ReturnType<typeof queueStore>, now: Date) {
  const queues = await store.read(now);
  const numbers = await store.poolNumbers();
  return { queues, numbers, set_aside: await store.setAside() };
}

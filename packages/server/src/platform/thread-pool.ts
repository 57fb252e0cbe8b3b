// A pool of worker threads for CPU-heavy work: each thread runs a few tasks at a time, the other tasks wait in a queue.
import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';
import { type TurnQueue, turnQueue } from './turn-queue.ts';

/**
 * `stuck`: the thread computed for longer than its tasks may take, and was terminated.
 * `task_failed`: the task's handler threw; the thread goes on. `not_started`: the thread ended before its code was loaded.
 */
export type ThreadFailure =
  | 'queue_full'
  | 'not_started'
  | 'thread_crashed'
  | 'stuck'
  | 'task_failed'
  | 'closed';

export class ThreadFailed extends Error {
  override name = 'ThreadFailed';
  readonly reason: ThreadFailure;
  constructor(reason: ThreadFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

type Job<Task, Result> = {
  task: Task;
  turn: string;
  transfer: Transferable[];
  cpu_ms: number;
  queued_at_ms: number;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
};

type Probe = { sent_ms: number; cpu_ms: number | null };
type Thread<Task, Result> = {
  worker: Worker;
  /** Tasks that the thread works on, by id. */
  running: Map<number, Job<Task, Result>>;
  /** True after its first message. Loading the code takes longer than most tasks. */
  is_ready: boolean;
  /** The message that checks whether the thread still handles messages; null while none is unanswered. */
  probe: Probe | null;
  post(message: ToThread<Task>, transfer: Transferable[]): void;
};

type ToThread<Task> = { id: number; task: Task } | { probe: true };
type FromThread<Result> = { id: number; result: Result } | { id: number; problem: string } | { probe: true };

export type RunOptions = {
  transfer?: Transferable[];
  signal?: AbortSignal | undefined;
  /** How much processor time the thread may use for this task without handling another message. */
  cpu_ms?: number;
  /** Whose task it is, such as an organization: those who have tasks in the queue take turns. */
  turn?: string;
};

export type ThreadPool<Task, Result> = {
  run(task: Task, options?: RunOptions): Promise<Result>;
  /** How long the first task in the queue has waited; 0 for an empty queue. */
  lag_ms(): number;
  close(): Promise<void>;
};

export type ThreadPoolOptions = {
  /** In metrics. */
  name: string;
  /** The module that each thread runs. It must call `handleTasks`. */
  file: URL;
  threads: number;
  max_waiting: number;
  /** How many tasks a thread works on at a time. Use more than one where tasks wait for I/O, such as DNS. */
  in_flight?: number;
  /** Size of the young generation of each thread's heap; Node's default is 48 MB. */
  young_mb?: number;
  /** Limit of each thread's heap: a task that needs more ends its thread, and not the process. */
  heap_mb?: number;
  /** Data that every thread gets when it starts; it reads it with `threadData`. */
  data?: unknown;
};

type Pool<Task, Result> = {
  options: ThreadPoolOptions;
  threads: Set<Thread<Task, Result>>;
  queue: TurnQueue<Job<Task, Result>>;
  is_closed: boolean;
  last_id: number;
  watch: NodeJS.Timeout | undefined;
};

const probe_every_ms = 200;
/** A thread that sends nothing for this long is terminated, however little processor time it used. */
const silent_ms = 60_000;

export type ThreadPoolState = {
  name: string;
  threads: number;
  running: number;
  waiting: number;
  /** How long the first task in the queue has waited. */
  lag_ms: number;
};

/** The open pools of this process, for its metrics. */
const open_pools = new Set<() => ThreadPoolState>();
export const threadPoolStates = (): ThreadPoolState[] => [...open_pools].map((state) => state());

/** Threads start with the first task, and again after one crashed. */
export function threadPool<Task, Result>(options: ThreadPoolOptions): ThreadPool<Task, Result> {
  const pool: Pool<Task, Result> = {
    options,
    threads: new Set(),
    queue: turnQueue(),
    is_closed: false,
    last_id: 0,
    watch: undefined,
  };
  const lag_ms = () => {
    const oldest_ms = pool.queue.oldest((job) => job.queued_at_ms);
    return oldest_ms === null ? 0 : performance.now() - oldest_ms;
  };
  const state = () => stateOf(pool, lag_ms());
  open_pools.add(state);
  return {
    run: (task, run_options = {}) => enqueue(pool, task, run_options),
    lag_ms,
    close() {
      open_pools.delete(state);
      return closePool(pool);
    },
  };
}

function stateOf<Task, Result>(pool: Pool<Task, Result>, lag_ms: number): ThreadPoolState {
  let running = 0;
  for (const thread of pool.threads) running += thread.running.size;
  return {
    name: pool.options.name,
    threads: pool.threads.size,
    running,
    waiting: pool.queue.size(),
    lag_ms,
  };
}

function enqueue<Task, Result>(
  pool: Pool<Task, Result>,
  task: Task,
  { transfer = [], signal, cpu_ms = Number.POSITIVE_INFINITY, turn = '' }: RunOptions,
): Promise<Result> {
  const { max_waiting } = pool.options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    if (pool.is_closed) return reject(new ThreadFailed('closed', 'The thread pool is closed.'));
    if (pool.queue.size() >= max_waiting) {
      return reject(new ThreadFailed('queue_full', `${max_waiting} tasks are waiting already.`));
    }
    const abort = () => {
      pool.queue.remove(job);
      reject(signal!.reason);
    };
    const settled = () => signal?.removeEventListener('abort', abort);
    const job: Job<Task, Result> = {
      task,
      turn,
      transfer,
      cpu_ms,
      queued_at_ms: performance.now(),
      resolve(result) {
        settled();
        resolve(result);
      },
      reject(error) {
        settled();
        reject(error);
      },
    };
    signal?.addEventListener('abort', abort, { once: true });
    pool.queue.push(job);
    assignJobs(pool);
  });
}

function assignJobs<Task, Result>(pool: Pool<Task, Result>): void {
  while (pool.queue.size() > 0 && !pool.is_closed) {
    const thread = freeThread(pool);
    if (!thread) return;
    const job = pool.queue.take()!;
    const id = ++pool.last_id;
    thread.running.set(id, job);
    thread.post({ id, task: job.task }, job.transfer);
    if (Number.isFinite(job.cpu_ms)) {
      pool.watch ??= setInterval(() => void watchThreads(pool), probe_every_ms).unref();
    }
  }
}

/** The thread with the fewest tasks; a new thread while all are busy and more are allowed. */
function freeThread<Task, Result>(pool: Pool<Task, Result>): Thread<Task, Result> | null {
  const { threads: max_threads, in_flight = 1 } = pool.options;
  let free: Thread<Task, Result> | null = null;
  for (const thread of pool.threads) if (!free || thread.running.size < free.running.size) free = thread;
  if ((!free || free.running.size > 0) && pool.threads.size < max_threads) return startThread(pool);
  return free && free.running.size < in_flight ? free : null;
}

function startThread<Task, Result>(pool: Pool<Task, Result>): Thread<Task, Result> {
  const { file, young_mb, heap_mb, data } = pool.options;
  const resourceLimits = {
    ...(young_mb ? { maxYoungGenerationSizeMb: young_mb } : {}),
    ...(heap_mb ? { maxOldGenerationSizeMb: heap_mb } : {}),
  };
  const worker = new Worker(file, { stdin: false, resourceLimits, workerData: data });
  const post = batched<ToThread<Task>>(worker);
  const thread: Thread<Task, Result> = { worker, running: new Map(), is_ready: false, probe: null, post };
  pool.threads.add(thread);
  worker.on('message', (messages: FromThread<Result>[]) => {
    thread.is_ready = true;
    thread.probe = null;
    for (const message of messages) {
      if ('probe' in message) continue;
      const job = thread.running.get(message.id);
      thread.running.delete(message.id);
      if (job && 'result' in message) job.resolve(message.result);
      else if (job && 'problem' in message) job.reject(new ThreadFailed('task_failed', message.problem));
    }
    assignJobs(pool);
  });
  worker.on('error', (error) => threadEnded(pool, thread, 'thread_crashed', (error as Error).message));
  worker.on('exit', (code) =>
    threadEnded(pool, thread, 'thread_crashed', `The thread exited with code ${code}.`),
  );
  return thread;
}

function threadEnded<Task, Result>(
  pool: Pool<Task, Result>,
  thread: Thread<Task, Result>,
  reason: ThreadFailure,
  message: string,
): void {
  if (!pool.threads.delete(thread)) return;
  const failure = reason === 'thread_crashed' && !thread.is_ready ? 'not_started' : reason;
  for (const job of thread.running.values()) job.reject(new ThreadFailed(failure, message));
  // A module that cannot be loaded would crash every new thread. Fail the queue instead of starting threads forever. A thread
  // that was ready crashed because of its tasks: the others wait for the next thread.
  if (pool.threads.size === 0 && failure === 'not_started') {
    for (const job of pool.queue.takeAll()) job.reject(new ThreadFailed(failure, message));
  } else {
    assignJobs(pool);
  }
}

async function watchThreads<Task, Result>(pool: Pool<Task, Result>): Promise<void> {
  const busy = [...pool.threads].filter(({ running }) => running.size > 0);
  if (busy.length === 0) {
    clearInterval(pool.watch);
    pool.watch = undefined;
  }
  await Promise.all(busy.filter(({ is_ready }) => is_ready).map((thread) => watchThread(pool, thread)));
}

/** A thread that answers a probe waits for I/O or is between two steps of its work. Only a silent one can be stuck. */
async function watchThread<Task, Result>(
  pool: Pool<Task, Result>,
  thread: Thread<Task, Result>,
): Promise<void> {
  if (!thread.probe) {
    thread.probe = { sent_ms: performance.now(), cpu_ms: await cpuMs(thread.worker) };
    thread.post({ probe: true }, []);
    return;
  }
  const { probe } = thread;
  const allowed_ms = Math.max(...[...thread.running.values()].map(({ cpu_ms }) => cpu_ms));
  const used_ms = await cpuMs(thread.worker);
  // The thread's processor time may have been unknown when the probe was sent.
  probe.cpu_ms ??= used_ms;
  const is_stuck =
    (used_ms !== null && used_ms - probe.cpu_ms! > allowed_ms) ||
    performance.now() - probe.sent_ms > Math.max(silent_ms, 10 * allowed_ms);
  if (!is_stuck || thread.probe !== probe) return;
  threadEnded(pool, thread, 'stuck', `The thread computed for more than ${allowed_ms} ms.`);
  await thread.worker.terminate();
}

/**
 * Null when the thread does not report its time: it has just ended, or is too busy to report. Node before 24.6 cannot
 * measure a thread: there the elapsed time, which is never less, is used instead.
 */
async function cpuMs(worker: Worker): Promise<number | null> {
  if (!('cpuUsage' in worker)) return performance.now();
  const timeout = new Promise<null>((resolve) => setTimeout(() => resolve(null), probe_every_ms).unref());
  const used = await Promise.race([worker.cpuUsage().catch(() => null), timeout]);
  return used && (used.user + used.system) / 1000;
}

async function closePool<Task, Result>(pool: Pool<Task, Result>): Promise<void> {
  pool.is_closed = true;
  clearInterval(pool.watch);
  const closed = new ThreadFailed('closed', 'The thread pool is closed.');
  for (const job of pool.queue.takeAll()) job.reject(closed);
  for (const { running } of pool.threads) for (const job of running.values()) job.reject(closed);
  const threads = [...pool.threads];
  pool.threads.clear();
  await Promise.all(threads.map(({ worker }) => worker.terminate()));
}

/** Collects the items of one turn of the event loop into one message: waking a thread costs more than the message. */
function batched<Item>(port: { postMessage(items: Item[], transfer: Transferable[]): void }) {
  let items: Item[] = [];
  let transfers: Transferable[] = [];
  const flush = () => {
    const [sent, moved] = [items, transfers];
    items = [];
    transfers = [];
    port.postMessage(sent, moved);
  };
  return (item: Item, transfer: Transferable[] = []) => {
    if (items.length === 0) setImmediate(flush);
    items.push(item);
    transfers.push(...transfer);
  };
}

/** Inside a thread: the `data` option of its pool. */
export const threadData = <Data>(): Data => workerData as Data;

/** Inside a thread: handles the pool's tasks. Tasks that arrive while the module still loads wait. */
export function handleTasks<Task, Result>(
  work: (task: Task) => Promise<{ result: Result; transfer?: Transferable[] }>,
): void {
  const post = batched<FromThread<Result>>(parentPort!);
  post({ probe: true });
  parentPort!.on('message', (messages: ToThread<Task>[]) => {
    for (const message of messages) {
      if ('probe' in message) {
        post({ probe: true });
        continue;
      }
      const { id, task } = message;
      work(task).then(
        ({ result, transfer }) => post({ id, result }, transfer),
        (error: Error) => post({ id, problem: error.message }),
      );
    }
  });
}

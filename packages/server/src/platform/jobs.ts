// The job queue: rows in the database with a lease. A job survives a crash, because another process claims it when its lease ends.
import type { Queryable, Transaction } from './db/database.ts';
import { sql } from './db/sql.ts';
import { untilCut } from './drain.ts';
import {
  type ClaimedJob,
  claim,
  enqueue,
  enqueueRecurring,
  finish,
  giveBackStarts,
  isLost,
  type Job,
  type JobKind,
  type JobStoreDeps,
  type NewJob,
  nextDue,
  renew,
  setJobAside,
} from './job-store.ts';
import type { Log } from './log.ts';
import { makeSolo, type Solo } from './solo.ts';

export type { Job } from './job-store.ts';

export type JobHandler = {
  kind: string;
  /** After the end of a process, another one runs the job again when this time is over. */
  lease_seconds?: number;
  /** Makes the job recurring. It is enqueued once for all processes. */
  every_seconds?: number;
  /** After this many runs the job is set aside. Recurring jobs are repeated after an error. */
  max_attempts?: number;
  /** Jobs of a lane do not wait for those of another one. Default: shared. */
  lane?: Lane;
  /**
   * Stores the final state of what the job was for, in the transaction that sets the job aside. Without it the job can be run
   * again.
   */
  givenUp?(tx: Transaction, job: Job): Promise<void>;
  /** Must be safe to run twice: a process may crash after the work and before deleting the job. */
  run(job: Job, signal: AbortSignal): Promise<void>;
};

const poll_ms = 1000;
const min_poll_ms = 5;
const overdue_ms = 100;
const default_lease_seconds = 60;
/**
 * How many jobs of a lane one process runs at a time. A reply of an agent waits for a language model, and a check of a receiver for
 * a server of a customer. They must not delay the short jobs of the shared lane.
 */
const lane_concurrency = { shared: 4, agents: 8, receivers: 2 } as const;
type Lane = keyof typeof lane_concurrency;
/** Jobs of this lane start when they are due; the others may be up to `poll_ms` late. */
const punctual_lane: Lane = 'agents';
const default_max_attempts = 10;
/** How often the leases of jobs that run are extended: less than half of the shortest lease. */
const renew_ms = 4000;
/** A run that takes longer than this many leases hangs: another process may run its job. */
const max_leases = 10;

type JobsDeps = JobStoreDeps & {
  handlers: JobHandler[];
  /** Of the shared lane. */
  concurrency?: number;
  /** New recurring jobs run first after their period, not at the start. */
  delay_recurring?: boolean;
  /** Shared with the other queues of the process. */
  solo?: Solo;
};

export function jobs(deps: JobsDeps) {
  const { db, log } = deps;
  const handlers = new Map(deps.handlers.map((handler) => [handler.kind, handler]));
  const kinds = [...handlers.keys()];
  const running = () => lanes.flatMap((lane) => [...lane.running.keys()]);
  const stop = new AbortController();

  const ended = (lane: RunningLane): void => {
    if (stop.signal.aborted) return;
    // Its place is free, and it may have enqueued other jobs. Of the punctual lane the next time is looked up, too.
    if (lane.name === punctual_lane) wake();
    else lane.poll().catch((error) => log.warn({ err: error }, 'job poll failed; retrying'));
  };
  const context: RunContext = { deps, handlers, solo: deps.solo ?? makeSolo(), signal: stop.signal, ended };
  const lanes = lanesOf(deps, (lane) => startDue(context, lane));
  const poll = async (): Promise<void> => {
    for (const lane of lanes) await lane.poll();
  };
  const startedSoFar = () => lanes.reduce((sum, { started }) => sum + started, 0);

  const nextPoll = async () => {
    const lane = lanes.find(({ name }) => name === punctual_lane);
    // A full lane polls when one of its jobs ends.
    if (!lane || lane.running.size >= lane.concurrency) return poll_ms;
    const due = await nextDue(
      db,
      lane.kinds.map(({ kind }) => kind),
    );
    const wait_ms = due ? due.getTime() - deps.clock.ms() : poll_ms;
    // A job that has been due for a while waits until it may run alone.
    return wait_ms < -overdue_ms ? poll_ms : Math.min(Math.max(wait_ms, min_poll_ms), poll_ms);
  };
  const renewal = setInterval(() => renewLeases(deps, lanes), renew_ms).unref();
  const { loop, wake, lastPoll } = pollingLoop(poll, nextPoll, stop.signal, log);

  return {
    enqueue: (on: Queryable, job: NewJob) => enqueue(deps, on, job),
    wake,
    async start() {
      await enqueueRecurring(deps, recurringJobs(deps));
      loop();
    },
    /** Whether a run is still the current one. Locks the job, so that nothing replaces it before the transaction ends. */
    isCurrent: async (tx: Queryable, { id, claims }: Job): Promise<boolean> =>
      (await tx.maybe(sql`select id from jobs where id = ${id} and claims = ${claims} for update`)) !== null,
    /** When the next one-time job is due. */
    nextDue: (): Promise<Date | null> =>
      nextDue(
        db,
        kinds.filter((kind) => handlers.get(kind)!.every_seconds === undefined),
      ),
    /** Runs all due jobs and waits for them: for the sandbox clock and for tests. */
    async drain(): Promise<void> {
      await lastPoll();
      for (;;) {
        const is_idle = running().length === 0;
        const started = startedSoFar();
        await poll();
        // A job that ran meanwhile, also one that another poll started, may have enqueued the next one.
        if (is_idle && startedSoFar() === started) return;
        await Promise.all(running());
      }
    },
    /** Another process runs a job that was cut when its lease ends. The cut does not count as a lost run. */
    async stop(cut?: AbortSignal): Promise<void> {
      stop.abort();
      const is_done = await untilCut(
        // After the abort a poll claims no job: this one only waits for a claim that is in progress.
        Promise.all([lastPoll(), poll()]).then(() => Promise.all(running())),
        cut,
      );
      clearInterval(renewal);
      if (is_done) return;
      await giveBackStarts(deps, runsOf(lanes)).catch((error) =>
        log.warn({ err: error }, 'jobs that were cut count as lost'),
      );
    },
  };
}
export type Jobs = ReturnType<typeof jobs>;

/** One run of a job in this process. */
type Run = { job: ClaimedJob; kind: JobKind; started_ms: number };

type RunningLane = {
  name: Lane;
  concurrency: number;
  kinds: JobKind[];
  running: Map<Promise<void>, Run>;
  /** How many jobs since the start of the process. */
  started: number;
  /** Starts due jobs up to the limit of the lane. */
  poll(): Promise<void>;
};

const kindOf = (handler: JobHandler): JobKind => ({
  kind: handler.kind,
  lease_seconds: handler.lease_seconds ?? default_lease_seconds,
  every_seconds: handler.every_seconds ?? null,
  max_attempts: handler.max_attempts ?? default_max_attempts,
  givenUp: handler.givenUp,
});

const recurringJobs = ({ handlers, delay_recurring }: JobsDeps) =>
  handlers.flatMap(({ kind, every_seconds }) =>
    every_seconds === undefined ? [] : [{ kind, delay_seconds: delay_recurring ? every_seconds : 0 }],
  );

const lanesOf = (
  { handlers, concurrency }: JobsDeps,
  startDue: (lane: RunningLane) => Promise<void>,
): RunningLane[] =>
  (Object.keys(lane_concurrency) as Lane[])
    .map((name) => {
      const lane: RunningLane = {
        name,
        concurrency: name === 'shared' ? (concurrency ?? lane_concurrency.shared) : lane_concurrency[name],
        kinds: handlers.filter(({ lane: place = 'shared' }) => place === name).map(kindOf),
        running: new Map(),
        started: 0,
        poll: oneAtATime(() => startDue(lane)),
      };
      return lane;
    })
    .filter(({ name, kinds }) => name === 'shared' || kinds.length > 0);

/** A call during a run is answered by the run after it, together with all others that wait for that one. */
function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  return () => {
    next ??= current.then(() => {
      next = null;
      const started = run();
      current = started.catch(() => {});
      return started;
    });
    return next;
  };
}

/** Polls again and again, one poll at a time. `nextPoll`: after how many milliseconds. */
function pollingLoop(
  poll: () => Promise<unknown>,
  nextPoll: () => Promise<number>,
  stop: AbortSignal,
  log: Log,
) {
  /** Set between two polls. */
  let timer: NodeJS.Timeout | undefined;
  let is_wake_pending = false;
  let polling: Promise<void> = Promise.resolve();
  stop.addEventListener('abort', () => clearTimeout(timer));

  const loop = () => {
    timer = undefined;
    is_wake_pending = false;
    let next_ms = poll_ms;
    polling = poll()
      .then(async () => {
        if (!stop.aborted && !is_wake_pending) next_ms = await nextPoll();
      })
      .catch((error) => log.warn({ err: error }, 'job poll failed; retrying'))
      .finally(() => {
        if (stop.aborted) return;
        if (is_wake_pending) loop();
        else timer = setTimeout(loop, next_ms);
      });
  };

  /** Polls now. A wake-up during a poll lets it run once more: a second loop would never end. */
  const wake = () => {
    if (stop.aborted) return;
    if (!timer) {
      is_wake_pending = true;
      return;
    }
    clearTimeout(timer);
    loop();
  };
  return { loop, wake, lastPoll: () => polling };
}

type RunContext = {
  deps: JobStoreDeps;
  handlers: ReadonlyMap<string, JobHandler>;
  solo: Solo;
  signal: AbortSignal;
  /** A job of the lane ended. */
  ended(lane: RunningLane): void;
};

async function startDue(context: RunContext, lane: RunningLane): Promise<void> {
  for (;;) {
    const free = lane.concurrency - lane.running.size;
    if (context.signal.aborted || free <= 0) return;
    const claimed = await claimNext(context, lane, free);
    if (claimed < free) return;
  }
}

/** Jobs that a process did not survive run one at a time, so that a second end of the process shows which one it was. */
async function claimNext(context: RunContext, lane: RunningLane, free: number): Promise<number> {
  const with_lost = context.solo.tryEnter();
  let has_lost = false;
  let runs: (Pick<Run, 'job' | 'kind'> & { leaves_solo: boolean })[] = [];
  try {
    const claimed = await claim(context.deps, lane.kinds, { limit: free, with_lost });
    runs = claimed.map((job) => {
      const kind = lane.kinds.find(({ kind }) => kind === job.kind)!;
      return { job, kind, leaves_solo: job.starts > 1 && kind.every_seconds === null };
    });
    has_lost = runs.some(({ leaves_solo }) => leaves_solo);
  } finally {
    // Before the jobs start: one of them may be the loop of another queue, which needs the place for its own entries.
    if (with_lost && !has_lost) context.solo.leave();
  }
  for (const run of runs) startJob(context, lane, run);
  return runs.length;
}

function startJob(
  { deps, handlers, solo, signal, ended }: RunContext,
  lane: RunningLane,
  { job, kind, leaves_solo }: Pick<Run, 'job' | 'kind'> & { leaves_solo: boolean },
): void {
  const work = isLost(job, kind)
    ? setJobAside(deps, job, kind)
    : runJob(deps, { handler: handlers.get(job.kind)!, job, kind, signal });
  const run = work
    .catch((error) =>
      deps.log.warn({ job_id: job.id, err: error }, 'job not finished; it runs again when its lease ends'),
    )
    .finally(() => {
      lane.running.delete(run);
      if (leaves_solo) solo.leave();
      ended(lane);
    });
  lane.running.set(run, { job, kind, started_ms: performance.now() });
  lane.started++;
}

async function runJob(
  deps: JobStoreDeps,
  { handler, job, kind, signal }: Pick<Run, 'job' | 'kind'> & { handler: JobHandler; signal: AbortSignal },
): Promise<void> {
  let failure: unknown = null;
  try {
    await runTraced(deps, handler, job, signal);
  } catch (error) {
    failure = error ?? new Error('the handler threw nothing');
    deps.log.warn({ job_id: job.id, kind: job.kind, err: error }, 'job failed');
  }
  await finish(deps, job, kind, failure);
}

const runsOf = (lanes: readonly RunningLane[]) =>
  lanes.flatMap((lane) =>
    [...lane.running.values()].map(({ job, kind, started_ms }) => ({
      id: job.id,
      claims: job.claims,
      lease_seconds: kind.lease_seconds,
      started_ms,
    })),
  );

function renewLeases(deps: JobStoreDeps, lanes: readonly RunningLane[]): void {
  const now_ms = performance.now();
  const runs = runsOf(lanes).filter(
    ({ lease_seconds, started_ms }) => now_ms - started_ms < max_leases * lease_seconds * 1000,
  );
  if (runs.length === 0) return;
  renew(deps, runs).catch((error) => deps.log.warn({ err: error }, 'leases of jobs not extended'));
}

/** A recurring job belongs to no request; the others continue the trace of the request that enqueued them. */
function runTraced(
  { tracing }: JobStoreDeps,
  handler: JobHandler,
  job: Job,
  signal: AbortSignal,
): Promise<void> {
  if (!tracing) return handler.run(job, signal);
  const parent = job.payload.traceparent;
  if (!parent) return tracing.within(null, () => handler.run(job, signal));
  const attributes = { 'parley.job_id': job.id, 'parley.attempt': job.attempts + 1 };
  return tracing.span(`job ${job.kind}`, { kind: 'consumer', parent, attributes }, () =>
    handler.run(job, signal),
  );
}

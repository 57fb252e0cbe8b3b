// The job queue: rows in the database with a lease. A job survives a crash, because another process claims it when its lease ends.
import type { Clock } from './clock.ts';
import type { Database, Queryable } from './db/database.ts';
import { sql } from './db/sql.ts';
import { untilCut } from './drain.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';
import type { Tracing } from './tracing/trace.ts';

export type Job = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  attempts: number;
  /** A fencing token: only the run with the newest claim may finish the job. */
  claims: number;
};

export type JobHandler = {
  kind: string;
  /** How long a run may take before another process may run the job again. */
  lease_seconds?: number;
  /** Makes the job recurring. It is enqueued once for all processes. */
  every_seconds?: number;
  /** After this many failed runs the job is deleted and logged. Recurring jobs are never deleted. */
  max_attempts?: number;
  /** Jobs of a lane do not wait for those of another one. Default: shared. */
  lane?: Lane;
  /** Must be safe to run twice: a process may crash after the work and before deleting the job. */
  run(job: Job, signal: AbortSignal): Promise<void>;
};

const poll_ms = 1000;
const min_poll_ms = 5;
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
const backoffSeconds = (attempts: number) => Math.min(2 ** attempts, 300);

type NewJob = {
  kind: string;
  payload?: Record<string, unknown>;
  run_at?: Date;
  unique_key?: string;
  /** Replaces a job with the same key, also one that runs: it runs again at the new time, and the current run is outdated. */
  replace?: boolean;
};
type QueueDeps = { db: Database; clock: Clock; ids: Ids; log: Log; tracing?: Tracing | null };

type JobsDeps = QueueDeps & {
  handlers: JobHandler[];
  /** Of the shared lane. */
  concurrency?: number;
  /** New recurring jobs run first after their period, not at the start. */
  delay_recurring?: boolean;
};

export function jobs(deps: JobsDeps) {
  const { db, log } = deps;
  const handlers = new Map(deps.handlers.map((handler) => [handler.kind, handler]));
  const kinds = [...handlers.keys()];
  const running = () => lanes.flatMap((lane) => [...lane.running]);
  const stop = new AbortController();

  const ended = (lane: RunningLane): void => {
    if (stop.signal.aborted) return;
    // Its place is free, and it may have enqueued other jobs. Of the punctual lane the next time is looked up, too.
    if (lane.name === punctual_lane) wake();
    else lane.poll().catch((error) => log.warn({ err: error }, 'job poll failed; retrying'));
  };
  const context: RunContext = { deps, handlers, signal: stop.signal, ended };
  const lanes = lanesOf(deps, (lane) => startDue(context, lane));
  const poll = async (): Promise<void> => {
    for (const lane of lanes) await lane.poll();
  };
  const startedSoFar = () => lanes.reduce((sum, { started }) => sum + started, 0);

  const nextPoll = async () => {
    const lane = lanes.find(({ name }) => name === punctual_lane);
    // A full lane polls when one of its jobs ends.
    if (!lane || lane.running.size >= lane.concurrency) return poll_ms;
    const due = await nextDue(db, lane.kinds);
    return due ? Math.min(Math.max(due.getTime() - deps.clock.ms(), min_poll_ms), poll_ms) : poll_ms;
  };
  const { loop, wake, lastPoll } = pollingLoop(poll, nextPoll, stop.signal, log);

  return {
    enqueue: (on: Queryable, job: NewJob) => enqueue(deps, on, job),
    wake,
    async start() {
      await enqueueRecurring(deps);
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
    /** Another process runs a job that was cut when its lease ends. */
    async stop(cut?: AbortSignal): Promise<void> {
      stop.abort();
      await untilCut(
        // After the abort a poll claims no job: this one only waits for a claim that is in progress.
        Promise.all([lastPoll(), poll()]).then(() => Promise.all(running())),
        cut,
      );
    },
  };
}
export type Jobs = ReturnType<typeof jobs>;

type RunningLane = {
  name: Lane;
  concurrency: number;
  kinds: string[];
  running: Set<Promise<void>>;
  /** How many jobs since the start of the process. */
  started: number;
  /** Starts due jobs up to the limit of the lane. */
  poll(): Promise<void>;
};

const lanesOf = (
  { handlers, concurrency }: JobsDeps,
  startDue: (lane: RunningLane) => Promise<void>,
): RunningLane[] =>
  (Object.keys(lane_concurrency) as Lane[])
    .map((name) => {
      const lane: RunningLane = {
        name,
        concurrency: name === 'shared' ? (concurrency ?? lane_concurrency.shared) : lane_concurrency[name],
        kinds: handlers.filter(({ lane: own = 'shared' }) => own === name).map(({ kind }) => kind),
        running: new Set(),
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

const after = (clock: Clock, seconds: number) => new Date(clock.ms() + seconds * 1000);

async function enqueue({ ids, clock, tracing }: QueueDeps, on: Queryable, job: NewJob): Promise<void> {
  const traceparent = tracing?.current();
  const payload = { ...job.payload, ...(traceparent ? { traceparent } : {}) };
  await on.run(sql`
    insert into jobs (id, kind, payload, unique_key, run_at, attempts, claims)
    values (${ids.next()}, ${job.kind}, ${JSON.stringify(payload)}, ${job.unique_key ?? null},
            ${job.run_at ?? clock.now()}, 0, 0)
    on conflict (unique_key) ${job.replace ? replacement : sql`do nothing`}`);
}

/** The greater claim makes a run of the job outdated: it does not delete the job when it ends. */
const replacement = sql`
  do update set payload = excluded.payload, run_at = excluded.run_at, attempts = 0, claims = jobs.claims + 1`;

/** In one statement, because every start of a process does this. */
async function enqueueRecurring({ db, ids, clock, handlers, delay_recurring }: JobsDeps): Promise<void> {
  const recurring = handlers.filter(({ every_seconds }) => every_seconds !== undefined);
  const firstRun = (every_seconds = 0) => after(clock, delay_recurring ? every_seconds : 0);
  await db.run(sql`
    insert into jobs (id, kind, payload, unique_key, run_at, attempts, claims)
    select id, kind, '{}', 'every:' || kind, run_at, 0, 0
      from unnest(${recurring.map(() => ids.next())}::uuid[], ${recurring.map(({ kind }) => kind)}::text[],
                  ${recurring.map(({ every_seconds }) => firstRun(every_seconds))}::timestamptz[]) as job (id, kind, run_at)
    on conflict (unique_key) do nothing`);
}

/** Claims the jobs that are due for longest. */
async function claim(
  { db, clock }: QueueDeps,
  handlers: ReadonlyMap<string, JobHandler>,
  kinds: readonly string[],
  limit: number,
): Promise<Job[]> {
  const now = clock.now();
  const leases = kinds.map((kind) => handlers.get(kind)!.lease_seconds ?? default_lease_seconds);
  return db.rows<Job>(sql`
    with due as (
      select id, run_at from jobs where run_at <= ${now} and kind = any(${kinds})
       order by run_at limit ${limit} for update skip locked),
    claimed as (
      update jobs set claims = claims + 1,
             run_at = ${now}::timestamptz + make_interval(secs => (${leases}::float8[])[array_position(${kinds}::text[], kind)])
        from due where jobs.id = due.id
      returning jobs.id, kind, payload, attempts, claims, due.run_at as due_at)
    select id, kind, payload, attempts, claims from claimed order by due_at`);
}

type RunContext = {
  deps: QueueDeps;
  handlers: ReadonlyMap<string, JobHandler>;
  signal: AbortSignal;
  /** A job of the lane ended. */
  ended(lane: RunningLane): void;
};

async function startDue(context: RunContext, lane: RunningLane): Promise<void> {
  for (;;) {
    const free = lane.concurrency - lane.running.size;
    if (context.signal.aborted || free <= 0) return;
    const claimed = await claim(context.deps, context.handlers, lane.kinds, free);
    for (const job of claimed) startJob(context, lane, job);
    if (claimed.length < free) return;
  }
}

function startJob({ deps, handlers, signal, ended }: RunContext, lane: RunningLane, job: Job): void {
  const run = runJob(deps, handlers.get(job.kind)!, job, signal)
    .catch((error) =>
      deps.log.warn({ job_id: job.id, err: error }, 'job not finished; it runs again when its lease ends'),
    )
    .finally(() => {
      lane.running.delete(run);
      ended(lane);
    });
  lane.running.add(run);
  lane.started++;
}

async function runJob(deps: QueueDeps, handler: JobHandler, job: Job, signal: AbortSignal): Promise<void> {
  let failure: unknown = null;
  try {
    await runTraced(deps, handler, job, signal);
  } catch (error) {
    failure = error;
    deps.log.warn({ job_id: job.id, kind: job.kind, err: error }, 'job failed');
  }
  await finish(deps, job, handler, failure);
}

/** A recurring job belongs to no request; the others continue the trace of the request that enqueued them. */
function runTraced(
  { tracing }: QueueDeps,
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

/** `claims` is a fencing token: only the run with the newest claim may finish the job. */
async function finish(
  { db, clock, log }: QueueDeps,
  job: Job,
  handler: JobHandler,
  error: unknown,
): Promise<void> {
  const own = sql`id = ${job.id} and claims = ${job.claims}`;
  if (handler.every_seconds !== undefined) {
    await db.run(sql`update jobs set run_at = ${after(clock, handler.every_seconds)} where ${own}`);
  } else if (!error) {
    await db.run(sql`delete from jobs where ${own}`);
  } else if (job.attempts + 1 >= (handler.max_attempts ?? default_max_attempts)) {
    log.error({ job_id: job.id, kind: job.kind, err: error }, 'job given up');
    await db.run(sql`delete from jobs where ${own}`);
  } else {
    const run_at = after(clock, backoffSeconds(job.attempts));
    await db.run(sql`update jobs set attempts = attempts + 1, run_at = ${run_at} where ${own}`);
  }
}

async function nextDue(db: Database, kinds: readonly string[]): Promise<Date | null> {
  const row = await db.maybe<{ run_at: Date | null }>(sql`
    select min(run_at) as run_at from jobs where kind = any(${kinds})`);
  return row?.run_at ?? null;
}

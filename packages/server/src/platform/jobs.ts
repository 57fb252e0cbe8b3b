// Background work that survives any death: rows with a lease, claimed by whichever process is free.
import type { Clock } from './clock.ts';
import type { Database, Queryable } from './db/database.ts';
import { sql } from './db/sql.ts';
import { untilCut } from './drain.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';

export type Job = { id: string; kind: string; payload: Record<string, unknown>; attempts: number };

export type JobHandler = {
  kind: string;
  /** How long a run may take before another process may start it again. */
  lease_seconds?: number;
  /** A recurring job is put in the queue by itself, once for all processes. */
  every_seconds?: number;
  /** After so many failed runs the job is given up and logged; recurring jobs never are. */
  max_attempts?: number;
  /** Must be safe to run twice: a process may die after the work and before saying so. */
  run(job: Job, signal: AbortSignal): Promise<void>;
};

const poll_ms = 1000;
const backoff_seconds = (attempts: number) => Math.min(2 ** attempts, 300);

export function jobs(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  handlers: JobHandler[];
  concurrency?: number;
}) {
  const { db, clock, ids, log } = deps;
  const handlers = new Map(deps.handlers.map((handler) => [handler.kind, handler]));
  const kinds = [...handlers.keys()];
  const once_kinds = kinds.filter((kind) => handlers.get(kind)!.every_seconds === undefined);
  const running = new Set<Promise<void>>();
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();

  const after = (seconds: number) => new Date(clock.ms() + seconds * 1000);

  const enqueue = async (
    on: Queryable,
    job: { kind: string; payload?: Record<string, unknown>; run_at?: Date; unique_key?: string },
  ) => {
    await on.run(sql`
      insert into jobs (id, kind, payload, unique_key, run_at, attempts, claims)
      values (${ids.next()}, ${job.kind}, ${JSON.stringify(job.payload ?? {})}, ${job.unique_key ?? null},
              ${job.run_at ?? clock.now()}, 0, 0)
      on conflict (unique_key) do nothing`);
  };

  const claim = async (): Promise<(Job & { claims: number }) | null> => {
    const now = clock.now();
    const job = await db.maybe<Job & { claims: number }>(sql`
      update jobs set claims = claims + 1, run_at = ${after(60)}
       where id = (select id from jobs where run_at <= ${now} and kind = any(${kinds})
                    order by run_at limit 1 for update skip locked)
      returning id, kind, payload, attempts, claims`);
    const lease_seconds = job && handlers.get(job.kind)!.lease_seconds;
    if (lease_seconds && lease_seconds !== 60) {
      await db.run(
        sql`update jobs set run_at = ${after(lease_seconds)} where id = ${job.id} and claims = ${job.claims}`,
      );
    }
    return job;
  };

  /** `claims` fences off a run whose lease was lost: only the newest may close the job. */
  const finish = async (job: Job & { claims: number }, handler: JobHandler, error: unknown) => {
    const mine = sql`id = ${job.id} and claims = ${job.claims}`;
    if (handler.every_seconds !== undefined) {
      await db.run(sql`update jobs set run_at = ${after(handler.every_seconds)} where ${mine}`);
    } else if (!error) {
      await db.run(sql`delete from jobs where ${mine}`);
    } else if (job.attempts + 1 >= (handler.max_attempts ?? 10)) {
      log.error({ job_id: job.id, kind: job.kind, err: error }, 'job given up');
      await db.run(sql`delete from jobs where ${mine}`);
    } else {
      await db.run(
        sql`update jobs set attempts = attempts + 1, run_at = ${after(backoff_seconds(job.attempts))} where ${mine}`,
      );
    }
  };

  const runOne = async (job: Job & { claims: number }) => {
    const handler = handlers.get(job.kind)!;
    let failure: unknown = null;
    try {
      await handler.run(job, stop.signal);
    } catch (error) {
      failure = error;
      log.warn({ job_id: job.id, kind: job.kind, err: error }, 'job failed');
    }
    await finish(job, handler, failure);
  };

  /** Starts what is due, up to the concurrency; resolves when nothing more can be started. */
  const poll = async () => {
    while (!stop.signal.aborted && running.size < (deps.concurrency ?? 4)) {
      const job = await claim();
      if (!job) return;
      const run = runOne(job)
        .catch((error) => log.warn({ job_id: job.id, err: error }, 'job not closed; its lease will end'))
        .finally(() => {
          running.delete(run);
          wake();
        });
      running.add(run);
    }
  };

  const loop = () => {
    polling = poll()
      .catch((error) => log.warn({ err: error }, 'jobs cannot be read; trying again'))
      .finally(() => {
        if (!stop.signal.aborted) timer = setTimeout(loop, poll_ms);
      });
  };

  function wake() {
    if (stop.signal.aborted || !timer) return;
    clearTimeout(timer);
    timer = undefined;
    loop();
  }

  return {
    enqueue,
    wake,
    async start() {
      for (const handler of deps.handlers) {
        if (handler.every_seconds !== undefined)
          await enqueue(db, { kind: handler.kind, unique_key: `every:${handler.kind}` });
      }
      loop();
    },
    /** When the next job that does not recur is due. */
    async nextDue(): Promise<Date | null> {
      const row = await db.maybe<{ run_at: Date | null }>(sql`
        select min(run_at) as run_at from jobs where kind = any(${once_kinds})`);
      return row?.run_at ?? null;
    },
    /** Runs everything due now and waits for it: for the sandbox clock and for tests. */
    async drain(): Promise<void> {
      await polling;
      for (;;) {
        await poll();
        if (running.size === 0) return;
        await Promise.all(running);
      }
    },
    /** A job that goes on after the cut is run again by another process when its lease ends. */
    async stop(cut?: AbortSignal): Promise<void> {
      stop.abort();
      clearTimeout(timer);
      await untilCut(
        polling.then(() => Promise.all(running)),
        cut,
      );
    },
  };
}
export type Jobs = ReturnType<typeof jobs>;

// The SQL of the job queue. A claim counts as a start, and a run that ends takes its start back: what stays are runs that a
// process or a lease did not survive.
import type { Clock } from './clock.ts';
import type { Database, Queryable, Transaction } from './db/database.ts';
import { sql } from './db/sql.ts';
import { type Ids, momentOf } from './ids.ts';
import type { Log } from './log.ts';
import { max_lost_runs, type SetAsideDeps, setAside } from './set-aside.ts';
import type { Tracing } from './tracing/trace.ts';

export type Job = {
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  /** Runs that ended with an error. */
  attempts: number;
  /** A fencing token: only the run with the newest claim may finish the job. */
  claims: number;
};

/** `starts`: runs that began and have not ended, with this one. */
export type ClaimedJob = Job & { starts: number; unique_key: string | null };

export type NewJob = {
  kind: string;
  payload?: Record<string, unknown>;
  run_at?: Date;
  unique_key?: string;
  /** Replaces a job with the same key, also one that runs: it runs again at the new time, and the current run is outdated. */
  replace?: boolean;
};

export type JobStoreDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  tracing?: Tracing | null;
  countSetAside?: SetAsideDeps['countSetAside'] | undefined;
};

/** How the queue claims and finishes jobs of a kind. */
export type JobKind = {
  kind: string;
  lease_seconds: number;
  /** Null: runs once. */
  every_seconds: number | null;
  max_attempts: number;
  /** See `JobHandler`. */
  givenUp?: ((tx: Transaction, job: Job) => Promise<void>) | undefined;
};

/**
 * A recurring job does the work of the whole service, and often for entries that count their own starts: it stops only when it is
 * clear that it is the reason.
 */
const max_lost_recurring = 5;
const backoffSeconds = (attempts: number) => Math.min(2 ** attempts, 300);
const after = (clock: Clock, seconds: number) => new Date(clock.ms() + seconds * 1000);

const mayLose = ({ every_seconds }: JobKind): number =>
  every_seconds === null ? max_lost_runs : max_lost_recurring;

/** Whether runs of the job that came before this claim were lost too often. */
export const isLost = (job: ClaimedJob, kind: JobKind): boolean => job.starts > mayLose(kind);

export async function enqueue(
  { ids, clock, tracing }: JobStoreDeps,
  on: Queryable,
  job: NewJob,
): Promise<void> {
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
  do update set payload = excluded.payload, run_at = excluded.run_at, attempts = 0, starts = 0, claims = jobs.claims + 1`;

/** In one statement, because every start of a process does this. */
export async function enqueueRecurring(
  { db, ids, clock }: JobStoreDeps,
  recurring: readonly { kind: string; delay_seconds: number }[],
): Promise<void> {
  await db.run(sql`
    insert into jobs (id, kind, payload, unique_key, run_at, attempts, claims)
    select id, kind, '{}', 'every:' || kind, run_at, 0, 0
      from unnest(${recurring.map(() => ids.next())}::uuid[], ${recurring.map(({ kind }) => kind)}::text[],
                  ${recurring.map(({ delay_seconds }) => after(clock, delay_seconds))}::timestamptz[]) as job (id, kind, run_at)
    on conflict (unique_key) do nothing`);
}

/** Claims the jobs that are due for longest, and at most one of those that a process did not survive. */
export async function claim(
  { db, clock }: JobStoreDeps,
  kinds: readonly JobKind[],
  { limit, with_lost }: { limit: number; with_lost: boolean },
): Promise<ClaimedJob[]> {
  const now = clock.now();
  const names = kinds.map(({ kind }) => kind);
  const leases = kinds.map(({ lease_seconds }) => lease_seconds);
  const recurring = kinds.filter(({ every_seconds }) => every_seconds !== null).map(({ kind }) => kind);
  const isLostJob = sql`(starts > 0 and kind <> all(${recurring}::text[]))`;
  return db.rows<ClaimedJob>(sql`
    with fresh as (
      select id, run_at from jobs where run_at <= ${now} and kind = any(${names}) and not ${isLostJob}
       order by run_at limit ${limit} for update skip locked),
    lost as (
      select id, run_at from jobs where run_at <= ${now} and kind = any(${names}) and ${isLostJob}
       order by run_at limit ${with_lost ? 1 : 0} for update skip locked),
    due as (select * from (select * from fresh union all select * from lost) candidate order by run_at limit ${limit}),
    claimed as (
      update jobs set claims = claims + 1, starts = starts + 1,
             run_at = ${now}::timestamptz + make_interval(secs => (${leases}::float8[])[array_position(${names}::text[], kind)])
        from due where jobs.id = due.id
      returning jobs.id, kind, payload, attempts, claims, starts, unique_key, due.run_at as due_at)
    select id, kind, payload, attempts, claims, starts, unique_key from claimed order by due_at`);
}

type Claim = Pick<Job, 'id' | 'claims'>;
const running = (claims: readonly Claim[]) => sql`
  unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ claims: token }) => token)}::int[]) as r (id, claims)`;

/** Extends the leases of runs that are still going on. */
export const renew = (
  { db, clock }: JobStoreDeps,
  runs: readonly (Claim & { lease_seconds: number })[],
): Promise<number> =>
  db.run(sql`
    update jobs set run_at = greatest(run_at, ${clock.now()}::timestamptz + make_interval(secs => r.lease_seconds))
      from unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ claims }) => claims)}::int[],
                  ${runs.map(({ lease_seconds }) => lease_seconds)}::float8[]) as r (id, claims, lease_seconds)
     where jobs.id = r.id and jobs.claims = r.claims`);

/** For runs that a clean stop cuts: they were not lost. Their leases stay, because they may still be working. */
export const giveBackStarts = ({ db }: JobStoreDeps, claims: readonly Claim[]): Promise<number> =>
  db.run(sql`
    update jobs set starts = greatest(starts - 1, 0) from ${running(claims)}
     where jobs.id = r.id and jobs.claims = r.claims`);

const ownRow = ({ id, claims }: Claim) => sql`id = ${id} and claims = ${claims}`;

/** `claims` is a fencing token: only the run with the newest claim may finish the job. */
export async function finish(
  deps: JobStoreDeps,
  job: ClaimedJob,
  kind: JobKind,
  error: unknown,
): Promise<void> {
  const { db, clock } = deps;
  if (kind.every_seconds !== null) {
    const run_at = after(clock, kind.every_seconds);
    await db.run(sql`update jobs set run_at = ${run_at}, starts = 0 where ${ownRow(job)}`);
  } else if (!error) {
    const deleted = await db.run(sql`delete from jobs where ${ownRow(job)}`);
    // It outlived its lease, and was set aside meanwhile.
    if (deleted === 0) await setAside(deps).forget(db, 'jobs', job.id);
  } else if (job.attempts + job.starts >= kind.max_attempts) {
    await setJobAside(deps, job, kind, error);
  } else {
    const run_at = after(clock, backoffSeconds(job.attempts));
    await db.run(sql`
      update jobs set attempts = attempts + 1, starts = greatest(starts - 1, 0), run_at = ${run_at} where ${ownRow(job)}`);
  }
}

/** Takes a job out of its queue. `error`: what its last run threw; without one its runs were lost. */
export async function setJobAside(
  deps: JobStoreDeps,
  job: ClaimedJob,
  kind: JobKind,
  error?: unknown,
): Promise<void> {
  const has_failed = error !== undefined;
  await deps.db.transaction(async (tx) => {
    if ((await leaveQueue(tx, job, kind)) === 0) return;
    await kind.givenUp?.(tx, job);
    const { organization_id } = job.payload;
    await setAside(deps).add(tx, [
      {
        queue: 'jobs',
        kind: job.kind,
        organization_id: typeof organization_id === 'string' ? organization_id : null,
        object_id: job.id,
        reason: has_failed ? 'failed' : 'process_ended',
        lost_runs: job.starts - 1,
        failed_runs: job.attempts + (has_failed ? 1 : 0),
        error,
        // What has its final state cannot run again.
        ...(kind.givenUp ? {} : { payload: job.payload }),
        unique_key: job.unique_key,
        queued_at: momentOf(job.id),
      },
    ]);
  });
}

/** The row of a recurring job stays: without it, the next start of a process would enqueue the job again. */
const leaveQueue = (tx: Transaction, job: ClaimedJob, { every_seconds }: JobKind): Promise<number> =>
  every_seconds === null
    ? tx.run(sql`delete from jobs where ${ownRow(job)}`)
    : tx.run(sql`update jobs set run_at = 'infinity' where ${ownRow(job)}`);

/** Puts a job that was set aside back into its queue. If its key is in use, newer work of the same kind is waiting already. */
export async function runJobAgain(
  tx: Transaction,
  { id, kind, payload, unique_key }: Pick<ClaimedJob, 'id' | 'kind' | 'payload' | 'unique_key'>,
  now: Date,
): Promise<void> {
  const is_recurring = unique_key === `every:${kind}`;
  await tx.run(sql`
    insert into jobs (id, kind, payload, unique_key, run_at, attempts, claims)
    values (${id}, ${kind}, ${JSON.stringify(payload)}, ${unique_key}, ${now}, 0, 0)
    on conflict ${is_recurring ? sql`(unique_key) do update set run_at = excluded.run_at, starts = 0` : sql`do nothing`}`);
}

export async function nextDue(db: Database, kinds: readonly string[]): Promise<Date | null> {
  const row = await db.maybe<{ run_at: Date | null }>(sql`
    select min(run_at) as run_at from jobs where kind = any(${kinds}) and run_at < 'infinity'`);
  return row?.run_at ?? null;
}

// What every feature gets from the platform: database, clocks, ids, log, outbox, jobs, limits and keys.
import { type Clock, type MovableClock, systemClock } from './clock.ts';
import { derivedKey, type MasterKey, type Sealer, sealer } from './crypto.ts';
import type { Database } from './db/database.ts';
import type { FindIds } from './db/list-filter.ts';
import type { DiskSpace } from './disk-space.ts';
import { type Drain, makeDrain } from './drain.ts';
import type { AddressPolicy, PrivateTargets } from './egress/address-policy.ts';
import { targetPolicy } from './egress/target-policy.ts';
import type { Feature } from './feature.ts';
import { type Ceilings, ceilings } from './http/ceilings.ts';
import { type Idempotency, idempotency } from './idempotency.ts';
import { type Ids, uuidv7Ids } from './ids.ts';
import type { Jobs } from './jobs.ts';
import { type Mover, mover } from './lifecycle.ts';
import type { Log } from './log.ts';
import { type Metrics, makeMetrics } from './metrics.ts';
import { type FanOut, type Outbox, outbox } from './outbox.ts';
import { type PartyHash, partyHasher } from './party-hash.ts';
import { rateLimiter } from './rate-limit.ts';
import { makeSolo, type Solo } from './solo.ts';
import type { Tracing } from './tracing/trace.ts';
import { deleteOldTraces } from './tracing/trace-store.ts';
import { makeUnitOfWork, type UnitOfWork } from './unit-of-work/unit-of-work.ts';
import { makeWake, type Wake } from './wake.ts';

export type Platform = {
  db: Database;
  log: Log;
  /** The time of the service, which the sandbox can move. */
  clock: MovableClock;
  /** Cannot be moved. */
  wall_clock: Clock;
  /** Decides when data is old enough to delete: the wall clock where tenants share the process. */
  expiry_clock: Clock;
  /** Tenants share the process. */
  is_managed: boolean;
  ids: Ids;
  /** Names this process for as long as it runs. */
  process_id: string;
  drain: Drain;
  /** Aborted when a stop begins: requests that wait are answered immediately. */
  draining: AbortSignal;
  /** Tells other processes, and this one, that a table has work for them. */
  wake: Wake;
  metrics: Metrics;
  tracing: Tracing | null;
  countOutcome: Metrics['countOutcome'];
  countSetAside: Metrics['countSetAside'];
  solo: Solo;
  sealer: Sealer;
  keyFor(purpose: string): Buffer;
  partyHash: PartyHash;
  idempotency: Idempotency;
  /** Requests per minute of credentials and of organizations. */
  limiter: Ceilings;
  /** Addresses that users supply are checked against it. */
  target_policy: AddressPolicy;
  /** Null where nothing durable is on the local disk. */
  disk: DiskSpace | null;
  jobs: Pick<Jobs, 'enqueue' | 'wake' | 'isCurrent'>;
  enqueue: Jobs['enqueue'];
  outbox: Outbox;
  move: Mover;
  unitOfWork: UnitOfWork;
  /** For lists with filters by words and people. */
  findIds: FindIds;
  /** The public address of this process. */
  baseUrl(): string;
};

export function makePlatform(
  settings: Pick<Platform, 'db' | 'log' | 'tracing' | 'is_managed' | 'disk' | 'baseUrl'> & {
    clock: MovableClock | undefined;
    wall_clock: Clock | undefined;
    /** The first one seals, all can open. */
    master_keys: readonly MasterKey[];
    /** Signs links and return paths; undefined: the newest master key. */
    signing_key: Buffer | undefined;
    requests_per_minute: { credential: number; organization: number };
    private_targets: PrivateTargets | 'auto';
  },
  late: { jobs: Jobs; fan_out: FanOut; search: { findIds: FindIds } },
): Platform {
  const { db, log, tracing, is_managed } = settings;
  const clock = settings.clock ?? systemClock();
  const wall_clock = settings.wall_clock ?? systemClock();
  const expiry_clock = is_managed ? wall_clock : clock;
  const ids = uuidv7Ids(clock);
  const drain = makeDrain();
  const metrics = makeMetrics();
  tracing?.onDrop(
    metrics.counter('parley_trace_spans_dropped_total', 'Spans that could not be sent to the collector.'),
  );
  const keyFor = (purpose: string) =>
    derivedKey(settings.signing_key ?? settings.master_keys[0]!.key, purpose);
  const { credential, organization } = settings.requests_per_minute;
  const jobs = wakingJobs(late.jobs);
  const event_outbox = outbox({ clock, ids, tracing, fan_out: late.fan_out });
  return {
    db,
    log,
    tracing,
    is_managed,
    disk: settings.disk,
    baseUrl: settings.baseUrl,
    clock,
    wall_clock,
    expiry_clock,
    ids,
    process_id: ids.next(),
    drain,
    draining: drain.signal,
    wake: makeWake({ db, log }),
    metrics,
    countOutcome: metrics.countOutcome,
    countSetAside: metrics.countSetAside,
    solo: makeSolo(),
    sealer: sealer(settings.master_keys),
    keyFor,
    partyHash: partyHasher(keyFor),
    idempotency: idempotency({ db, clock: expiry_clock }),
    limiter: ceilings({
      credentials: rateLimiter({ db, limit_per_minute: credential }),
      organizations: rateLimiter({ db, limit_per_minute: organization }),
    }),
    target_policy: targetPolicy(settings.private_targets, { is_managed }),
    jobs,
    enqueue: jobs.enqueue,
    outbox: event_outbox,
    move: mover({ outbox: event_outbox }),
    unitOfWork: makeUnitOfWork({ db, clock, log, tracing, outbox: event_outbox }),
    findIds: late.search.findIds,
  };
}

/** A job that is enqueued here runs here soon, without waiting for the next poll. */
const wakingJobs = ({ enqueue, wake, isCurrent }: Jobs): Platform['jobs'] => ({
  async enqueue(on, job) {
    await enqueue(on, job);
    wake();
  },
  wake,
  isCurrent,
});

/** Wake-ups between processes, and periodic cleaning of the tables that belong to the platform. */
export const platformFeature = ({ db, wall_clock, idempotency, limiter, wake }: Platform): Feature => ({
  // Not awaited: until it listens, and where it cannot, listeners are polled.
  prepare: async () => void wake.start(),
  close: async () => wake.stop(),
  jobs: [
    {
      kind: 'forget_idempotency_keys',
      every_seconds: 3600,
      run: async () => void (await idempotency.forgetExpired()),
    },
    {
      kind: 'forget_traces',
      every_seconds: 3600,
      run: async () => void (await deleteOldTraces(db, wall_clock.now())),
    },
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => limiter.sweep() },
  ],
});

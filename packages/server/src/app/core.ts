// Builds what every feature needs: clocks, ids, metrics, sealing keys, limits, the job queue and the service's own addresses.
import type { Config } from '../config/config.ts';
import { organizationCeiling } from '../config/identity.ts';
import { mcpAccess } from '../config/mcp.ts';
import { sharedKeyFingerprint } from '../features/access/identity/index.ts';
import { systemClock } from '../platform/clock.ts';
import { derivedKey, sealer } from '../platform/crypto.ts';
import { diskSpace } from '../platform/disk-space.ts';
import { makeDrain } from '../platform/drain.ts';
import { targetPolicy } from '../platform/egress/target-policy.ts';
import type { Feature } from '../platform/feature.ts';
import { ceilings } from '../platform/http/ceilings.ts';
import { idempotency } from '../platform/idempotency.ts';
import { uuidv7Ids } from '../platform/ids.ts';
import type { Jobs } from '../platform/jobs.ts';
import { makeMetrics } from '../platform/metrics.ts';
import { partyHasher } from '../platform/party-hash.ts';
import { rateLimiter } from '../platform/rate-limit.ts';
import { makeSolo } from '../platform/solo.ts';
import { deleteOldTraces } from '../platform/tracing/trace-store.ts';
import { makeWake } from '../platform/wake.ts';
import type { AppOptions } from './interface.ts';

export function buildCore(options: AppOptions) {
  const { config, db, log } = options;
  const clock = options.clock ?? systemClock();
  const wall_clock = options.wall_clock ?? systemClock();
  const is_managed = config.PARLEY_MANAGED === 'on';
  // In managed mode tenants share the process, so moving the sandbox clock must not expire or delete data of others.
  const expiry_clock = is_managed ? wall_clock : clock;
  const drain = makeDrain();
  const metrics = makeMetrics();
  const queue = lateJobQueue();
  const ids = uuidv7Ids(clock);
  const { tracing = null } = options;
  const keyFor = (purpose: string) => derivedKey(options.signing_key ?? options.master_keys[0]!.key, purpose);
  tracing?.onDrop(
    metrics.counter('parley_trace_spans_dropped_total', 'Spans that could not be sent to the collector.'),
  );
  return {
    options,
    config,
    db,
    log,
    clock,
    wall_clock,
    expiry_clock,
    is_managed,
    ids,
    /** Names this process for as long as it runs. */
    process_id: ids.next(),
    drain,
    draining: drain.signal,
    /** Tells other processes, and this one, that a table has work for them. */
    wake: makeWake({ db, log }),
    metrics,
    tracing,
    countOutcome: metrics.countOutcome,
    countSetAside: metrics.countSetAside,
    solo: makeSolo(),
    sealer: sealer(options.master_keys),
    keyFor,
    partyHash: partyHasher(keyFor),
    idempotency: idempotency({ db, clock: expiry_clock }),
    request_limits: ceilings({
      credentials: rateLimiter({ db, limit_per_minute: config.PARLEY_REQUESTS_PER_MINUTE }),
      organizations: rateLimiter({ db, limit_per_minute: organizationCeiling(config) }),
    }),
    /** Keys that a shared key issued work while it is set. */
    shared_keys: new Set(
      [options.shared_key, config.PARLEY_SHARED_KEY_PREVIOUS].flatMap((key) =>
        key ? sharedKeyFingerprint(key) : [],
      ),
    ),
    /** Addresses that users supply are checked against it. */
    target_policy: targetPolicy(config.WEBHOOK_PRIVATE_TARGETS, { is_managed }),
    disk: localDisk(config),
    queue,
    jobs: queue.jobs,
    enqueue: queue.jobs.enqueue,
    ...ownAddresses(config),
  };
}
export type Core = ReturnType<typeof buildCore>;

/** The public addresses of this process. Ports are only certain once the servers listen. */
function ownAddresses(config: Config) {
  let port = config.PORT;
  let mcp_listening: string | null = null;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  return {
    baseUrl: () => config.PARLEY_BASE_URL ?? `http://${host}:${port}`,
    mcp: () => mcpAccess(config, mcp_listening),
    listening(actual_port: number) {
      port = actual_port;
    },
    mcpListening(url: string) {
      mcp_listening = url;
    },
  };
}

/** Features enqueue jobs, but the queue is built from the features' handlers: it is bound after they exist. */
function lateJobQueue() {
  let bound: Jobs | null = null;
  const queue = (): Jobs => {
    if (!bound) throw new Error('The job queue is used before the app is built.');
    return bound;
  };
  const jobs: Pick<Jobs, 'enqueue' | 'wake' | 'isCurrent'> = {
    async enqueue(on, job) {
      await queue().enqueue(on, job);
      queue().wake();
    },
    wake: () => queue().wake(),
    isCurrent: (tx, job) => queue().isCurrent(tx, job),
  };
  return {
    jobs,
    bind(built: Jobs) {
      bound = built;
    },
  };
}

/** Null where nothing durable is on the local disk, so that a full disk does no harm. */
const localDisk = (config: Config) =>
  config.DATABASE_URL === null || config.PARLEY_STORAGE === 'folder'
    ? diskSpace({ folder: config.data_dir, min_bytes: config.PARLEY_STORAGE_MIN_FREE_MB * 1024 * 1024 })
    : null;

/** Wake-ups between processes, and periodic cleaning of the tables that belong to the platform. */
export const coreFeature = ({ db, wall_clock, idempotency, request_limits, wake }: Core): Feature => ({
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
    { kind: 'sweep_rate_buckets', every_seconds: 300, run: () => request_limits.sweep() },
  ],
});

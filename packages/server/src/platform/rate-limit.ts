// Limits requests per key over all processes: each process leases a block of the limit from the database.
import type { Database } from './db/database.ts';
import { sql } from './db/sql.ts';

export type Verdict = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the whole limit is available again. */
  reset_seconds: number;
  /** Until the next request can succeed; 0 when this one did. */
  retry_after_seconds: number;
};

const minute_ms = 60_000;
/** Clients choose many of the keys, so the cache is bounded. A dropped lease costs one more query. */
const max_leases = 50_000;

/**
 * A leaky bucket (GCRA): `limit` requests at once, refilled evenly over a minute. The bucket is one row holding the
 * time at which it will be full again. Other processes cannot use a block that one process leased, so callers may get
 * slightly less than the limit, never more.
 */
export function rateLimiter(deps: {
  db: Database;
  limit_per_minute: number;
  /** Replaces the minute of `limit_per_minute`. */
  window_ms?: number;
  monotonic_ms?: () => number;
}) {
  const { db, limit_per_minute: limit, window_ms = minute_ms } = deps;
  const monotonic = deps.monotonic_ms ?? (() => performance.now());
  const interval_ms = window_ms / limit;
  const block = Math.max(1, Math.floor(limit / 20));
  type Lease = { tokens: number; remaining: number; leased_at: number; denied_until: number };
  const leases = new Map<string, Lease>();
  const pending_leases = new Map<string, Promise<Lease>>();

  const leaseFromDatabase = async (key: string): Promise<Lease> => {
    const { granted, ahead_ms } = await takeBlock(db, key, { block, interval_ms, window_ms });
    const now = monotonic();
    const lease: Lease = {
      tokens: granted,
      remaining: granted + Math.max(0, Math.floor((window_ms - ahead_ms) / interval_ms)),
      leased_at: now,
      denied_until: granted > 0 ? 0 : now + Math.max(1, ahead_ms - window_ms + interval_ms),
    };
    leases.set(key, lease);
    if (leases.size > max_leases) leases.delete(leases.keys().next().value!);
    return lease;
  };

  const verdict = (lease: Lease, allowed: boolean): Verdict => {
    const remaining = Math.min(limit - 1, Math.max(0, lease.remaining));
    return {
      allowed,
      limit,
      remaining,
      reset_seconds: Math.ceil(((limit - remaining) * interval_ms) / 1000),
      retry_after_seconds: allowed ? 0 : Math.max(1, Math.ceil((lease.denied_until - monotonic()) / 1000)),
    };
  };

  /** Decides by the lease in memory; null when the database must be queried. */
  const local = (key: string): Verdict | null => {
    const lease = leases.get(key);
    if (!lease) return null;
    const now = monotonic();
    if (lease.denied_until > now) return verdict(lease, false);
    if (lease.tokens === 0 || now - lease.leased_at > window_ms) return null;
    lease.tokens--;
    lease.remaining--;
    return verdict(lease, true);
  };

  const take = async (key: string): Promise<Verdict> => {
    for (;;) {
      const bucket = local(key);
      if (bucket) return bucket;
      let pending = pending_leases.get(key);
      if (!pending) {
        pending = leaseFromDatabase(key).finally(() => pending_leases.delete(key));
        pending_leases.set(key, pending);
      }
      await pending;
    }
  };

  return {
    take: (key: string): Verdict | Promise<Verdict> => local(key) ?? take(key),
    /** Deletes buckets that are full again: memory and table hold only callers of the last minutes. */
    async sweep(): Promise<void> {
      const now = monotonic();
      for (const [key, lease] of leases) if (now - lease.leased_at > window_ms) leases.delete(key);
      await db.run(sql`delete from rate_buckets where full_at < clock_timestamp() - interval '1 minute'`);
    },
  };
}
export type RateLimiter = ReturnType<typeof rateLimiter>;

/** Takes up to a block of requests from the bucket. `ahead_ms`: how long until the bucket is full again. */
async function takeBlock(
  db: Database,
  key: string,
  { block, interval_ms, window_ms }: { block: number; interval_ms: number; window_ms: number },
): Promise<{ granted: number; ahead_ms: number }> {
  const row = await db.maybe<{ granted: number; ahead_ms: number }>(sql`
    insert into rate_buckets as b (key, full_at, granted)
    values (${key}, clock_timestamp() + ${block * interval_ms}::float8 * interval '1 millisecond', ${block}::int)
    on conflict (key) do update set (full_at, granted) = (
      select greatest(b.full_at, t.now) + fit.n * ${interval_ms}::float8 * interval '1 millisecond', fit.n
        from (select clock_timestamp() as now) t,
             lateral (select greatest(0, least(${block}::int, floor(round((${window_ms}::float8
               - extract(epoch from greatest(b.full_at, t.now) - t.now)::float8 * 1000)::numeric, 3)
               / ${interval_ms}::numeric)))::int as n) fit)
    returning granted, extract(epoch from full_at - clock_timestamp())::float8 * 1000 as ahead_ms`);
  return row!;
}

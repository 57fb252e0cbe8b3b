// How much of an hour's cap is used, from counts of short intervals.

/** What was sent within one interval; all of it counts as sent at the last moment. */
export type SentCount = { last_ms: number; count: number };

export type Velocity = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until nothing counts any more. */
  reset_seconds: number;
  /** Until one more is allowed; 0 when it is. */
  retry_after_seconds: number;
};

export const hour_ms = 3_600_000;
/** Messages of one interval share a row: at most 360 rows are read for an hour. */
export const interval_ms = 10_000;

/**
 * `counts` are the intervals whose last message is less than an hour old at `now_ms`, oldest first. Messages of one interval
 * leave together with its last one, so no 3600 s ever hold more than the cap.
 */
export function velocityOf(counts: readonly SentCount[], cap: number, now_ms: number): Velocity {
  const used = counts.reduce((sum, { count }) => sum + count, 0);
  // A clock of another process may be a little ahead of ours.
  const until = (last_ms: number) =>
    Math.min(3600, Math.max(1, Math.ceil((last_ms + hour_ms - now_ms) / 1000)));
  const newest = counts.at(-1);
  const reset_seconds = newest ? until(newest.last_ms) : 0;
  if (used < cap) {
    return { allowed: true, limit: cap, remaining: cap - used, reset_seconds, retry_after_seconds: 0 };
  }
  let left = used;
  const frees = counts.find(({ count }) => {
    left -= count;
    return left < cap;
  });
  // A cap of zero frees nothing: an hour is as good an answer as any.
  const retry_after_seconds = frees ? until(frees.last_ms) : 3600;
  return {
    allowed: false,
    limit: cap,
    remaining: 0,
    reset_seconds: Math.max(reset_seconds, retry_after_seconds),
    retry_after_seconds,
  };
}

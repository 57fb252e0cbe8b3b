// Computes how much of a cap per hour is used, from counts of short intervals.

/** What was sent within one interval; all of it counts as sent at the time of the last message. */
export type SentCount = { last_ms: number; count: number };

export type Velocity = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Time until the whole cap is available again. */
  reset_seconds: number;
  /** Time until one more is allowed; 0 when it already is. */
  retry_after_seconds: number;
};

export const hour_ms = 3_600_000;
/** Messages of one interval share a row, so an hour has at most 360 rows. */
export const interval_ms = 10_000;

/**
 * `counts` are the intervals whose last message is less than an hour old at `now_ms`, oldest first. All messages of an
 * interval expire together with its last one, so no period of 3600 s ever has more messages than the cap.
 */
export function velocityOf(counts: readonly SentCount[], cap: number, now_ms: number): Velocity {
  const used = counts.reduce((sum, { count }) => sum + count, 0);
  // The clock of another process may be a little ahead of ours.
  const until = (last_ms: number) =>
    Math.min(3600, Math.max(1, Math.ceil((last_ms + hour_ms - now_ms) / 1000)));
  const newest = counts.at(-1);
  const reset_seconds = newest ? until(newest.last_ms) : 0;
  if (used < cap) {
    return { allowed: true, limit: cap, remaining: cap - used, reset_seconds, retry_after_seconds: 0 };
  }
  let left = used;
  const freeing = counts.find(({ count }) => {
    left -= count;
    return left < cap;
  });
  // With a cap of zero nothing ever becomes free; one hour is then as good as any other value.
  const retry_after_seconds = freeing ? until(freeing.last_ms) : 3600;
  return {
    allowed: false,
    limit: cap,
    remaining: 0,
    reset_seconds: Math.max(reset_seconds, retry_after_seconds),
    retry_after_seconds,
  };
}

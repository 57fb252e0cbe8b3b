// How much of an hour's cap is used, from counts by the minute.

export type MinuteCount = { minute_ms: number; count: number };

export type Velocity = {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until nothing counts any more. */
  reset_seconds: number;
  /** Until one more is allowed; 0 when it is. */
  retry_after_seconds: number;
};

/**
 * A minute counts until an hour after its end: whatever hour one looks at, never more than the cap lies in it.
 */
export const counted_ms = 61 * 60_000;

/** `counts` are the minutes that count at `now_ms`, oldest first. */
export function velocityOf(counts: readonly MinuteCount[], cap: number, now_ms: number): Velocity {
  const used = counts.reduce((sum, { count }) => sum + count, 0);
  const until = (minute_ms: number) => Math.max(1, Math.ceil((minute_ms + counted_ms - now_ms) / 1000));
  const newest = counts.at(-1);
  const reset_seconds = newest ? until(newest.minute_ms) : 0;
  if (used < cap) {
    return { allowed: true, limit: cap, remaining: cap - used, reset_seconds, retry_after_seconds: 0 };
  }
  let left = used;
  const frees = counts.find(({ count }) => {
    left -= count;
    return left < cap;
  });
  // A cap of zero frees nothing: an hour is as good an answer as any.
  const retry_after_seconds = frees ? until(frees.minute_ms) : 3600;
  return {
    allowed: false,
    limit: cap,
    remaining: 0,
    reset_seconds: Math.max(reset_seconds, retry_after_seconds),
    retry_after_seconds,
  };
}

// Counts by status over time: the total, and one entry for each bucket of the range, also empty ones.
import { limits } from '@parley/contract/limits';
import { ApiError } from './http/api-error.ts';

export type Bucket = 'hour' | 'day';
export type StatusCount<Status extends string> = { bucket_start: Date; status: Status; count: number };

const hour_ms = 3_600_000;
const lengths_ms: Record<Bucket, number> = { hour: hour_ms, day: 24 * hour_ms };

/** The last `days` days until now. */
export function statisticsRange(now: Date, { days, bucket }: { days: number; bucket: Bucket }): Date {
  if (bucket === 'hour' && days > limits.statistics_hour_days) {
    const detail = `The range is longer than ${limits.statistics_hour_days} days by hour`;
    throw new ApiError('invalid_time_range', {
      detail,
      errors: [{ path: 'query.days', message: detail, code: 'invalid' }],
    });
  }
  return new Date(now.getTime() - days * lengths_ms.day);
}

export function statusSeries<Status extends string>(
  states: readonly Status[],
  range: { from: Date; to: Date; bucket: Bucket },
  rows: readonly StatusCount<Status>[],
) {
  const none = () => Object.fromEntries(states.map((state) => [state, 0])) as Record<Status, number>;
  const length_ms = lengths_ms[range.bucket];
  const buckets = new Map<number, Record<Status, number>>();
  const first_ms = Math.floor(range.from.getTime() / length_ms) * length_ms;
  for (let start = first_ms; start <= range.to.getTime(); start += length_ms) buckets.set(start, none());
  const by_status = none();
  let total = 0;
  for (const { bucket_start, status, count } of rows) {
    total += count;
    by_status[status] += count;
    // A record that another process created just now may be in the next bucket.
    const counts = buckets.get(bucket_start.getTime());
    if (counts) counts[status] += count;
  }
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    total,
    by_status,
    series: [...buckets].map(([start, counts]) => ({
      bucket_start: new Date(start).toISOString(),
      by_status: counts,
    })),
  };
}

// Statistics of emails: whole hours come from rolled-up counters, the cut hours at both ends from the timeline itself.
import {
  type EmailCounters,
  type EmailStatistics,
  emailCounterNames,
} from '@parley/contract/email-statistics';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Alike, statisticsStore } from './store.ts';

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;
const default_days = 30;

export type EmailStatisticsQuery = ReturnType<typeof emailStatistics>;

export function emailStatistics(deps: { db: Database; clock: Clock }) {
  const store = statisticsStore(deps.db);

  return async (
    organization_id: string,
    query: { from?: string | undefined; to?: string | undefined; bucket: 'hour' | 'day' },
  ): Promise<EmailStatistics> => {
    const bucket_ms = query.bucket === 'hour' ? hour_ms : day_ms;
    // Without `to` this very millisecond counts: what was just sent is in.
    const to = query.to === undefined ? deps.clock.ms() + 1 : Date.parse(query.to);
    const from = query.from === undefined ? to - default_days * day_ms : Date.parse(query.from);
    const days = query.bucket === 'hour' ? limits.statistics_hour_days : limits.statistics_days;
    if (from > to) throw refuse('from is after to', 'query.from');
    if (to - from > days * day_ms) {
      throw refuse(`The range is longer than ${days} days by ${query.bucket}`, 'query.from');
    }

    const first = Math.floor(from / bucket_ms) * bucket_ms;
    const buckets = new Map<number, EmailCounters>();
    // A range without length has no bucket, wherever in one it lies.
    for (let start = from === to ? to : first; start < to; start += bucket_ms) buckets.set(start, zero());
    const totals = zero();
    // Whole hours inside the range; when there is none the edges meet. Up to now the running hour is as good as a whole one.
    const first_hour = Math.min(Math.ceil(from / hour_ms) * hour_ms, to);
    const round = query.to === undefined ? Math.ceil : Math.floor;
    const last_hour = first_hour === to ? to : Math.max(round(to / hour_ms) * hour_ms, first_hour);
    const counted = await store.read(organization_id, {
      from: new Date(from),
      to: new Date(to),
      first_hour: new Date(first_hour),
      last_hour: new Date(last_hour),
      bucket: query.bucket,
    });
    const bucketAt = (moment: number) => buckets.get(Math.floor(moment / bucket_ms) * bucket_ms)!;
    for (const [hour, ...values] of counted.whole) {
      const bucket = bucketAt(hour! * hour_ms);
      for (const [index, name] of emailCounterNames.entries()) {
        bucket[name] += values[index]!;
        totals[name] += values[index]!;
      }
    }
    const addPart = (bucket: EmailCounters, part: Alike[]) => {
      for (const { counted: names, count } of part) {
        for (const name of names) {
          bucket[name] += count;
          totals[name] += count;
        }
      }
    };
    addPart(bucketAt(from), counted.head);
    if (counted.tail.length > 0) addPart(bucketAt(last_hour), counted.tail);
    const fraction = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      bucket: query.bucket,
      totals,
      rates: {
        delivery: fraction(totals.delivered, totals.sent),
        bounce: fraction(totals.bounced, totals.sent),
        complaint: fraction(totals.complained, totals.sent),
        open: fraction(totals.unique_opened, totals.delivered),
        click: fraction(totals.unique_clicked, totals.delivered),
      },
      series: [...buckets].map(([start, counters]) => ({
        bucket_start: new Date(start).toISOString(),
        ...counters,
      })),
    };
  };
}

const zeros = Object.fromEntries(emailCounterNames.map((name) => [name, 0])) as EmailCounters;
const zero = (): EmailCounters => ({ ...zeros });

const refuse = (detail: string, path: string) =>
  new ApiError('invalid_time_range', { detail, errors: [{ path, message: detail, code: 'invalid' }] });

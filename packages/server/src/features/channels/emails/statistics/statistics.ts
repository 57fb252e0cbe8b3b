// Email statistics: whole hours are read from counters, the partial hours at both ends from the timeline.
import {
  type EmailCounters,
  type EmailStatistics,
  emailCounterNames,
} from '@parley/contract/channels/emails/email-statistics';
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type EntryGroup, statisticsStore } from './store.ts';

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;
const default_days = 30;

type Query = { from?: string | undefined; to?: string | undefined; bucket: 'hour' | 'day' };
type Range = { from: number; to: number; bucket_ms: number };

export type EmailStatisticsQuery = ReturnType<typeof emailStatistics>;

export function emailStatistics(deps: { db: Database; clock: Clock }) {
  const store = statisticsStore(deps.db);
  return async (organization_id: string, query: Query): Promise<EmailStatistics> => {
    const range = rangeOf(query, deps.clock.ms());
    const { from, to, bucket_ms } = range;
    const buckets = emptyBuckets(range);
    const totals = zero();
    const { first_hour, last_hour } = wholeHours(range, query.to === undefined);
    const counted = await store.read(organization_id, {
      from: new Date(from),
      to: new Date(to),
      first_hour: new Date(first_hour),
      last_hour: new Date(last_hour),
      bucket: query.bucket,
    });
    const add = (moment: number, name: keyof EmailCounters, count: number) => {
      buckets.get(Math.floor(moment / bucket_ms) * bucket_ms)![name] += count;
      totals[name] += count;
    };
    for (const [hour, ...values] of counted.whole_hours) {
      for (const [index, name] of emailCounterNames.entries()) add(hour! * hour_ms, name, values[index]!);
    }
    const addGroups = (moment: number, groups: EntryGroup[]) => {
      for (const { counted: names, count } of groups) for (const name of names) add(moment, name, count);
    };
    addGroups(from, counted.head);
    addGroups(last_hour, counted.tail);
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      bucket: query.bucket,
      totals,
      rates: ratesOf(totals),
      series: [...buckets].map(([start, counters]) => ({
        bucket_start: new Date(start).toISOString(),
        ...counters,
      })),
    };
  };
}

function rangeOf(query: Query, now_ms: number): Range {
  const bucket_ms = query.bucket === 'hour' ? hour_ms : day_ms;
  // Without `to` the current millisecond is included, so that an email that was just sent is counted.
  const to = query.to === undefined ? now_ms + 1 : Date.parse(query.to);
  const from = query.from === undefined ? to - default_days * day_ms : Date.parse(query.from);
  const days = query.bucket === 'hour' ? limits.statistics_hour_days : limits.statistics_days;
  if (from > to) throw refuse('from is after to', 'query.from');
  if (to - from > days * day_ms) {
    throw refuse(`The range is longer than ${days} days by ${query.bucket}`, 'query.from');
  }
  return { from, to, bucket_ms };
}

function emptyBuckets({ from, to, bucket_ms }: Range): Map<number, EmailCounters> {
  const buckets = new Map<number, EmailCounters>();
  // An empty range has no bucket.
  if (from === to) return buckets;
  const first = Math.floor(from / bucket_ms) * bucket_ms;
  for (let start = first; start < to; start += bucket_ms) buckets.set(start, zero());
  return buckets;
}

/** The whole hours inside the range. If it ends now, the current hour counts as whole: nothing later is stored yet. */
function wholeHours({ from, to }: Range, ends_now: boolean): { first_hour: number; last_hour: number } {
  const first_hour = Math.min(Math.ceil(from / hour_ms) * hour_ms, to);
  const round = ends_now ? Math.ceil : Math.floor;
  const last_hour = first_hour === to ? to : Math.max(round(to / hour_ms) * hour_ms, first_hour);
  return { first_hour, last_hour };
}

const ratesOf = (totals: EmailCounters): EmailStatistics['rates'] => ({
  delivery: fraction(totals.delivered, totals.sent),
  bounce: fraction(totals.bounced, totals.sent),
  complaint: fraction(totals.complained, totals.sent),
  open: fraction(totals.unique_opened, totals.delivered),
  click: fraction(totals.unique_clicked, totals.delivered),
});

const fraction = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, part / whole));

const zeros = Object.fromEntries(emailCounterNames.map((name) => [name, 0])) as EmailCounters;
const zero = (): EmailCounters => ({ ...zeros });

const refuse = (detail: string, path: string) =>
  new ApiError('invalid_time_range', { detail, errors: [{ path, message: detail, code: 'invalid' }] });

// The SQL of email statistics.
import { type EmailCounters, emailCounterNames } from '@parley/contract/email-statistics';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

const names = sql.raw(emailCounterNames.join(', '));
const sums = sql.raw(emailCounterNames.map((name) => `sum(${name})`).join(', '));
const columns = sql.raw(emailCounterNames.map((name) => `json_agg(${name}) as ${name}`).join(', '));

/** Steps in a part of an hour that raise the same counters. */
export type Alike = { counted: (keyof EmailCounters)[]; count: number };

type CountedRange = {
  /** The start of each bucket in seconds, and as many values of every counter. */
  buckets: { seconds: number[] | null } & Record<keyof EmailCounters, number[]>;
  head: Alike[] | null;
  tail: Alike[] | null;
};

export const statisticsStore = (db: Database) => ({
  /** Whole hours by bucket; [from, first_hour) and [last_hour, to) are parts of an hour each. Columns as JSON are read fastest. */
  async read(
    organization_id: string,
    range: { from: Date; to: Date; first_hour: Date; last_hour: Date; bucket: 'hour' | 'day' },
  ): Promise<CountedRange> {
    const part = (from: Date, to: Date) => sql`
      select json_agg(alike) from (
        select counted, count(*) as count from email_events
         where organization_id = ${organization_id} and occurred_at >= ${from} and occurred_at < ${to}
         group by counted) alike`;
    const row = await db.maybe<CountedRange>(sql`
      select (select row_to_json(summed) from (
                select json_agg(extract(epoch from bucket)::bigint) as seconds, ${columns} from (
                  select date_trunc(${range.bucket}, hour_start, 'UTC'), ${sums} from email_counters
                   where organization_id = ${organization_id}
                     and hour_start >= ${range.first_hour} and hour_start < ${range.last_hour}
                   group by 1) as bucket (bucket, ${names})) summed) as buckets,
             (${part(range.from, range.first_hour)}) as head,
             (${part(range.last_hour, range.to)}) as tail`);
    return row!;
  },
});

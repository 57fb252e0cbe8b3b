// The SQL of email statistics.
import { type EmailCounters, emailCounterNames } from '@parley/contract/email-statistics';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

const names = sql.raw(emailCounterNames.join(', '));
const sums = sql.raw(emailCounterNames.map((name) => `sum(${name})`).join(', '));

/** Steps in a part of an hour that raise the same counters. */
export type Alike = { counted: (keyof EmailCounters)[]; count: number };

type CountedRange = {
  /** Where each starts, in whole hours since 1970, and the counters by `emailCounterNames`. A bucket may come in several pieces. */
  whole: number[][];
  head: Alike[];
  tail: Alike[];
};

export const statisticsStore = (db: Database) => ({
  /** Whole hours by bucket; [from, first_hour) and [last_hour, to) are parts of an hour each. */
  async read(
    organization_id: string,
    range: { from: Date; to: Date; first_hour: Date; last_hour: Date; bucket: 'hour' | 'day' },
  ): Promise<CountedRange> {
    const part = (from: Date, to: Date) => sql`
      select json_agg(alike) from (
        select counted, count(*) as count from email_events
         where organization_id = ${organization_id} and occurred_at >= ${from} and occurred_at < ${to}
         group by counted) alike`;
    const hours = sql`
      from email_counters where organization_id = ${organization_id}
        and hour_start >= ${range.first_hour} and hour_start < ${range.last_hour}`;
    // date_bin reckons without time zones, and a day of UTC needs none. The slots of an hour are added up by who reads them.
    const pieces =
      range.bucket === 'hour'
        ? sql`select hour_start, ${names} ${hours}`
        : sql`select date_bin('1 day', hour_start, 'epoch'), ${sums} ${hours} group by 1`;
    // One line a piece: of all the ways to hand over thousands of small numbers the one that takes PostgreSQL least time.
    const row = await db.maybe<{ whole: string | null; head: Alike[] | null; tail: Alike[] | null }>(sql`
      select (select string_agg(concat_ws(',', (date_part('epoch', start) / 3600)::int, ${names}), ';')
                from (${pieces}) as piece (start, ${names})) as whole,
             (${part(range.from, range.first_hour)}) as head,
             (${part(range.last_hour, range.to)}) as tail`);
    const { whole, head, tail } = row!;
    return {
      whole: whole === null ? [] : whole.split(';').map((line) => line.split(',').map(Number)),
      head: head ?? [],
      tail: tail ?? [],
    };
  },
});

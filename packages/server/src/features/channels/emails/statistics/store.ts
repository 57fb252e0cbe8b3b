// The SQL of email statistics.
import { type EmailCounters, emailCounterNames } from '@parley/contract/channels/emails/email-statistics';
import type { Database } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';

const names = sql.raw(emailCounterNames.join(', '));
const sums = sql.raw(emailCounterNames.map((name) => `sum(${name})`).join(', '));

/** How many timeline entries of a partial hour increment the same set of counters. */
export type EntryGroup = { counted: (keyof EmailCounters)[]; count: number };

type CountedRange = {
  /** One list for each row: its start in hours since 1970, then the counters in the order of `emailCounterNames`. */
  whole_hours: number[][];
  /** The partial hours at both ends of the range. */
  head: EntryGroup[];
  tail: EntryGroup[];
};

export const statisticsStore = (db: Database) => ({
  /** Whole hours from the counters; the partial hours [from, first_hour) and [last_hour, to) from the timeline. */
  async read(
    organization_id: string,
    range: { from: Date; to: Date; first_hour: Date; last_hour: Date; bucket: 'hour' | 'day' },
  ): Promise<CountedRange> {
    const partialHour = (from: Date, to: Date) => sql`
      select json_agg(entry_group) from (
        select counted, count(*) as count from email_events
         where organization_id = ${organization_id} and occurred_at >= ${from} and occurred_at < ${to}
         group by counted) entry_group`;
    const hours = sql`
      from email_counters where organization_id = ${organization_id}
        and hour_start >= ${range.first_hour} and hour_start < ${range.last_hour}`;
    // date_bin has no time zones, which is right for days in UTC. For hours, the caller adds up the slots.
    const rows =
      range.bucket === 'hour'
        ? sql`select hour_start, ${names} ${hours}`
        : sql`select date_bin('1 day', hour_start, 'epoch'), ${sums} ${hours} group by 1`;
    // One line of text for each row: measured as the fastest way to return thousands of small numbers from PostgreSQL.
    const row = await db.maybe<{
      whole: string | null;
      head: EntryGroup[] | null;
      tail: EntryGroup[] | null;
    }>(sql`
      select (select string_agg(concat_ws(',', (date_part('epoch', start) / 3600)::int, ${names}), ';')
                from (${rows}) as piece (start, ${names})) as whole,
             (${partialHour(range.from, range.first_hour)}) as head,
             (${partialHour(range.last_hour, range.to)}) as tail`);
    const { whole, head, tail } = row!;
    return {
      whole_hours: whole === null ? [] : whole.split(';').map((line) => line.split(',').map(Number)),
      head: head ?? [],
      tail: tail ?? [],
    };
  },
});

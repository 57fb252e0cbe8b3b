// The SQL of email statistics.
import { type EmailCounters, emailCounterNames } from '@parley/contract/email-statistics';
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

const sums = sql.raw(emailCounterNames.map((name) => `sum(${name})::int as ${name}`).join(', '));
const hits = sql.raw(
  emailCounterNames
    .map((name) => `count(*) filter (where '${name}' = any(counted))::int as ${name}`)
    .join(', '),
);

export const statisticsStore = (db: Database) => ({
  /** Counters by bucket. [from, first_hour) and [last_hour, to) are parts of hours. */
  read: (
    organization_id: string,
    range: { from: Date; to: Date; first_hour: Date; last_hour: Date; bucket: 'hour' | 'day' },
  ) => {
    const part = (from: Date, to: Date) => sql`
      select occurred_at as at, ${hits} from email_events
       where organization_id = ${organization_id} and occurred_at >= ${from} and occurred_at < ${to}
       group by occurred_at`;
    return db.rows<EmailCounters & { bucket_ms: number }>(sql`
      select (extract(epoch from date_trunc(${range.bucket}, at, 'UTC')) * 1000)::bigint as bucket_ms, ${sums}
        from (select hour_start as at, ${sql.raw(emailCounterNames.join(', '))} from email_counters
               where organization_id = ${organization_id} and hour_start >= ${range.first_hour} and hour_start < ${range.last_hour}
              union all (${part(range.from, range.first_hour)})
              union all (${part(range.last_hour, range.to)})) counted
       group by 1`);
  },
});

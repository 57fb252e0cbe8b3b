// The SQL of an email's timeline and of the counters that follow from it.

import type { EmailEventKind, EmailTimelineEntry } from '@parley/contract/channels/emails/email-records';
import { type EmailCounter, emailCounterNames } from '@parley/contract/channels/emails/email-statistics';
import { type ColumnKind, columnNames, columnRows } from '../../../platform/db/column-rows.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type Page, type PageRequest, pageOf } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { SideWriter } from '../../../platform/unit-of-work/unit-of-work.ts';

export type TimelineEntry = {
  id: string;
  organization_id: string;
  email_id: string;
  kind: EmailEventKind;
  occurred_at: string;
  detail: Record<string, unknown>;
  /** Identifies the report: a second entry with the same key is not stored. */
  dedupe_key: string;
  counted: EmailCounter[];
};

/** A transport that reports delivery immediately writes one row; the timeline shows it as two entries, sent and delivered. */
export const sent_and_delivered: EmailCounter[] = ['sent', 'delivered'];

const list = cursors('email_events');
const entry_columns = {
  id: 'uuid',
  organization_id: 'uuid',
  email_id: 'uuid',
  kind: 'text',
  occurred_at: 'timestamptz',
  detail: 'json',
  dedupe_key: 'text',
  counted: 'text[]',
} satisfies Record<keyof TimelineEntry, ColumnKind>;
const often_alike = [['organization_id', 'kind', 'detail', 'counted']] as const;
const slots = 16;
const hour_ms = 3_600_000;

const zero = Object.fromEntries(emailCounterNames.map((name) => [name, 0]));
const incremented = sql.raw(
  emailCounterNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', '),
);

/** Concurrent commits use different slots, so that none waits for the row lock of another. */
let next_slot = Math.floor(Math.random() * slots);
const takeSlot = () => next_slot++ % slots;

const insertEntries = (entries: readonly TimelineEntry[], condition = sql.empty) => sql`
  insert into email_events (${columnNames(entry_columns)})
  select * from (${columnRows(entries, entry_columns, often_alike)}) e ${condition}`;

/**
 * For the commit of a unit of work: the entry of an email is stored only if the email is, and only new entries are counted.
 */
export const timelineEntries: SideWriter<TimelineEntry> = {
  queries(writes, stored) {
    const sums = emailCounterNames.map((name) => `count(*) filter (where '${name}' = any(counted))`);
    const entries = writes.map(({ value }) => value);
    const condition = stored ? sql`where email_id in (${stored})` : sql.empty;
    return {
      entered: sql`${insertEntries(entries, condition)}
        on conflict (email_id, dedupe_key) do nothing returning organization_id, occurred_at, counted`,
      counted: sql`
        insert into email_counters as c (organization_id, hour_start, slot, ${sql.raw(emailCounterNames.join(', '))})
        select organization_id, date_trunc('hour', occurred_at, 'UTC'), ${takeSlot()}::smallint, ${sql.raw(sums.join(', '))}
          from entered where counted <> '{}' group by 1, 2 order by 1, 2
        on conflict (organization_id, hour_start, slot) do update set ${incremented}`,
    };
  },
};

export const timelineStore = (db: Database) => ({
  /** Stores new entries and counts them; returns the ids of the entries that were new. */
  async add(tx: Transaction, entries: TimelineEntry[]): Promise<Set<string>> {
    if (entries.length === 0) return new Set();
    const rows = await tx.rows<{ id: string }>(
      sql`${insertEntries(entries)} on conflict (email_id, dedupe_key) do nothing returning id`,
    );
    const added = new Set(rows.map((row) => row.id));
    const increment = incrementCounters(entries.filter((entry) => added.has(entry.id)));
    if (increment) await tx.run(increment);
    return added;
  },

  mergeSlots: (before: Date) => mergeSlots(db, before),

  /** The length of the timeline, and the counters that this email has already incremented. Its row must be locked. */
  async summary(tx: Queryable, organization_id: string, email_id: string) {
    const { entries, counted } = (await tx.maybe<{ entries: number; counted: string[] }>(sql`
      with steps as (select counted from email_events
                      where organization_id = ${organization_id} and email_id = ${email_id})
      select (select count(*)::int from steps) as entries, array(select distinct unnest(counted) from steps) as counted`))!;
    return { entries, counted: new Set(counted) };
  },

  /** Messages to the return path of an email that were stored because they could not be understood. */
  unreadableReports: (
    organization_id: string,
    email_id: string,
  ): Promise<{ dedupe_key: string; attachment_id: string }[]> =>
    db.rows(sql`
      select dedupe_key, detail->>'attachment_id' as attachment_id from email_events
       where organization_id = ${organization_id} and email_id = ${email_id} and kind = 'unreadable_report'`),

  list: (organization_id: string, email_id: string, page: PageRequest) =>
    listTimeline(db, organization_id, email_id, page),
});
export type TimelineStore = ReturnType<typeof timelineStore>;

/** Counter rows are always updated in the same order, so that two transactions cannot deadlock. */
function incrementCounters(entries: TimelineEntry[]): Sql | null {
  const sums = new Map<string, Record<string, unknown>>();
  const slot = takeSlot();
  for (const { organization_id, occurred_at, counted } of entries) {
    if (counted.length === 0) continue;
    const hour = Math.floor(Date.parse(occurred_at) / hour_ms);
    const key = `${organization_id} ${hour}`;
    let row = sums.get(key);
    if (!row) {
      const hour_start = new Date(hour * hour_ms).toISOString();
      row = { organization_id, hour_start, slot, ...zero };
      sums.set(key, row);
    }
    for (const name of counted) row[name] = (row[name] as number) + 1;
  }
  if (sums.size === 0) return null;
  const rows = [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return sql`
    insert into email_counters as c select * from json_populate_recordset(null::email_counters, ${JSON.stringify(rows)})
    on conflict (organization_id, hour_start, slot) do update set ${incremented}`;
}

/** Merges the slots of past hours, which no commit updates any more, so that statistics read one row an hour. */
async function mergeSlots(db: Database, before: Date): Promise<void> {
  const names = emailCounterNames.join(', ');
  const sums = emailCounterNames.map((name) => `sum(${name})`).join(', ');
  await db.run(sql`
    with parts as (delete from email_counters where hour_start < ${before} and slot <> 0 returning *)
    insert into email_counters as c (organization_id, hour_start, slot, ${sql.raw(names)})
    select organization_id, hour_start, 0, ${sql.raw(sums)} from parts group by organization_id, hour_start
    on conflict (organization_id, hour_start, slot) do update set ${incremented}`);
}

/** Oldest first, unlike every other list. */
async function listTimeline(
  db: Database,
  organization_id: string,
  email_id: string,
  page: PageRequest,
): Promise<Page<EmailTimelineEntry>> {
  const after = page.cursor === undefined ? sql.empty : sql`where id > ${list.read(page.cursor)}`;
  // One row for "sent and delivered" becomes two entries. The "sent" entry has the id of the email, which sorts first.
  const rows = await db.rows<EmailTimelineEntry>(sql`
    with steps as (select * from email_events where organization_id = ${organization_id} and email_id = ${email_id})
    select id, kind, iso(occurred_at) as occurred_at, detail from (
             select id, kind, occurred_at, detail from steps
             union all
             select e.id, 'sent', occurred_at, json_build_object('provider', e.provider)
               from steps join emails e on e.id = steps.email_id where counted = ${sent_and_delivered}) step
     ${after} order by id limit ${page.limit + 1}`);
  return pageOf(list, page, rows);
}

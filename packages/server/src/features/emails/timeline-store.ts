// The SQL of an email's timeline and of the counters that follow from it.

import type { EmailEventKind } from '@parley/contract/email-records';
import { type EmailCounter, emailCounterNames } from '@parley/contract/email-statistics';
import { type ColumnKind, columnNames, columnRows } from '../../platform/db/column-rows.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest } from '../../platform/db/page.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { JsonText } from '../../platform/http/json-text.ts';

export type TimelineEntry = {
  id: string;
  organization_id: string;
  email_id: string;
  kind: EmailEventKind;
  occurred_at: string;
  detail: Record<string, unknown>;
  /** Names the report: the same one twice is one entry. */
  dedupe_key: string;
  counted: EmailCounter[];
};

/** Most transports accept and deliver in one breath: that is one row, which a timeline shows as its two steps. */
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
const raised = sql.raw(emailCounterNames.map((name) => `${name} = c.${name} + excluded.${name}`).join(', '));

export function timelineStore(db: Database) {
  // Commits that are under way together take different slots, or one would wait for the other's disk.
  let next_slot = Math.floor(Math.random() * slots);

  /** Rows are touched in one order everywhere, so that two transactions never wait for each other in a circle. */
  const countingOf = (entries: TimelineEntry[]): Sql | null => {
    const sums = new Map<string, Record<string, unknown>>();
    const slot = next_slot++ % slots;
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
      on conflict (organization_id, hour_start, slot) do update set ${raised}`;
  };
  const insertionOf = (entries: TimelineEntry[], condition = sql.empty) => sql`
    insert into email_events (${columnNames(entry_columns)})
    select * from (${columnRows(entries, entry_columns, often_alike)}) e ${condition}`;

  return {
    /** Stores the entries that are new, and counts them; returns the ids of those. */
    async add(tx: Transaction, entries: TimelineEntry[]): Promise<Set<string>> {
      if (entries.length === 0) return new Set();
      const rows = await tx.rows<{ id: string }>(
        sql`${insertionOf(entries)} on conflict (email_id, dedupe_key) do nothing returning id`,
      );
      const added = new Set(rows.map((row) => row.id));
      const counting = countingOf(entries.filter((entry) => added.has(entry.id)));
      if (counting) await tx.run(counting);
      return added;
    },

    /** WITH queries for entries that must be new, because their emails are. */
    additionOf(entries: TimelineEntry[]): Record<string, Sql> {
      const counted = countingOf(entries);
      return { entered: insertionOf(entries), ...(counted ? { counted } : {}) };
    },

    /** WITH queries for entries of those emails that `of` selects; only what is new is counted. */
    additionTo(entries: TimelineEntry[], of: Sql): Record<string, Sql> {
      const slot = next_slot++ % slots;
      const sums = emailCounterNames.map((name) => `count(*) filter (where '${name}' = any(counted))`);
      return {
        entered: sql`${insertionOf(entries, sql`where email_id in (${of})`)}
          on conflict (email_id, dedupe_key) do nothing returning organization_id, occurred_at, counted`,
        counted: sql`
          insert into email_counters as c (organization_id, hour_start, slot, ${sql.raw(emailCounterNames.join(', '))})
          select organization_id, date_trunc('hour', occurred_at, 'UTC'), ${slot}::smallint, ${sql.raw(sums.join(', '))}
            from entered where counted <> '{}' group by 1, 2 order by 1, 2
          on conflict (organization_id, hour_start, slot) do update set ${raised}`,
      };
    },

    /** Puts the slots of past hours together: nobody waits for those any more, and statistics read one row an hour. */
    async joinSlots(before: Date): Promise<void> {
      const names = emailCounterNames.join(', ');
      const sums = emailCounterNames.map((name) => `sum(${name})`).join(', ');
      await db.run(sql`
        with parts as (delete from email_counters where hour_start < ${before} and slot <> 0 returning *)
        insert into email_counters as c (organization_id, hour_start, slot, ${sql.raw(names)})
        select organization_id, hour_start, 0, ${sql.raw(sums)} from parts group by organization_id, hour_start
        on conflict (organization_id, hour_start, slot) do update set ${raised}`);
    },

    /** The length of the timeline, and the counters that this email has already incremented. Its row must be locked. */
    async summary(tx: Queryable, organization_id: string, email_id: string) {
      const { entries, counted } = (await tx.maybe<{ entries: number; counted: string[] }>(sql`
        with steps as (select counted from email_events
                        where organization_id = ${organization_id} and email_id = ${email_id})
        select (select count(*)::int from steps) as entries, array(select distinct unnest(counted) from steps) as counted`))!;
      return { entries, counted: new Set(counted) };
    },

    /** Reports of an email that nobody could read. */
    async unreadable(
      organization_id: string,
      email_id: string,
    ): Promise<{ dedupe_key: string; attachment_id: string }[]> {
      return db.rows(sql`
        select dedupe_key, detail->>'attachment_id' as attachment_id from email_events
         where organization_id = ${organization_id} and email_id = ${email_id} and kind = 'unreadable_report'`);
    },

    /** Oldest first, unlike every other list: a timeline is read forwards. */
    async list(organization_id: string, email_id: string, page: PageRequest): Promise<JsonText> {
      const after = page.cursor === undefined ? sql.empty : sql`where id > ${list.read(page.cursor)}`;
      // The step before a delivery at once is told with the id of its email, which is older than that of any step.
      const rows = await db.rows<{ id: string; json: string }>(sql`
        with steps as (select * from email_events where organization_id = ${organization_id} and email_id = ${email_id})
        select id, row_to_json(record)::text as json
          from (select id, kind, iso(occurred_at) as occurred_at, detail from (
                  select id, kind, occurred_at, detail from steps
                  union all
                  select e.id, 'sent', occurred_at, json_build_object('provider', e.provider)
                    from steps join emails e on e.id = steps.email_id where counted = ${sent_and_delivered}) step
                ${after} order by id limit ${page.limit + 1}) record`);
      const more = rows.length > page.limit;
      if (more) rows.pop();
      const next = more ? `"${list.write(rows.at(-1)!.id)}"` : 'null';
      return new JsonText(`{"items":[${rows.map((row) => row.json).join(',')}],"next_cursor":${next}}`);
    },
  };
}
export type TimelineStore = ReturnType<typeof timelineStore>;

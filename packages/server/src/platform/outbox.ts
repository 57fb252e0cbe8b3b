// Writes events in the commit that makes them true. The same statement creates a delivery for every subscriber.
import type { Clock } from './clock.ts';
import { type ColumnKind, columnNames, columnRows } from './db/column-rows.ts';
import type { Row, Transaction } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';
import { envelopeOf, type NewEvent, type StoredEvent } from './event.ts';
import type { Ids } from './ids.ts';
import type { Tracing } from './tracing/trace.ts';

/** Without created_at: events of one statement share one time. */
const event_columns = {
  id: 'uuid',
  organization_id: 'uuid',
  type: 'text',
  resource_id: 'uuid',
  source_id: 'uuid',
  source_name: 'text',
  payload: 'text',
} satisfies Partial<Record<keyof StoredEvent, ColumnKind>>;

/** While tracing is off the statement is the same as without traces. */
const traced_event_columns = { ...event_columns, traceparent: 'text' } as const;

/** Events of one batch often report the same kind of change. */
const often_alike = [['organization_id', 'type', 'source_id', 'source_name']] as const;

/** Creates the deliveries of new events, within the same commit. */
export type FanOut = {
  /**
   * `statement` is an INSERT … SELECT from the WITH query `made` (the new events) that returns an event_id. `columns` are the
   * names of everything it returns, `steps` further WITH queries.
   */
  parts(): { steps: Readonly<Record<string, Sql>>; statement: Sql; columns: readonly Sql[] };
  /**
   * Called after the commit with the rows that the statement returned and with the events. Returns true when deliveries are
   * about to be sent in the next turn of the event loop: the response to the request that caused the events then waits for
   * that turn, so that subscribers are notified first.
   */
  committed(rows: Row[], events: StoredEvent[]): boolean;
};

/** Events as part of a larger statement. */
export type EventPart = {
  /** WITH queries that store the events and their deliveries. */
  queries: Readonly<Record<string, Sql>>;
  /** The columns of the query `fanned`; null when nothing is fanned out. */
  fanned: readonly Sql[] | null;
  events: readonly StoredEvent[];
  /** Call it after the commit, with the rows of `fanned` and the events that were stored. */
  committed(rows: Row[], events: StoredEvent[]): boolean;
};

type Deps = { clock: Clock; ids: Ids; fan_out: FanOut | null; tracing?: Tracing | null };
type EventRecords = { ids: readonly string[]; stored: Sql } | null;

export function outbox(deps: Deps) {
  return {
    /** Within an open transaction. */
    async write(tx: Transaction, events: NewEvent[]): Promise<StoredEvent[]> {
      if (events.length === 0) return [];
      const stored = storedEvents(deps, traced(deps, events));
      const rows = await tx.rows(statementFor(deps, stored));
      tx.afterCommit(() => deps.fan_out?.committed(rows, stored));
      return stored;
    },

    /**
     * For the unit of work: events that are stored only if their record is. `ids` has the record of each event and `stored`
     * selects the ids of the records that were written; null for events without a record.
     */
    part: (events: readonly NewEvent[], records: EventRecords): EventPart => eventPart(deps, events, records),
  };
}
export type Outbox = ReturnType<typeof outbox>;

/** Events written directly belong to the current trace. Those of a unit of work got theirs before they joined a batch. */
function traced({ tracing }: Deps, events: readonly NewEvent[]): readonly NewEvent[] {
  const traceparent = tracing?.current();
  return traceparent ? events.map((event) => ({ traceparent, ...event })) : events;
}

function storedEvents({ clock, ids, tracing }: Deps, events: readonly NewEvent[]): StoredEvent[] {
  const created_at = clock.now().toISOString();
  const stored = events.map((event) => storedEvent(event, ids.next(), created_at));
  if (tracing)
    for (const [index, event] of events.entries()) stored[index]!.traceparent = event.traceparent ?? null;
  return stored;
}

function storedEvent(event: NewEvent, id: string, created_at: string): StoredEvent {
  const { organization_id, type, resource_id, source_id = null, source_name = null } = event;
  const payload = JSON.stringify(envelopeOf(event, { id, created_at }));
  return { id, organization_id, type, resource_id, source_id, source_name, created_at, payload };
}

function insertEvents(events: readonly StoredEvent[], records: EventRecords): Sql {
  const columns = events.some(({ traceparent }) => traceparent) ? traced_event_columns : event_columns;
  return sql`
  insert into events (${columnNames(columns)}, created_at)
  select ${columnNames(columns)}, ${events[0]?.created_at}::timestamptz
    from (${columnRows(events, columns, often_alike)} ${records ? sql`, unnest(${records.ids}::uuid[]) as record_id` : sql.empty}) e
   ${records ? sql`where record_id in (${records.stored})` : sql.empty}
  returning id, organization_id, type, resource_id, source_id, created_at`;
}

function statementFor({ fan_out }: Deps, events: StoredEvent[]): Sql {
  const made = insertEvents(events, null);
  if (!fan_out) return made;
  const { steps, statement } = fan_out.parts();
  return sql`${sql.with({ made, ...steps })} ${statement}`;
}

function eventPart(deps: Deps, events: readonly NewEvent[], records: EventRecords): EventPart {
  const { fan_out } = deps;
  const none = { queries: {}, fanned: null, events: [], committed: () => false };
  if (events.length === 0) return none;
  const stored = storedEvents(deps, events);
  const made = insertEvents(stored, records);
  if (!fan_out) return { ...none, queries: { made }, events: stored };
  const { steps, statement, columns } = fan_out.parts();
  return {
    queries: { made, ...steps, fanned: statement },
    fanned: columns,
    events: stored,
    committed: (rows, written) => fan_out.committed(rows, written),
  };
}

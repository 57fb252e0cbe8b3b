// Writes events in the transaction that makes them true; whoever must hear of them is found in the same statement.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { webhook_api_version } from '@parley/contract/limits';
import type { Clock } from './clock.ts';
import { type ColumnKind, columnNames, columnRows } from './db/column-rows.ts';
import type { Queryable, Row, Transaction } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';
import type { Ids } from './ids.ts';

export type NewEvent = {
  organization_id: string;
  type: string;
  /** The record the event is about; lists of events filter by it. */
  resource_id: string;
  data: Record<string, unknown>;
  /** Narrows who hears of it, for events that come through one of several addresses. */
  source_id?: string | null;
  /** What that address is called, told to those who hear of it. */
  source_name?: string | null;
};

export type StoredEvent = {
  id: string;
  organization_id: string;
  type: string;
  resource_id: string;
  source_id: string | null;
  source_name: string | null;
  created_at: string;
  /** The exact text every receiver gets. */
  payload: string;
};

/** All that are written together were made in one moment. */
const event_columns = {
  id: 'uuid',
  organization_id: 'uuid',
  type: 'text',
  resource_id: 'uuid',
  source_id: 'uuid',
  source_name: 'text',
  payload: 'text',
} satisfies Partial<Record<keyof StoredEvent, ColumnKind>>;

/** Those that are written together often tell of the same change. */
const often_alike = [['organization_id', 'type', 'source_id', 'source_name']] as const;

/** What follows from each event within the same commit: a delivery for every subscriber. */
export type FanOut = {
  /**
   * An INSERT … SELECT from the WITH query `made` (the new events) that returns an event_id, the names of all that it
   * returns, and more WITH queries.
   */
  parts(): { steps: Readonly<Record<string, Sql>>; statement: Sql; columns: readonly Sql[] };
  /**
   * Called after the commit with what the statement returned and the events themselves. True where the first of it is on
   * its way out: a connection at rest sends in the next turn of the event loop, and the answer to whoever made the event
   * must not be written before.
   */
  committed(rows: Row[], events: StoredEvent[]): boolean;
};

/** The records that `writeWith` stored, for whatever else is part of its statement. */
export const storedIds = sql`select id from stored`;

export function outbox(deps: { clock: Clock; ids: Ids; fan_out: FanOut | null }) {
  const { clock, ids, fan_out } = deps;

  const storeAll = (events: NewEvent[]): StoredEvent[] => {
    const created_at = clock.now().toISOString();
    return events.map((event) => store(event, created_at));
  };
  const store = (event: NewEvent, created_at: string): StoredEvent => {
    const id = ids.next();
    const { organization_id, type, resource_id, source_id = null, source_name = null, data } = event;
    const payload = JSON.stringify({
      id,
      type,
      api_version: webhook_api_version,
      created_at,
      organization_id,
      data,
    });
    return { id, organization_id, type, resource_id, source_id, source_name, created_at, payload };
  };

  const insert = (events: StoredEvent[], condition: Sql) => sql`
    insert into events (${columnNames(event_columns)}, created_at)
    select e.*, ${events[0]?.created_at}::timestamptz from (${columnRows(events, event_columns, often_alike)}) e ${condition}
    returning id, organization_id, type, resource_id, source_id, created_at`;

  /** One statement for the events and all that follows from them. */
  const statementFor = (events: StoredEvent[]): Sql => {
    const made = insert(events, sql.empty);
    if (!fan_out) return made;
    const { steps, statement } = fan_out.parts();
    return sql`${sql.with({ made, ...steps })} ${statement}`;
  };

  return {
    /** Part of a larger change. */
    async write(tx: Transaction, events: NewEvent[]): Promise<StoredEvent[]> {
      if (events.length === 0) return [];
      const stored = storeAll(events);
      const rows = await tx.rows(statementFor(stored));
      tx.afterCommit(() => fan_out?.committed(rows, stored));
      return stored;
    },
    /** A commit of its own, in one round trip. */
    async writeAlone(db: Queryable, events: NewEvent[]): Promise<StoredEvent[]> {
      if (events.length === 0) return [];
      const stored = storeAll(events);
      const rows = await db.rows(statementFor(stored));
      if (fan_out?.committed(rows, stored)) await nextTurn();
      return stored;
    },
    /**
     * Records and their events in one round trip, and one commit where no transaction is open. `records` returns the id of
     * every record that is new, or was changed before: only those are told of, and their ids come back. `steps` are more
     * WITH queries.
     */
    async writeWith(
      db: Queryable | Transaction,
      records: Sql,
      events: NewEvent[],
      steps: Readonly<Record<string, Sql>> = {},
    ): Promise<Set<string>> {
      const told = storeAll(events);
      const fanned = fan_out?.parts();
      const queries = {
        stored: records,
        ...steps,
        made: insert(told, sql`where resource_id in (${storedIds})`),
        ...(fanned ? { ...fanned.steps, fanned: fanned.statement } : {}),
      };
      // What was stored and what follows from it, one below the other: whoever hears of it knows which is whose.
      const statement = sql`
        ${sql.with(queries)}
        select id as stored_id ${sql.join(fanned?.columns.map((name) => sql`, null as ${name}`) ?? [], '')} from stored
        ${fanned ? sql`union all select null, ${sql.join(fanned.columns, ', ')} from fanned` : sql.empty}`;
      const rows = await db.rows<Row & { stored_id: string | null }>(sql.plannedLike(records, statement));
      const ids = new Set<string>();
      for (const { stored_id } of rows) if (stored_id !== null) ids.add(stored_id);
      const tell = () =>
        fan_out?.committed(
          rows.filter((row) => row.stored_id === null),
          told.filter((event) => ids.has(event.resource_id)),
        );
      if ('afterCommit' in db) db.afterCommit(tell);
      else if (tell()) await nextTurn();
      return ids;
    },
  };
}
export type Outbox = ReturnType<typeof outbox>;

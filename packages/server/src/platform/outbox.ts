// Writes events in the transaction that makes them true; whoever must hear of them is found in the same statement.
import { webhook_api_version } from '@parley/contract/limits';
import type { Clock } from './clock.ts';
import type { Queryable, Row, Transaction } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';
import type { Ids } from './ids.ts';

export type NewEvent = {
  organization_id: string;
  type: string;
  /** The record the event is about; lists of events filter by it. */
  resource_id: string;
  data: Record<string, unknown>;
  /** Narrows who hears of it, and is told to them, for events that arrive through one of several addresses. */
  source_id?: string | null;
};

export type StoredEvent = {
  id: string;
  organization_id: string;
  type: string;
  resource_id: string;
  source_id: string | null;
  created_at: string;
  /** The exact text every receiver gets. */
  payload: string;
};

/** Something that follows from each event within the same commit, such as a delivery to a subscriber. */
export type FanOut = {
  /** An INSERT … SELECT from the CTE `made` (the new events) that ends in RETURNING. */
  statement: Sql;
  /** Called after the commit with what the statement returned and the events themselves. */
  committed(rows: Row[], events: StoredEvent[]): void;
};

export function outbox(deps: { clock: Clock; ids: Ids; fan_outs: FanOut[] }) {
  const { clock, ids, fan_outs } = deps;

  const store = (event: NewEvent): StoredEvent => {
    const id = ids.next();
    const created_at = clock.now().toISOString();
    const { organization_id, type, resource_id, source_id = null, data } = event;
    const payload = JSON.stringify({
      id,
      type,
      api_version: webhook_api_version,
      created_at,
      organization_id,
      data,
    });
    return { id, organization_id, type, resource_id, source_id, created_at, payload };
  };

  /** One statement for the events and all that follows from them. */
  const statementFor = (events: StoredEvent[]): Sql => {
    const insert = sql`
      insert into events (id, organization_id, type, resource_id, source_id, created_at, payload)
      select id, organization_id, type, resource_id, source_id, created_at, payload
        from json_populate_recordset(null::events, ${JSON.stringify(events)})
      returning id, organization_id, type, source_id, created_at`;
    const steps = fan_outs.map(
      (fan_out, index) => sql`${sql.raw(`fan_out_${index}`)} as (${fan_out.statement})`,
    );
    const answers = fan_outs.map(
      (_, index) =>
        sql`select ${index}::int as fan_out, to_json(f) as row from ${sql.raw(`fan_out_${index}`)} f`,
    );
    return steps.length === 0
      ? insert
      : sql`with made as (${insert}), ${sql.join(steps, ', ')} ${sql.join(answers, ' union all ')}`;
  };

  const announce = (rows: Row[], events: StoredEvent[]) =>
    fan_outs.forEach((fan_out, index) => {
      const own = rows.filter((row) => row.fan_out === index).map((row) => row.row as Row);
      if (own.length > 0) fan_out.committed(own, events);
    });

  return {
    /** Part of a larger change. */
    async write(tx: Transaction, events: NewEvent[]): Promise<StoredEvent[]> {
      if (events.length === 0) return [];
      const stored = events.map(store);
      const rows = await tx.rows(statementFor(stored));
      tx.afterCommit(() => announce(rows, stored));
      return stored;
    },
    /** A commit of its own, in one round trip. */
    async writeAlone(db: Queryable, events: NewEvent[]): Promise<StoredEvent[]> {
      if (events.length === 0) return [];
      const stored = events.map(store);
      announce(await db.rows(statementFor(stored)), stored);
      return stored;
    },
  };
}
export type Outbox = ReturnType<typeof outbox>;

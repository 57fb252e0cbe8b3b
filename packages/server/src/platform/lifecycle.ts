// The only writer of a status: the guard is in the WHERE clause, and the event is written in the same transaction.
import type { Lifecycle } from '@parley/contract/schema/lifecycle';
import { type ColumnKind, columnRows } from './db/column-rows.ts';
import type { Row, Transaction } from './db/database.ts';
import { type Sql, sql } from './db/sql.ts';
import type { Table } from './db/table.ts';
import type { NewEvent } from './event.ts';
import type { Outbox } from './outbox.ts';

export type MoveRequest<L extends Lifecycle, R> = {
  lifecycle: L;
  table: string;
  organization_id: string;
  id: string;
  trigger: keyof L['moves'] & string;
  /** Further columns that must have these values, such as the rest of the primary key. */
  key?: Row;
  /** Other columns that change with the status. */
  set?: Row;
  /** The columns of the record to return. */
  returning: Sql;
  /**
   * The data of the declared event; called only when the move emits one. Null: no event is published for this record.
   * `resource_id`: where the event is about another record than the one that moved.
   */
  event?: (
    record: R,
  ) => (Omit<NewEvent, 'type' | 'organization_id' | 'resource_id'> & { resource_id?: string }) | null;
};

/** The same move for many records in one statement. */
type MoveManyRequest<L extends Lifecycle, Column extends string = string> = {
  lifecycle: L;
  table: string;
  trigger: keyof L['moves'] & string;
  /** Further columns that change with the status. */
  columns: Readonly<Record<Column, ColumnKind>>;
  records: {
    organization_id: string;
    id: string;
    set: Record<NoInfer<Column>, unknown>;
  }[];
};

/**
 * The statement of such a move: returns the ids of the records that moved. It looks records up in a table that grows with
 * them, so it is planned again from time to time.
 */
function movingMany<L extends Lifecycle, Column extends string>(request: MoveManyRequest<L, Column>) {
  const { lifecycle, table, trigger, columns } = request;
  const { from, to } = lifecycle.moves[trigger]!;
  const column = lifecycle.column ?? 'status';
  const changes = Object.keys(columns).map((name) => sql`, ${sql.raw(`"${name}" = c."${name}"`)}`);
  const rows: Row[] = request.records.map(({ organization_id, id, set }) => ({
    organization_id,
    id,
    ...set,
  }));
  const kinds: Record<string, ColumnKind> = { organization_id: 'uuid', id: 'uuid', ...columns };
  return sql.replannedRarely(sql`
    update ${sql.raw(table)} t set ${sql.raw(column)} = ${to} ${sql.join(changes, '')}
      from (${columnRows(rows, kinds)}) c
     where t.organization_id = c.organization_id and t.id = c.id
       -- An expression that no index on the status answers: most entries of such an index are dead.
       and coalesce(${sql.raw(`t.${column}`)} = any(${from}), false)
    returning t.id`);
}

/** The same for the unit of work, which takes the kinds of the columns from the table. All records set the same columns. */
export function moveStatement(request: {
  table: Table;
  trigger: string;
  records: readonly { organization_id: string; id: string; set: Readonly<Record<string, unknown>> }[];
}): Sql {
  const { table, trigger, records } = request;
  const columns = Object.keys(records[0]!.set).map((name): [string, ColumnKind] => {
    const kind = table.columns[name];
    if (!kind) throw new Error(`${table.name} has no column ${name}`);
    return [name, kind];
  });
  return movingMany({
    lifecycle: lifecycleOf(table),
    table: table.name,
    trigger,
    columns: Object.fromEntries(columns),
    records: records as MoveManyRequest<Lifecycle>['records'],
  });
}

function lifecycleOf({ name, lifecycle }: Table): Lifecycle {
  if (!lifecycle) throw new Error(`${name} has no lifecycle`);
  return lifecycle;
}

/** A move that declares an event must be committed with that event. */
export function requireDeclaredEvent(table: Table, trigger: string, events: readonly NewEvent[]): void {
  const { subject, moves } = lifecycleOf(table);
  const { emits } = moves[trigger]!;
  if (emits && !events.some(({ type }) => type === emits))
    throw new Error(`${subject}.${trigger} emits ${emits}: pass this event`);
}

/**
 * For an UPDATE that moves many rows, each to a state of its own. `row` is the alias of the table, `to` an expression for the
 * new state. Put `set` into the SET list and `guard` into the WHERE clause: a row may keep its state or go to a state that its
 * lifecycle can reach from there.
 */
export function moveEach(lifecycle: Lifecycle, row: string, to: Sql): { set: Sql; guard: Sql } {
  const column = lifecycle.column ?? 'status';
  const reachable = lifecycle.states.flatMap((state) => {
    const triggers = Object.entries(lifecycle.moves).filter(([, { from }]) => from.includes(state));
    const states = new Set([state, ...triggers.flatMap(([trigger]) => statesAfter(lifecycle, trigger))]);
    return [...states].map((next) => `${state}>${next}`);
  });
  return {
    set: sql`${sql.raw(column)} = ${to}`,
    guard: sql`${sql.raw(`${row}.${column}`)} || '>' || ${to} = any(${reachable})`,
  };
}

/** The states of a record that has made this move: the target, and every state that can follow it. */
export function statesAfter({ moves }: Lifecycle, trigger: string): string[] {
  const states = [moves[trigger]!.to];
  for (const state of states)
    for (const { from, to } of Object.values(moves))
      if (from.includes(state) && !states.includes(to)) states.push(to);
  return states;
}

/** Without an outbox for records whose moves emit nothing. */
export function mover(deps: { outbox: Outbox | null }) {
  /** Returns the record after the move, or null where the trigger does not apply. */
  return async function move<L extends Lifecycle, R extends Row = Row>(
    tx: Transaction,
    request: MoveRequest<L, R>,
  ): Promise<R | null> {
    const { lifecycle, organization_id, id, trigger } = request;
    const { from, to, emits } = lifecycle.moves[trigger]!;
    const changes = Object.entries(request.set ?? {}).map(
      ([column, value]) => sql`, ${sql.raw(column)} = ${value}`,
    );
    const key = Object.entries(request.key ?? {}).map(
      ([name, value]) => sql`and ${sql.raw(name)} = ${value}`,
    );
    const column = sql.raw(lifecycle.column ?? 'status');
    const record = await tx.maybe<R>(sql`
      update ${sql.raw(request.table)} set ${column} = ${to} ${sql.join(changes, '')}
       where organization_id = ${organization_id} and id = ${id} ${sql.join(key, ' ')} and ${column} = any(${from})
      returning ${request.returning}`);
    if (record && emits) {
      if (!deps.outbox || !request.event)
        throw new Error(`${lifecycle.subject}.${trigger} emits ${emits}: pass the data of this event`);
      const event = request.event(record);
      if (event) await deps.outbox.write(tx, [{ type: emits, organization_id, resource_id: id, ...event }]);
    }
    return record;
  };
}
export type Mover = ReturnType<typeof mover>;

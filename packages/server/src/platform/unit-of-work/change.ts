// What a feature passes to the unit of work: a record to insert or move, and everything that must be committed with it.
import type { Lifecycle } from '@parley/contract/schema/lifecycle';
import {
  type ColumnKind,
  type ColumnValue,
  columnNames,
  columnRows,
  columnTypes,
} from '../db/column-rows.ts';
import type { Transaction } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Table } from '../db/table.ts';
import type { NewEvent, StoredEvent } from '../event.ts';
import type { IdempotencyRow, RememberedRow } from '../idempotency.ts';

export type Change<Refusal extends string = string> = {
  /** Left out for events that belong to no new record. */
  record?: InsertRecord<Refusal> | MoveRecord;
  /** Written, with their deliveries, only when the record is. */
  events?: readonly NewEvent[];
  /** Rows of other tables that are written only when the record is. */
  also?: readonly SideWrite[];
  /** The response for the request's Idempotency-Key: an insert stores it with the key, a move completes a stored key. */
  answer?: IdempotencyRow | RememberedRow | null;
  /**
   * Runs in the same transaction once the record is written; when it throws, everything is rolled back. Its presence gives
   * the change a transaction of its own.
   */
  guard?: ((tx: Transaction) => Promise<void>) | null | undefined;
  /** Runs once, after the commit, and only when the record was written. */
  after?: () => void;
  /**
   * The effect has already left the service, so its record must not be lost: a failed commit is repeated until this time.
   * Without it, the first error is thrown.
   */
  retry_until?: Date | null;
};

export type Outcome<Refusal extends string = string> =
  | { outcome: 'stored'; events: readonly StoredEvent[] }
  /** Insert: another record has one of the unique keys. */
  | { outcome: 'duplicate' }
  /** Move: the record is in none of the states that the trigger starts from, or does not exist. */
  | { outcome: 'not_applicable' }
  /** Insert: one of its checks does not hold. */
  | { outcome: 'refused'; by: Refusal };

export type InsertRecord<Refusal extends string = string> = {
  kind: 'insert';
  table: Table;
  row: { readonly id: string };
  checks: readonly Checked<Refusal>[];
};

export type MoveRecord = {
  kind: 'move';
  table: Table;
  trigger: string;
  organization_id: string;
  id: string;
  set: Readonly<Record<string, unknown>>;
};

/** A new row. It is stored only while all `checks` hold. */
export function insert<R extends { id: string }, Refusal extends string = never>(
  table: Table<R>,
  row: NoInfer<R>,
  checks: readonly Checked<Refusal>[] = [],
): InsertRecord<Refusal> {
  const { lifecycle } = table;
  if (lifecycle) {
    const state = (row as Record<string, unknown>)[lifecycle.column ?? 'status'] as string;
    if (state !== lifecycle.initial && !lifecycle.also_begins_as?.includes(state))
      throw new Error(`A new row of ${table.name} cannot begin as ${state}`);
  }
  return { kind: 'insert', table, row, checks };
}

/** The lifecycle move `trigger` of one record, with the other columns that change with its status. */
export const move = <R extends object, L extends Lifecycle>(
  table: Table<R, L>,
  trigger: keyof L['moves'] & string,
  of: { organization_id: string; id: string },
  set: Partial<NoInfer<R>> = {},
): MoveRecord => ({
  kind: 'move',
  table: table as Table,
  trigger,
  organization_id: of.organization_id,
  id: of.id,
  set: set as Record<string, unknown>,
});

type CheckColumns = Readonly<Record<string, ColumnKind>>;
/** A distinct value of a check in a batch, also as JSON, and how many records have it. */
export type CheckedValue<Value = object> = { value: Value; json: string; records: number };
export type Check<Refusal extends string = string, Value = never> = {
  refusal: Refusal;
  /** Selects the `number` of each value, which counts from 1, and whether it `holds`. */
  query(values: readonly CheckedValue<Value>[]): Sql;
  /**
   * Counts what was stored: named WITH queries of the same statement. `stored` selects the number of each value and how many
   * `records` with it were stored.
   */
  count?(values: readonly CheckedValue<Value>[], stored: Sql): Record<string, Sql>;
};
export type Checked<Refusal extends string = string> = { check: Check<Refusal>; value: object };

/**
 * A condition that the INSERT itself evaluates, so nothing can change between the test and the commit. Equal values are
 * evaluated once for the whole batch. Returns the function that names the values for one record:
 *
 *   const notSuppressed = check({
 *     refusal: 'suppressed',
 *     columns: { recipient: 'text' },
 *     holds: sql`not exists (select from suppressions s where s.recipient = asked.recipient)`,
 *   });
 *   insert(messages, row, [notSuppressed({ recipient: row.to })])
 */
export function check<const Refusal extends string, const Columns extends CheckColumns>({
  refusal,
  columns,
  holds,
}: {
  refusal: Refusal;
  columns: Columns;
  /** A boolean expression over the row `asked`, which has these columns. */
  holds: Sql;
}): (value: { [name in keyof Columns]: ColumnValue<Columns[name]> }) => Checked<Refusal> {
  const definition: Check<Refusal> = {
    refusal,
    // The values are sent as JSON, for which PostgreSQL always estimates the same number of rows. For arrays it estimates ten
    // rows in a cached plan and often one row in a plan for the given values, so it would plan the statement at every run.
    query: (values) => sql`
      select asked.number, (${holds}) as holds
        from rows from (json_to_recordset(${`[${values.map(({ json }) => json).join(',')}]`}) as (${columnTypes(columns)}))
             with ordinality as asked (${columnNames(columns)}, number)`,
  };
  return (value) => ({ check: definition, value });
}

/** The same for a condition that depends on all records of the batch, such as a limit that they share and count against. */
export const batchCheck =
  <const Refusal extends string, Value extends object>(definition: Check<Refusal, Value>) =>
  (value: Value): Checked<Refusal> => ({ check: definition as Check<Refusal>, value });

/** Writes rows beside the records of a batch, as WITH queries of the same statement. */
export type SideWriter<Value> = {
  /**
   * Named WITH queries for the values of the whole batch. `stored` selects the ids of the records that were written: write
   * nothing for the others. It is null when the changes have no record.
   */
  queries(
    writes: readonly { record_id: string | null; value: Value }[],
    stored: Sql | null,
  ): Record<string, Sql>;
};
export type SideWrite = { writer: SideWriter<never>; value: unknown };

export const alsoWrite = <Value>(writer: SideWriter<Value>, value: NoInfer<Value>): SideWrite => ({
  writer,
  value,
});

const inserters = new Map<number, SideWriter<object>>();

/** A row of another table; a duplicate fails the whole change. */
export function alsoInsert<R extends object>(table: Table<R>, row: NoInfer<R>): SideWrite {
  let writer = inserters.get(table.key);
  if (!writer) {
    writer = insertBeside(table);
    inserters.set(table.key, writer);
  }
  return { writer, value: row };
}

const insertBeside = ({ name, columns, often_alike }: Table): SideWriter<object> => ({
  queries(writes, stored) {
    const rows = writes.map(({ value }) => value);
    const record_ids = writes.map(({ record_id }) => record_id);
    const values = columnRows(rows, columns as object, often_alike as readonly never[][]);
    const query = stored
      ? sql`insert into ${sql.raw(name)} (${columnNames(columns)})
            select ${columnNames(columns)} from (${values}, unnest(${record_ids}::uuid[]) as record_id) r
             where record_id in (${stored})`
      : sql`insert into ${sql.raw(name)} (${columnNames(columns)}) ${values}`;
    return { [`also_${name}`]: query };
  },
});

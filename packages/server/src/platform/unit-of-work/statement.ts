// Assembles changes of the same shape into one SQL statement, and reads what became of each of them.
import { columnList, columnNames } from '../db/column-rows.ts';
import type { Row } from '../db/database.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Table } from '../db/table.ts';
import type { NewEvent, StoredEvent } from '../event.ts';
import { claimKeys, type IdempotencyRow, rememberAnswers } from '../idempotency.ts';
import { moveStatement } from '../lifecycle.ts';
import type { Outbox } from '../outbox.ts';
import type { Change, Check, CheckedValue, InsertRecord, MoveRecord, Outcome, SideWriter } from './change.ts';

/** Selects the ids of the records that the statement wrote. */
const stored_ids = sql`select id from stored`;

export type Assembled = {
  statement: Sql;
  /** The outcome of each change, in their order. */
  read(rows: readonly Row[]): Outcome[];
  /** Call it after the commit. True when the response should wait one turn of the event loop; see FanOut. */
  publish(rows: readonly Row[], outcomes: readonly Outcome[]): boolean;
};

export const idOf = (record: InsertRecord | MoveRecord): string =>
  record.kind === 'insert' ? record.row.id : record.id;

/** `skip_duplicates`: a row with a used unique key is left out; otherwise it fails the statement. */
export function assemble(
  changes: readonly Change[],
  outbox: Outbox,
  { skip_duplicates }: { skip_duplicates: boolean },
): Assembled {
  const checks = checksOf(changes);
  const records = recordsOf(changes, checks, skip_duplicates);
  const stored = records && stored_ids;
  const { events, positions } = eventsOf(changes);
  const ids = positions.map((position) => recordIdOf(changes[position]!) ?? '');
  const part = outbox.part(events, stored && { ids, stored });
  const queries = {
    ...checkQueries(checks),
    ...(records ? { stored: records } : {}),
    ...countQueries(changes, checks),
    ...sideQueries(changes, stored),
    ...answerQueries(changes, stored),
    ...part.queries,
  };
  const statement =
    records && Object.keys(queries).length === 1
      ? records
      : sql`${Object.keys(queries).length > 0 ? sql.with(queries) : sql.empty} ${results(stored, part.fanned, checks)}`;

  return {
    statement: records ? sql.plannedLike(records, statement) : statement,
    read(rows) {
      const events_by_position = Map.groupBy(part.events, (_, index) => positions[index]!);
      return outcomesOf(changes, checks, rows, events_by_position);
    },
    publish: (rows, outcomes) =>
      part.committed(
        rows.filter((row) => row.event_id != null),
        part.events.filter((_, index) => outcomes[positions[index]!]!.outcome === 'stored'),
      ),
  };
}

const recordIdOf = ({ record }: Change): string | null => (record ? idOf(record) : null);

/** All events of the batch, with the position of the change that each belongs to. */
function eventsOf(changes: readonly Change[]): { events: NewEvent[]; positions: number[] } {
  const events: NewEvent[] = [];
  const positions: number[] = [];
  for (const [position, { events: own = [] }] of changes.entries()) {
    for (const event of own) {
      events.push(event);
      positions.push(position);
    }
  }
  return { events, positions };
}

type NumberedValue = CheckedValue<never> & { number: number };
/**
 * One check of a batch: its distinct values by their JSON, each with a number that counts from 1, and for each change the
 * number of its value; null where it has none.
 */
type BatchCheck = { check: Check; values: Map<string, NumberedValue>; numbers: (number | null)[] };

function checksOf(changes: readonly Change[]): BatchCheck[] {
  const checks = new Map<Check, BatchCheck>();
  for (const [position, { record }] of changes.entries()) {
    if (record?.kind !== 'insert') continue;
    for (const { check, value } of record.checks) {
      let batch = checks.get(check);
      if (!batch) {
        batch = { check, values: new Map(), numbers: changes.map(() => null) };
        checks.set(check, batch);
      }
      const { values, numbers } = batch;
      const json = JSON.stringify(value);
      let known = values.get(json);
      if (!known) {
        known = { value: value as never, json, records: 0, number: values.size + 1 };
        values.set(json, known);
      }
      known.records++;
      numbers[position] = known.number;
    }
  }
  return [...checks.values()];
}

const checkQueries = (checks: readonly BatchCheck[]): Record<string, Sql> =>
  Object.fromEntries(
    checks.map(({ check, values }, index) => [`check_${index}`, check.query([...values.values()])]),
  );

function countQueries(changes: readonly Change[], checks: readonly BatchCheck[]): Record<string, Sql> {
  const queries: Record<string, Sql> = {};
  for (const { check, values, numbers } of checks) {
    if (!check.count) continue;
    // The common case is one value for all records, such as when one organization sends.
    const is_same = numbers.every((number) => number === 1);
    const stored = is_same
      ? sql`select 1 as number, count(*) as records from (${stored_ids}) r`
      : sql`select number, count(*) as records
              from (select unnest(${changes.map(recordIdOf)}::uuid[]) as id, unnest(${numbers}::int[]) as number) r
             where number is not null and id in (${stored_ids}) group by number`;
    Object.assign(queries, check.count([...values.values()], stored));
  }
  return queries;
}

function recordsOf(
  changes: readonly Change[],
  checks: readonly BatchCheck[],
  skip_duplicates: boolean,
): Sql | null {
  const records = changes.flatMap(({ record }) => record ?? []);
  const [first] = records;
  if (!first) return null;
  if (first.kind === 'move') {
    const { table, trigger } = first;
    return moveStatement({ table, trigger, records: records as MoveRecord[] });
  }
  const rows = (records as InsertRecord[]).map(({ row }) => row);
  return insertStatement(first.table, rows, checks, skip_duplicates);
}

function insertStatement(
  { name, columns, often_alike }: Table,
  rows: readonly object[],
  checks: readonly BatchCheck[],
  skip_duplicates: boolean,
): Sql {
  const values = columnList(rows, columns as object, often_alike as readonly never[][]);
  const source =
    checks.length === 0
      ? sql`select ${values}`
      : sql`select ${columnNames(columns)} from (select ${values}, ${sql.join(checks.map(numberColumn), ', ')}) r
             where ${sql.join(
               checks.map((_, index) => holdsFor(index)),
               ' and ',
             )}`;
  return sql`insert into ${sql.raw(name)} (${columnNames(columns)}) ${source}
    ${skip_duplicates ? sql`on conflict do nothing` : sql.empty} returning id`;
}

const numberColumn = ({ numbers }: BatchCheck, index: number) =>
  sql`unnest(${numbers}::int[]) as ${sql.raw(`number_${index}`)}`;

/** PostgreSQL evaluates the array once per statement; a join would be evaluated for every row. */
const holdsFor = (index: number) => {
  const check = sql.raw(`check_${index}`);
  return sql`coalesce((array(select holds from ${check} order by number))[r.${sql.raw(`number_${index}`)}], true)`;
};

function sideQueries(changes: readonly Change[], stored: Sql | null): Record<string, Sql> {
  const by_writer = new Map<SideWriter<never>, { record_id: string | null; value: never }[]>();
  for (const change of changes) {
    for (const { writer, value } of change.also ?? []) {
      const writes = by_writer.get(writer) ?? [];
      by_writer.set(writer, writes);
      writes.push({ record_id: recordIdOf(change), value: value as never });
    }
  }
  const queries: Record<string, Sql> = {};
  for (const [writer, writes] of by_writer) Object.assign(queries, writer.queries(writes, stored));
  return queries;
}

function answerQueries(changes: readonly Change[], stored: Sql | null): Record<string, Sql> {
  const inserted: { record_id: string; row: IdempotencyRow }[] = [];
  const completed: Parameters<typeof rememberAnswers>[0][number][] = [];
  for (const { record, answer } of changes) {
    if (!answer || !record) continue;
    if (record.kind === 'insert') inserted.push({ record_id: idOf(record), row: answer as IdempotencyRow });
    else completed.push({ record_id: idOf(record), ...answer });
  }
  return {
    ...(inserted.length > 0 && stored ? { claimed: claimKeys(inserted, stored) } : {}),
    ...(completed.length > 0 ? { remembered: rememberAnswers(completed, stored) } : {}),
  };
}

/** Rows of three kinds: `id` of a stored record; what the fan-out returned; the number of a check value that failed. */
function results(stored: Sql | null, fanned: readonly Sql[] | null, checks: readonly BatchCheck[]): Sql {
  const nothing = sql.join(fanned?.map((name) => sql`, null as ${name}`) ?? [], '');
  const parts: Sql[] = [];
  if (stored) parts.push(sql`select id, null::int as failed, null::int as number ${nothing} from stored`);
  // Second, so that its types decide those of the columns that are null in the other parts.
  if (fanned)
    parts.push(
      sql`select null::uuid as id, null::int as failed, null::int as number, ${sql.join(fanned, ', ')} from fanned`,
    );
  for (const index of checks.keys())
    parts.push(
      sql`select null, ${index}::int, number ${nothing} from ${sql.raw(`check_${index}`)} where not holds`,
    );
  if (parts.length === 0) return sql`select null::uuid as id where false`;
  return sql.join(parts, ' union all ');
}

function outcomesOf(
  changes: readonly Change[],
  checks: readonly BatchCheck[],
  rows: readonly Row[],
  events: ReadonlyMap<number, StoredEvent[]>,
): Outcome[] {
  const stored = new Set<unknown>();
  const failed = checks.map(() => new Set<unknown>());
  for (const row of rows) {
    if (row.id != null) stored.add(row.id);
    else if (row.failed != null) failed[row.failed as number]!.add(row.number);
  }
  return changes.map(({ record }, position): Outcome => {
    if (!record || stored.has(idOf(record))) {
      return { outcome: 'stored', events: events.get(position) ?? [] };
    }
    if (record.kind === 'move') return { outcome: 'not_applicable' };
    const refusing = checks.find(({ numbers }, index) => failed[index]!.has(numbers[position]));
    return refusing ? { outcome: 'refused', by: refusing.check.refusal } : { outcome: 'duplicate' };
  });
}

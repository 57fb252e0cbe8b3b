// Rows as parameters of one statement: an array for each column. PostgreSQL reads typed arrays faster than rows of JSON.
import { arrayLiteral } from './array-literal.ts';
import { type Sql, sql } from './sql.ts';

export type ColumnKind =
  | 'uuid'
  | 'text'
  | 'int'
  | 'bigint'
  | 'boolean'
  | 'timestamptz'
  | 'text[]'
  | 'json'
  | 'jsonb';

/** The value that a row has for a column of this kind. */
export type ColumnValue<Kind extends ColumnKind> =
  | null
  | {
      uuid: string;
      text: string;
      int: number;
      bigint: number;
      boolean: boolean;
      timestamptz: string | Date;
      'text[]': readonly string[];
      json: unknown;
      jsonb: unknown;
    }[Kind];

type Transport = { as: string; cast: string; write?: (value: unknown) => string | null };

const writeJson = (value: unknown) => JSON.stringify(value);

/** A kind without an array type of its own is sent as text and cast row by row. */
const transports: Record<ColumnKind, Transport> = {
  uuid: { as: 'uuid[]', cast: '' },
  text: { as: 'text[]', cast: '' },
  int: { as: 'int[]', cast: '' },
  bigint: { as: 'bigint[]', cast: '' },
  boolean: { as: 'boolean[]', cast: '' },
  timestamptz: { as: 'timestamptz[]', cast: '' },
  'text[]': { as: 'text[]', cast: '::text[]', write: (value) => arrayLiteral(value as string[]) },
  json: { as: 'text[]', cast: '::json', write: writeJson },
  jsonb: { as: 'text[]', cast: '::jsonb', write: writeJson },
};

type Columns<T> = Readonly<{ [name in keyof T & string]?: ColumnKind }>;

/**
 * The select list that turns the rows into a result set, in the order of `kinds`. Arrays are unnested in the select list:
 * in FROM, PostgreSQL would first materialize each of them.
 *
 * `often_alike` are sets of columns that usually have the same value in all rows of a batch (for example the organization).
 * Where a whole set is equal in all rows, each of its columns is sent as one value. Whole sets, because every combination is
 * a statement of its own to prepare. Never all columns: single values do not say how many rows there are.
 */
export function columnList<T extends object>(
  rows: readonly T[],
  kinds: Columns<T>,
  often_alike: readonly (readonly (keyof T & string)[])[] = [],
): Sql {
  const columns = Object.entries(kinds) as [keyof T & string, ColumnKind][];
  const values_of_columns = new Map(columns.map(([name, kind]) => [name, columnOf(rows, name, kind)]));
  const alike = new Set(
    often_alike.filter((set) => set.every((name) => areAlike(values_of_columns.get(name)!))).flat(),
  );
  const parts = columns.map(([name, kind]) => {
    const values = values_of_columns.get(name)!;
    if (alike.has(name)) return sql`${values[0] ?? null}::${sql.raw(`${kind} as "${name}"`)}`;
    const { as, cast } = transports[kind];
    return sql`unnest(${values}::${sql.raw(as)})${sql.raw(`${cast} as "${name}"`)}`;
  });
  return sql.join(parts, ', ');
}

/** The same as a SELECT. */
export const columnRows = <T extends object>(
  rows: readonly T[],
  kinds: Columns<T>,
  often_alike: readonly (readonly (keyof T & string)[])[] = [],
): Sql => sql`select ${columnList(rows, kinds, often_alike)}`;

function columnOf<T extends object>(rows: readonly T[], name: keyof T, kind: ColumnKind): unknown[] {
  const { write } = transports[kind];
  return rows.map((row) => {
    const value = row[name];
    return write && value !== null && value !== undefined ? write(value) : value;
  });
}

function areAlike(values: readonly unknown[]): boolean {
  for (const value of values) if (value !== values[0]) return false;
  return true;
}

/** The column list of an INSERT. Quoted, because some columns are named like keywords ("from", "to"). */
export const columnNames = (kinds: Readonly<Record<string, ColumnKind>>) =>
  sql.raw(
    Object.keys(kinds)
      .map((name) => `"${name}"`)
      .join(', '),
  );

/** The columns with their types, for json_to_recordset(). */
export const columnTypes = (kinds: Readonly<Record<string, ColumnKind>>) =>
  sql.raw(
    Object.entries(kinds)
      .map(([name, kind]) => `"${name}" ${kind}`)
      .join(', '),
  );

// Table descriptors: the columns of a table and their types, written once for every statement that inserts or moves rows.
import type { Lifecycle } from '@parley/contract/schema/lifecycle';
import type { ColumnKind } from './column-rows.ts';
import type { Tables } from './tables.ts';

export type BatchOptions = { max_rows?: number; max_flushes?: number };

export type TableOptions<R, L extends Lifecycle> = {
  /** Present when the table has a status: `move()` follows it and `insert()` accepts only its first states. */
  lifecycle?: L;
  /** Sets of columns that are usually equal in all rows of a batch; see columnList(). */
  often_alike?: readonly (readonly (keyof R & string)[])[];
  /**
   * `rare`: the first try is a plain INSERT, which costs less than ON CONFLICT; only a batch with a duplicate is written
   * a second time.
   */
  duplicates?: 'common' | 'rare';
  /** How many inserts share a statement. Large rows need smaller batches. */
  batch?: BatchOptions;
};

export type Table<R = object, L extends Lifecycle = Lifecycle> = Pick<
  TableOptions<R, L>,
  'lifecycle' | 'duplicates' | 'batch'
> & {
  readonly name: string;
  /** Tells descriptors apart: two may describe the same table with other columns. */
  readonly key: number;
  readonly columns: Readonly<Record<string, ColumnKind>>;
  readonly often_alike: readonly (readonly string[])[];
  /** Never set; carries the type of a row. */
  readonly row?: R;
};

let last_key = 0;

type TableName = keyof Tables;
type KindOf<Column> = Column extends `${infer Kind}?` ? Kind : Column;

/**
 * The columns that a descriptor may name: those of the migrated table, with their kinds. A value that may be null only
 * fits a column that may be null.
 */
type ColumnsOf<Name extends TableName, R> = {
  readonly [column in keyof R & keyof Tables[Name] & string]?: null extends R[column]
    ? Tables[Name][column] extends `${string}?`
      ? KindOf<Tables[Name][column]> & ColumnKind
      : never
    : KindOf<Tables[Name][column]> & ColumnKind;
};

/**
 *   const contacts = table<'contacts', ContactRow>('contacts', { id: 'uuid', organization_id: 'uuid', name: 'text', … });
 *   const calls = table<'calls', CallRow, typeof callLifecycle>('calls', { … }, { lifecycle: callLifecycle });
 */
export const table = <Name extends TableName, R extends object, L extends Lifecycle = Lifecycle>(
  name: Name,
  columns: ColumnsOf<Name, R>,
  options?: TableOptions<R, L>,
): Table<R, L> => describeTable<R, L>(name, columns as Columns<R>, options);

type Columns<R> = Readonly<{ [column in keyof R & string]?: ColumnKind }>;

/** For a table that no migration creates. */
export const describeTable = <R extends object, L extends Lifecycle = Lifecycle>(
  name: string,
  columns: Columns<R>,
  { often_alike = [], ...options }: TableOptions<R, L> = {},
): Table<R, L> => ({
  name,
  key: ++last_key,
  columns: columns as Readonly<Record<string, ColumnKind>>,
  often_alike,
  ...options,
});

// Table descriptors: the columns of a table and their types, written once for every statement that inserts or moves rows.
import type { Lifecycle } from '@parley/contract/schema/lifecycle';
import type { ColumnKind } from './column-rows.ts';

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

/**
 *   const contacts = table<ContactRow>('contacts', { id: 'uuid', organization_id: 'uuid', name: 'text', … });
 *   const calls = table<CallRow, typeof callLifecycle>('calls', { … }, { lifecycle: callLifecycle });
 */
export const table = <R extends object, L extends Lifecycle = Lifecycle>(
  name: string,
  columns: Readonly<{ [column in keyof R & string]?: ColumnKind }>,
  { often_alike = [], ...options }: TableOptions<R, L> = {},
): Table<R, L> => ({
  name,
  key: ++last_key,
  columns: columns as Readonly<Record<string, ColumnKind>>,
  often_alike,
  ...options,
});

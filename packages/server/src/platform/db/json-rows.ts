// JSON on its way into the database: rows for json_populate_recordset, and texts of which each becomes a row.
import { type Sql, sql } from './sql.ts';

/**
 * A column left out is null in the record too, and costs the database nothing. The shape of the row stays, so that this
 * costs little; what is undefined is not written.
 */
function withoutNulls(row: object): object {
  const copy: Record<string, unknown> = { ...row };
  // Only its own columns: a null inside a value is the user's, and stays.
  for (const name in copy) if (copy[name] === null) copy[name] = undefined;
  return copy;
}

export const jsonRows = (rows: readonly object[]): string => JSON.stringify(rows.map(withoutNulls));

/** A set of texts, for `rows from`. JSON holds no line break of its own, so that nothing has to be escaped or read letter by letter. */
export const lines = (texts: readonly string[]): Sql => sql`string_to_table(${texts.join('\n')}, chr(10))`;

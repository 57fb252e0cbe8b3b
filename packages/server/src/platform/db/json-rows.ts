// Rows of JSON on their way into the database, for json_populate_recordset: for records of many columns that are mostly empty.

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

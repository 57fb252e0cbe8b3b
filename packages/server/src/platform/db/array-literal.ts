// Writes an array parameter in PostgreSQL's text format. The driver does the same, but several times slower: for statements
// with many rows that was most of their cost in this process.

/** Text that needs no quotes. */
const plain = /^[\w.:+@/-]+$/;
const special = /["\\]/g;

function element(value: unknown): string | null {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  // An unquoted null would be the SQL null.
  if (plain.test(value) && (value.length !== 4 || value.toLowerCase() !== 'null')) return value;
  return `"${value.replace(special, '\\$&')}"`;
}

/** Null when the array contains anything but text, numbers, booleans and nulls: the driver writes it then. */
export function arrayLiteral(values: readonly unknown[]): string | null {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const element_text = element(values[index]);
    if (element_text === null) return null;
    text += index === 0 ? element_text : `,${element_text}`;
  }
  return `${text}}`;
}

// Writes an array parameter as PostgreSQL reads it. The driver does so too, but looks at every value through several
// hands: for statements of many rows that cost more than all else that is done for them here.

/** Letters that never need quotes. */
const plain = /^[\w.:+@/-]+$/;
const special = /["\\]/g;

function element(value: unknown): string | null {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  // The word null without quotes would be no word.
  if (plain.test(value) && (value.length !== 4 || value.toLowerCase() !== 'null')) return value;
  return `"${value.replace(special, '\\$&')}"`;
}

/** Null where something else than words and numbers is in it: that is left to the driver. */
export function arrayLiteral(values: readonly unknown[]): string | null {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const written = element(values[index]);
    if (written === null) return null;
    text += index === 0 ? written : `,${written}`;
  }
  return `${text}}`;
}

// A tagged template for SQL: values become parameters, fragments nest, and equal statements share one text.

export type Sql = {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly replanned?: 'always' | 'rarely';
};

/** Written by us, never by a caller: becomes part of the statement's text. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;

export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return { strings, values };
}

/** A name or keyword known at write time, such as a table of a lifecycle. */
sql.raw = (text: string): Raw => new Raw(text);

/**
 * Planned anew at every run. A plan that is kept was made for the table as it was then: one for an empty table reads
 * all of it, also when it has grown. Worth it for statements that work on many rows at once.
 */
sql.replanned = (query: Sql): Sql => ({ ...query, replanned: 'always' });

/**
 * Planned anew whenever it has run twice as often as at its last plan: for a look-up in a table that grows with its use,
 * where planning costs as much as looking.
 */
sql.replannedRarely = (query: Sql): Sql => ({ ...query, replanned: 'rarely' });

/** Joins fragments, such as the conditions of a filter. */
sql.join = (parts: readonly Sql[], separator: string): Sql => ({
  strings: ['', ...parts.slice(1).map(() => separator), ''],
  values: parts,
});

/** A WITH clause: queries by the names under which the others know them. */
sql.with = (queries: Readonly<Record<string, Sql>>): Sql =>
  sql`with ${sql.join(
    Object.entries(queries).map(([name, query]) => sql`${sql.raw(name)} as (${query})`),
    ', ',
  )}`;

sql.empty = { strings: [''], values: [] } as Sql;

export type Statement = { text: string; values: unknown[] };

const plain = new WeakMap<readonly string[], string>();

export function compile(query: Sql): Statement {
  const known = plain.get(query.strings);
  if (known !== undefined) return { text: known, values: query.values as unknown[] };
  const values: unknown[] = [];
  let nested = false;
  const write = (part: Sql): string => {
    let text = part.strings[0]!;
    part.values.forEach((value, index) => {
      if (value instanceof Raw) {
        nested = true;
        text += value.text;
      } else if (isSql(value)) {
        nested = true;
        text += write(value);
      } else {
        text += `$${values.push(value)}`;
      }
      text += part.strings[index + 1]!;
    });
    return text;
  };
  const text = write(query);
  // A template without fragments always gives the same text: the hot statements are assembled once.
  if (!nested) plain.set(query.strings, text);
  return { text, values };
}

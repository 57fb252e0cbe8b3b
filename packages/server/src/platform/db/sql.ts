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

/** A statement around another one is planned as often as that one. */
sql.plannedLike = ({ replanned }: Sql, query: Sql): Sql => (replanned ? { ...query, replanned } : query);

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

const isPart = (value: unknown) => value instanceof Raw || isSql(value);

export function compile(query: Sql): Statement {
  const values: unknown[] = [];
  const write = (part: Sql): string => {
    let text = part.strings[0]!;
    part.values.forEach((value, index) => {
      if (value instanceof Raw) text += value.text;
      else if (isSql(value)) text += write(value);
      else text += `$${values.push(value)}`;
      text += part.strings[index + 1]!;
    });
    return text;
  };
  if (query.values.some(isPart)) return { text: write(query), values };
  // A template filled with nothing but values always gives the same text: the hot statements are assembled once.
  let text = plain.get(query.strings);
  if (text === undefined) {
    text = write(query);
    plain.set(query.strings, text);
  }
  return { text, values: query.values as unknown[] };
}

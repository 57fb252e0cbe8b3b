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
  strings: between(separator, parts.length),
  values: parts,
});

const separators = new Map<string, readonly string[]>();
/** The same array for the same joint: by it a statement that was assembled before is recognised. */
function between(separator: string, count: number): readonly string[] {
  const key = `${count} ${separator}`;
  let strings = separators.get(key);
  if (!strings) {
    strings = ['', ...new Array<string>(Math.max(count - 1, 0)).fill(separator), ''];
    separators.set(key, strings);
  }
  return strings;
}

/** A WITH clause: queries by the names under which the others know them. */
sql.with = (queries: Readonly<Record<string, Sql>>): Sql =>
  sql`with ${sql.join(
    Object.entries(queries).map(([name, query]) => sql`${sql.raw(name)} as (${query})`),
    ', ',
  )}`;

sql.empty = { strings: [''], values: [] } as Sql;

export type Statement = { text: string; values: unknown[] };

/** What statements are made of, part by part: fragments, words, and null for a value. The same parts give the same text. */
type Path = { text: string | null; next: Map<readonly string[] | string | null, Path> };

const start: Path = { text: null, next: new Map() };

function step({ next }: Path, part: readonly string[] | string | null): Path {
  let path = next.get(part);
  if (!path) {
    path = { text: null, next: new Map() };
    next.set(part, path);
  }
  return path;
}

/** A statement of many fragments is assembled once: its text would be written, hashed and compared anew for every group. */
export function compile(query: Sql): Statement {
  const values: unknown[] = [];
  const follow = (from: Path, part: Sql): Path => {
    let path = step(from, part.strings);
    for (const value of part.values) {
      if (value instanceof Raw) path = step(path, value.text);
      else if (isSql(value)) path = follow(path, value);
      else {
        values.push(value);
        path = step(path, null);
      }
    }
    return path;
  };
  const path = follow(start, query);
  path.text ??= textOf(query);
  return { text: path.text, values };
}

function textOf(query: Sql): string {
  let count = 0;
  const write = (part: Sql): string => {
    const written = part.values.map((value) => {
      if (value instanceof Raw) return value.text;
      return isSql(value) ? write(value) : `$${++count}`;
    });
    return part.strings.map((text, index) => text + (written[index] ?? '')).join('');
  };
  return write(query);
}

// A tagged template for SQL: values become parameters, fragments nest, and equal statements share one text.
import { type ArrayKind, arrayKinds } from './array-bytes.ts';

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
  strings: joints(parts.length, separator),
  values: parts,
});

// Made once for each number of parts: a statement is known by the arrays its strings lie in.
const joints_of = new Map<string, readonly string[]>();
function joints(parts: number, separator: string): readonly string[] {
  const key = `${parts} ${separator}`;
  const made = joints_of.get(key) ?? ['', ...Array<string>(Math.max(0, parts - 1)).fill(separator), ''];
  if (joints_of.size < max_kept) joints_of.set(key, made);
  return made;
}

/** A WITH clause: queries by the names under which the others know them. */
sql.with = (queries: Readonly<Record<string, Sql>>): Sql =>
  sql`with ${sql.join(
    Object.entries(queries).map(([name, query]) => sql`${sql.raw(name)} as (${query})`),
    ', ',
  )}`;

sql.empty = { strings: [''], values: [] } as Sql;

export type Statement = { text: string; values: unknown[] };

type Text = {
  text: string;
  /** Which of the values are arrays that are known by their cast. */
  arrays: readonly (ArrayKind | undefined)[];
};
type Assembled = Text & { pieces: readonly unknown[] };

/** How many statements are kept: for each template one for every choice of fragments that was made within it. */
const max_kept = 1000;
const assembled = new WeakMap<readonly string[], Assembled[]>();
let kept = 0;
const a_value = Symbol('a value');

/**
 * Statements are assembled once: later the same pieces in the same order give the same text, as the same string, which
 * whoever looks it up need not read again. The pieces are named in the order in which they are written, a mark for each
 * value among them, and a template has as many of them as it has gaps: so no two statements are the same list.
 */
export function compile(query: Sql): Text & { values: unknown[] } {
  const pieces: unknown[] = [];
  const values: unknown[] = [];
  take(query, pieces, values);
  let alike = assembled.get(query.strings);
  if (!alike) {
    alike = [];
    assembled.set(query.strings, alike);
  }
  for (const { pieces: known, text, arrays } of alike) {
    if (isSame(known, pieces)) return { text, arrays, values };
  }
  const text = write(query, { values: 0 });
  const arrays = arrayKinds(text);
  if (kept < max_kept) {
    kept++;
    alike.push({ pieces, text, arrays });
  }
  return { text, arrays, values };
}

function take(part: Sql, pieces: unknown[], values: unknown[]): void {
  pieces.push(part.strings);
  for (const value of part.values) {
    if (value instanceof Raw) pieces.push(value.text);
    else if (isSql(value)) take(value, pieces, values);
    else {
      pieces.push(a_value);
      values.push(value);
    }
  }
}

function isSame(known: readonly unknown[], pieces: readonly unknown[]): boolean {
  if (known.length !== pieces.length) return false;
  for (let index = 0; index < known.length; index++) if (known[index] !== pieces[index]) return false;
  return true;
}

function write(part: Sql, count: { values: number }): string {
  let text = part.strings[0]!;
  part.values.forEach((value, index) => {
    if (value instanceof Raw) text += value.text;
    else if (isSql(value)) text += write(value, count);
    else text += `$${++count.values}`;
    text += part.strings[index + 1]!;
  });
  return text;
}

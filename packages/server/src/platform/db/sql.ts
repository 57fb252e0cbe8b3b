// A tagged template for SQL: values become parameters, fragments nest, and equal statements share one text.
import { type ArrayKind, arrayKinds } from './array-bytes.ts';

export type Sql = {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  readonly replanned?: 'always' | 'rarely';
};

/** Text from our own sources, never from a request: becomes part of the statement's text. */
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
 * Planned again at every run. A cached plan fits the table as it was when it was planned: a plan for an empty table still
 * reads all of it when it has grown. Worth it for statements that work on many rows.
 */
sql.replanned = (query: Sql): Sql => ({ ...query, replanned: 'always' });

/**
 * Planned again whenever the number of its runs has doubled: for a lookup in a table that grows with its use, where planning
 * costs as much as the lookup.
 */
sql.replannedRarely = (query: Sql): Sql => ({ ...query, replanned: 'rarely' });

/** A statement around another one is planned as often as that one. */
sql.plannedLike = ({ replanned }: Sql, query: Sql): Sql => (replanned ? { ...query, replanned } : query);

/** Joins fragments, such as the conditions of a filter. */
sql.join = (parts: readonly Sql[], separator: string): Sql => ({
  strings: joints(parts.length, separator),
  values: parts,
});

// Cached for each number of parts: compile() recognizes a statement by the identity of its string arrays.
const joints_of = new Map<string, readonly string[]>();
function joints(parts: number, separator: string): readonly string[] {
  const key = `${parts} ${separator}`;
  const joints = joints_of.get(key) ?? ['', ...Array<string>(Math.max(0, parts - 1)).fill(separator), ''];
  if (joints_of.size < max_kept) joints_of.set(key, joints);
  return joints;
}

/** A WITH clause from named queries. */
sql.with = (queries: Readonly<Record<string, Sql>>): Sql =>
  sql`with ${sql.join(
    Object.entries(queries).map(([name, query]) => sql`${sql.raw(name)} as (${query})`),
    ', ',
  )}`;

sql.empty = { strings: [''], values: [] } as Sql;

export type Statement = { text: string; values: unknown[] };

type Text = {
  text: string;
  /** The element types of array values, from their casts. */
  arrays: readonly (ArrayKind | undefined)[];
};
type Assembled = Text & { pieces: readonly unknown[] };

/** How many texts are cached: one for every combination of template and nested fragments. */
const max_kept = 1000;
const assembled = new WeakMap<readonly string[], Assembled[]>();
let kept = 0;
const a_value = Symbol('a value');

/**
 * Assembles each statement once and caches its text: the same pieces in the same order give the same string object, so a later
 * lookup compares identities. The key is the list of pieces in their order, with a marker for each value. A template always
 * has as many values as gaps, so two different statements never have the same list.
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

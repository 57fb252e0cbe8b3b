// Finds SQL that writes or reads a table of another feature, and keeps the lists of what is accepted until it moves.
import { readFileSync } from 'node:fs';
import { sourceFiles } from './source-files.ts';
import { sqlTexts } from './sql-texts.ts';

const source = 'packages/server/src/';
/** Partitions, dumps and statements of any table, which get its name from the caller. */
const of_any_table = `${source}platform/db/`;
export const access_lists = {
  writers: 'test/guards/foreign-writers.txt',
  reads: 'test/guards/foreign-reads.txt',
} as const;
export type Access = keyof typeof access_lists;

/** The feature that owns each table, from the comments in the generated schema. */
const ownersOf = (schema: string): Map<string, string> =>
  new Map(
    [...schema.matchAll(/^comment on table (\w+) is 'owner: (\S+);/gm)].map(([, table, owner]) => [
      table!,
      owner!,
    ]),
  );

const written =
  /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?|merge\s+into|truncate)\s+"?(?:public\.)?(\w+)/gi;
const read = /(?<!\bdelete\s)\b(?:from|join|using)\s+(?:lateral\s+)?(?:only\s+)?"?(?:public\.)?(\w+)/gi;
/** The name of the table is a value of the program, so any table that the file names may be meant. */
const written_by_name = /\b(?:insert\s+into|update|delete\s+from)\s+\$\{/i;
const read_by_name = /(?<!\bdelete\s)\b(?:from|join)\s+\$\{sql\.raw\(/i;
/** Rows of table descriptors and of lifecycles are written by the unit of work. */
const described = /\b(?:table(?:<[^()]*>)?\(|table:)\s*'(\w+)'/g;

const matched = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
const quotedNames = (text: string) => matched(text, /'(\w+)'/g);

/** The tables that the SQL of a source file writes or reads. Names of common table expressions are among them. */
export function tablesIn(text: string, access: Access): string[] {
  const texts = sqlTexts(text);
  const [direct, by_name] = access === 'writers' ? [written, written_by_name] : [read, read_by_name];
  const tables = [
    ...texts.flatMap((each) => matched(each, direct)),
    ...(texts.some((each) => by_name.test(each)) ? quotedNames(text) : []),
    ...(access === 'writers' ? matched(text.replaceAll(/^\s*(?:\*|\/\/).*$/gm, ''), described) : []),
  ];
  // A nested statement is part of the text around it too.
  return [...new Set(tables)];
}

const isIn = (path: string, owner: string) =>
  path.startsWith(owner === 'platform' ? 'platform/' : `features/${owner}/`);

/** `file table` for every table of another feature, in the order of the names. */
export function foreignAccess(access: Access): string[] {
  const owners = ownersOf(readFileSync('packages/server/schema.sql', 'utf8'));
  const entries = sourceFiles()
    .filter((path) => path.startsWith(source) && !path.startsWith(of_any_table) && !path.endsWith('.test.ts'))
    .flatMap((full) => {
      const path = full.slice(source.length);
      const tables = tablesIn(readFileSync(full, 'utf8'), access);
      return tables
        .filter((table) => owners.has(table) && !isIn(path, owners.get(table)!))
        .map((table) => `${path} ${table}`);
    });
  return [...new Set(entries)].toSorted();
}

export const acceptedAccess = (access: Access): string[] =>
  readFileSync(access_lists[access], 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** The list without what moved to its owner. */
export function prunedAccess(access: Access): string {
  const current = new Set(foreignAccess(access));
  return readFileSync(access_lists[access], 'utf8')
    .split('\n')
    .filter((line) => line === '' || line.startsWith('#') || current.has(line))
    .join('\n');
}

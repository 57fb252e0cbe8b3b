// Finds functions that are longer than a screen, and reads the list of those that are accepted.
import { readFileSync } from 'node:fs';
// rolldown comes with vite, which builds the console.
import { parseSync } from 'rolldown/utils';
import { sourceFiles } from './source-files.ts';

export const max_lines = 80;
export const list_file = 'test/guards/long-functions.txt';

export type LongFunction = { path: string; name: string; lines: number };
export type Accepted = { path: string; name: string; reason: string };

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const function_types = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The name of the function, or of the variable, property or method that contains it. */
function nameOf(node: Node, parent: Node | null): string | null {
  const holder = [node.id, parent?.id, parent?.key].find(isNode);
  const name = holder?.name ?? holder?.value;
  return typeof name === 'string' ? name : null;
}

/** Functions of one file over the limit. An unnamed function is named after the function that contains it. */
export function longFunctionsOf(path: string, text: string): LongFunction[] {
  const line_starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => line_starts.findLastIndex((start) => start <= offset);
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  const found: LongFunction[] = [];
  const visit = (node: Node, parent: Node | null, outer: string): void => {
    let inner = outer;
    if (function_types.has(node.type)) {
      inner = nameOf(node, parent) ?? `callback in ${outer}`;
      const lines = lineAt(node.end - 1) - lineAt(node.start) + 1;
      if (lines > max_lines) found.push({ path, name: inner, lines });
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, node, inner);
  };
  visit(program as unknown as Node, null, 'the module');
  return found;
}

export const longFunctions = (): LongFunction[] =>
  sourceFiles()
    .filter((path) => /^packages\/[^/]+\/src\//.test(path) && !/(\.test\.tsx?$|conformance)/.test(path))
    .flatMap((path) => longFunctionsOf(path, readFileSync(path, 'utf8')));

/** One function per line: `path name: reason`. Lines that start with # are comments. */
export const readAccepted = (text = readFileSync(list_file, 'utf8')): Accepted[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, path, name, reason] = /^(\S+) (.+?): (.+)$/.exec(line) ?? [];
      if (!path || !name || !reason)
        throw new Error(`${list_file}: write "path name: reason", not "${line}"`);
      return { path, name, reason };
    });

export const sameFunction = (a: { path: string; name: string }, b: { path: string; name: string }): boolean =>
  a.path === b.path && a.name === b.name;

/** The list without functions that are short by now. */
export function prunedList(text = readFileSync(list_file, 'utf8')): string {
  const long = longFunctions();
  return text
    .split('\n')
    .filter((line) => {
      if (line === '' || line.startsWith('#')) return true;
      return long.some((each) => readAccepted(line).some((accepted) => sameFunction(accepted, each)));
    })
    .join('\n');
}

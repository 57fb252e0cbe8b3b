// Guard: a function fits on a screen. The exceptions are in long-functions.txt, and that list only gets shorter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  list_file,
  longFunctions,
  longFunctionsOf,
  max_lines,
  readAccepted,
  sameFunction,
} from './long-functions.ts';

const long = longFunctions();
const accepted = readAccepted();

test(`no function is longer than ${max_lines} lines, except those in the list`, () => {
  const unlisted = long.filter((each) => !accepted.some((entry) => sameFunction(entry, each)));
  assert.deepEqual(
    unlisted.map(({ path, name, lines }) => `${path} ${name}: ${lines} lines`),
    [],
    `split these functions; for one that was only renamed or moved, change its line in ${list_file}`,
  );
});

test('the list has no function that is short or deleted; `npm run generate` removes it', () => {
  const stale = accepted.filter((entry) => !long.some((each) => sameFunction(entry, each)));
  assert.deepEqual(
    stale.map(({ path, name }) => `${list_file}: ${path} ${name}`),
    [],
  );
});

test('functions of every form are measured', () => {
  const body = '\n'.repeat(max_lines);
  const name = (source: string) => longFunctionsOf('example.tsx', source).map((each) => each.name);
  assert.deepEqual(name(`export function declared(a: string): void {${body}}`), ['declared']);
  assert.deepEqual(name(`const arrow = async <T,>(a: T): Promise<T> => {${body}return a;};`), ['arrow']);
  assert.deepEqual(name(`const holder = { method() {${body}}, get value() {${body}return 1;} };`), [
    'method',
    'value',
  ]);
  assert.deepEqual(name(`class Some { async *member(): AsyncGenerator<1> {${body}} }`), ['member']);
  assert.deepEqual(name(`function outer() {\n items.map((item) => {${body}});\n}`), [
    'outer',
    'callback in outer',
  ]);
  assert.deepEqual(name(`const Page = () => <div>{"}"}${body}</div>;`), ['Page']);
  assert.deepEqual(name(`function short() { return \`}\`; }${body}`), []);
});

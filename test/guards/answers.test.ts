// Guard: features return records. Only platform/http writes a response as JSON and reads a stored one; the type of a handler
// refuses text. JSON that a feature reads is listed in parsed-json.txt, and that list only gets shorter.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourceFiles } from './source-files.ts';

const source = 'packages/server/src/';
const list_file = 'test/guards/parsed-json.txt';

const files = sourceFiles()
  .filter((path) => path.startsWith(source) && !/(\.test\.ts$|\/testing\/|conformance)/.test(path))
  .map((path) => ({ path: path.slice(source.length), text: readFileSync(path, 'utf8') }));
const product = files.filter(({ path }) => /^(features|app)\//.test(path));

const listed = readFileSync(list_file, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.slice(0, line.indexOf(': ')));

const pathsWith = (pattern: RegExp, among: typeof files) =>
  among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

test('a feature parses JSON only where the list says what it reads', () => {
  const parsing = pathsWith(/\bJSON\.parse\(/, product);
  assert.deepEqual(parsing.sort(), listed.sort(), `pass values instead of text, or correct ${list_file}`);
});

test('only the platform writes responses and reads stored ones', () => {
  assert.deepEqual(pathsWith(/\/http\/answer\.ts'|\bproblemResponse\b/, product), [
    // Probes have a server of their own, which answers without the database.
    'features/operations/status/health-server.ts',
  ]);
});

test('no code finds facts in the advice of an error', () => {
  assert.deepEqual(
    pathsWith(/\.(exec|match|matchAll|test|search)\([^)\n]*\b(fix|detail|advice)\)/, product),
    [],
  );
});

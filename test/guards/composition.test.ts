// Guard: the composition in app/ is one list of features, without parts that do not exist yet.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sourceFiles } from './source-files.ts';

const server = 'packages/server/src/';
const sources = sourceFiles()
  .filter((path) => path.startsWith(server) && !/(\.test\.ts$|\/testing\/|conformance)/.test(path))
  .map((path) => ({ path: path.slice(server.length), text: readFileSync(path, 'utf8') }));
const composition = sources.filter(({ path }) => path.startsWith('app/'));

/** These numbers only go down. */
const most_late_ports = 12;
const most_deps_types = 204;
/** Without the choice of vendors and the list of personal data. */
const most_lines = 1030;

test('app/ has no part that is filled in later, except for the declared ports', () => {
  const offences = composition.filter(({ text }) => /\bparts\.|\{\} as\b|Object\.assign/.test(text));
  assert.deepEqual(
    offences.map(({ path }) => path),
    [],
  );
});

test('few features need a port of a feature that is built later', () => {
  const { text } = composition.find(({ path }) => path === 'app/late-ports.ts')!;
  const ports = text.slice(text.indexOf('export type LatePorts')).match(/^ {2}\w+: /gm) ?? [];
  assert.ok(ports.length > 0 && ports.length <= most_late_ports, `${ports.length} late ports`);
});

test('the composition stays short', () => {
  const lines = composition
    .filter(({ path }) => path !== 'app/vendors.ts' && path !== 'app/personal-data.ts')
    .reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  assert.ok(lines <= most_lines, `${lines} lines`);
});

test('functions name what they need of the platform instead of declaring a type of dependencies', () => {
  const types = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?type (\w+Deps)\b/gm)].map(([, name]) => `${path}: ${name}`),
  );
  assert.ok(types.length <= most_deps_types, `${types.length} types, more than before:\n${types.join('\n')}`);
});

// Guard: every PARLEY_ name in the sources and docs is a setting of the server or a variable of a client, never both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { client_variables } from '../../packages/contract/src/client-environment.ts';
import { readConfig, settings } from '../../packages/server/src/config/config.ts';
import { secretFileNames } from '../../packages/server/src/platform/settings.ts';
import { projectFiles } from './source-files.ts';

/** Of files with secrets. */
const secret_files = new Set(secretFileNames(settings).values());

/** Names that only tests use, and prefixes that docs write for a group of settings. */
const others = new Set([
  'PARLEY_TEST_DATABASE_URL',
  'PARLEY_TEST_DATABASE_SOCKETS',
  'PARLEY_TEST_CLUSTER',
  'PARLEY_TEST_FOLDER',
  'PARLEY_TEST_MAIN',
  'PARLEY_SHARED_KYE',
]);

test('a name that a client documents never stops the server (O4)', () => {
  const client_environment = Object.fromEntries(Object.keys(client_variables).map((name) => [name, 'x']));
  const config = readConfig({ ...client_environment, PARLEY_URL: 'http://127.0.0.1:9999' }, '.');
  assert.equal(config.PARLEY_BASE_URL, null);
});

test('no name has two meanings (O4)', () => {
  assert.deepEqual(
    Object.keys(client_variables).filter((name) => name in settings),
    [],
  );
});

test('every name that sources and docs mention is a setting or a client variable (O4)', () => {
  const unknown = new Set<string>();
  for (const path of projectFiles().filter((name) => /\.(ts|tsx|md|js|ya?ml|py|sh)$/.test(name))) {
    for (const [name] of readFileSync(path, 'utf8').matchAll(/\bPARLEY_[A-Z0-9_]*[A-Z0-9](?![A-Z0-9_*])/g))
      if (!(name in settings) && !secret_files.has(name) && !(name in client_variables) && !others.has(name))
        unknown.add(`${path}: ${name}`);
  }
  assert.deepEqual([...unknown], []);
});

test('no text says to install the package `parley`, which belongs to other projects in both registries (C3)', () => {
  const wrong = projectFiles()
    .filter((path) => /\.(ts|tsx|md|json|html|py|toml)$/.test(path) && !path.startsWith('test/guards/'))
    .filter((path) =>
      /\b(?:np(?:x|m (?:exec|i|install))|pip install|uv add) (?:-\S+ )*parley(?![-\w])/.test(
        readFileSync(path, 'utf8'),
      ),
    );
  assert.deepEqual(wrong, []);
});

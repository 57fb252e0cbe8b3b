// Guard: the version of the product is the same everywhere. The root package.json decides.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { productVersion, versionedFiles } from '../../scripts/version.ts';

test('every package, lock file and generated module has the version of the root package.json', () => {
  const differing = Object.entries(versionedFiles(productVersion()))
    .filter(([path, content]) => readFileSync(path, 'utf8') !== content)
    .map(([path]) => path);
  assert.deepEqual(differing, [], 'run `node scripts/version.ts`');
});

test('a new version reaches every file that names the version', () => {
  const files = versionedFiles('9.8.7');
  assert.deepEqual(
    Object.entries(files).flatMap(([path, content]) => (content.includes('9.8.7') ? [] : [path])),
    [],
  );
  assert.equal(JSON.parse(files['packages/cli/package.json']!).dependencies['@parley/sdk'], '9.8.7');
});

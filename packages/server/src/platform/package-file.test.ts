// Files of packages are read only when their content is the expected one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PackageFileChanged, readPackageFile } from './package-file.ts';

const license = { entry: 'zod', path: './LICENSE' };

test('a file with unexpected content is refused', async () => {
  await assert.rejects(readPackageFile({ ...license, sha256: '0'.repeat(64) }), PackageFileChanged);
});

test('a missing file is refused with the same error', async () => {
  await assert.rejects(readPackageFile({ ...license, path: './none', sha256: '' }), PackageFileChanged);
});

// Guard: committed generated files are up to date.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createDatabase } from '../../packages/server/testing/database.ts';
import { generatedFiles } from '../../scripts/generated-files.ts';

test('every generated file is up to date; run `npm run generate` after a change', async () => {
  const database = await createDatabase('empty');
  const files = await generatedFiles(database.url);
  await database.drop();
  for (const [path, content] of Object.entries(files)) {
    assert.equal(await readFile(path, 'utf8').catch(() => 'missing'), content, path);
  }
  for (const folder of ['docs/reference', 'clients/python/src/parley/resources']) {
    const present = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
    assert.deepEqual(
      present.map(({ name }) => `${folder}/${name}`).filter((path) => !(path in files)),
      [],
      `${folder} contains generated files only`,
    );
  }
});

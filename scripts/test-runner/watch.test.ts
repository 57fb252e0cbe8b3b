// `npm test -- --watch` sees changes of sources, and of nothing else.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { watchSources } from './watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-watch-'));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'calls'));
mkdirSync(join(folder, 'node_modules'));

test('a changed source ends the wait, files of other kinds and installed packages do not', async () => {
  const ending = new AbortController();
  const changes = watchSources([folder], ending.signal);
  const waiting = changes.next();
  writeFileSync(join(folder, 'notes.log'), 'x');
  writeFileSync(join(folder, 'node_modules', 'index.js'), 'x');
  writeFileSync(join(folder, 'calls', 'dial.ts'), 'x');
  const paths = (await waiting).map((path) => path.slice(folder.length + 1));
  assert.deepEqual(paths, ['calls/dial.ts']);
  const last = changes.next();
  ending.abort();
  assert.deepEqual(await last, []);
});

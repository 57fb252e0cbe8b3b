// The copy of SIP.js: what differs from the original is named in its README, and nothing installs the original.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { thirdPartyNotices } from '../../../../../../scripts/third-party-notices.ts';

const folder = join(import.meta.dirname, 'sipjs');
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const originals = new Map(
  read('original-files.sha256')
    .trim()
    .split('\n')
    .map((line) => [line.slice(66), line.slice(0, 64)]),
);
const files = globSync('**/*.{js,ts}', { cwd: folder }).map((path) => path.replaceAll('\\', '/'));

test('F5: the README of the copy of SIP.js names every file that differs from the original', () => {
  const readme = read('README.md');
  const different = files.filter((path) => originals.get(path) !== sha256(read(path)));
  const names = different.map((path) => path.replace(/(\.d)?\.[jt]s$/, ''));
  const unnamed = names.filter((name) => !readme.includes(name));
  assert.deepEqual(unnamed, []);
  assert.ok(different.length < files.length / 4, `${different.length} of ${files.length} files differ`);
});

test('F5: every file of the copy that another one loads is there, and none loads a package', () => {
  for (const path of files) {
    // Comments quote standards, which contain words that look like imports.
    const imports = read(path).matchAll(/^(?:import|export) .*from ["']([^"']+)["'];$/gm);
    for (const [, target] of imports) {
      assert.match(target!, /^\.\.?\//, path);
      const target_file = join(folder, path, '..', target!);
      const compiled = path.endsWith('.d.ts') ? target_file.replace(/(\.js)?$/, '.d.ts') : target_file;
      assert.ok(existsSync(compiled), `${path} loads ${target}`);
    }
  }
});

test('F5: the original package of SIP.js is not installed, and its licence is shipped', () => {
  assert.doesNotMatch(readFileSync('package-lock.json', 'utf8'), /"(node_modules\/)?sip\.js"/);
  assert.match(read('LICENSE.md'), /^MIT License\n\nCopyright \(c\) 2020 Junction Networks/);
  assert.ok(thirdPartyNotices().includes(read('LICENSE.md').trim()));
});

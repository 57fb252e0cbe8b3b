// Guard: every path of this repository that a document quotes or links to exists.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { projectFiles } from './source-files.ts';

const documents = projectFiles().filter((path) =>
  /^((README|AGENTS)\.md|\.github\/(CONTRIBUTING|SECURITY)\.md|(\.changes|scripts\/npm)\/README\.md|(docs|bench|clients)\/.*\.md)$/.test(
    path,
  ),
);

/** Documents shorten paths of the server and of the contract by these folders. */
const shortened: [RegExp, string][] = [
  [/^(features|platform|protocols|providers|app|config|start)\//, 'packages/server/src/'],
  [/^(testing|migrations)\//, 'packages/server/'],
  [/^contract\//, 'packages/'],
];
const top_folders = /^(packages|test|scripts|bench|docs|deploy|clients|\.ci|\.github)\//;

/** Where a quoted text must be found, or null if it is no path of this repository. */
function expectedAt(quoted: string): string | null {
  const path = quoted.replace(/(:\d+)?$/, '').replace(/\/$/, '');
  // A placeholder such as `providers/<port>/<vendor>` means many paths.
  if (/[\s<>…{}()=,;@$]/.test(path) || !path.includes('/')) return null;
  const [, folder] = shortened.find(([start]) => start.test(path)) ?? [];
  if (folder !== undefined) return folder + path.replace(/^contract\/(?!src\/)/, 'contract/src/');
  return top_folders.test(path) ? path : null;
}

const exists = (path: string) => (path.includes('*') ? globSync(path).length > 0 : existsSync(path));

/** Code blocks contain commands and their output; only running text is checked. */
const textOf = (document: string) => readFileSync(document, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');

test('every quoted path exists', () => {
  const missing = documents.flatMap((document) =>
    [...textOf(document).matchAll(/`([^`\n]+)`/g)]
      .map(([, quoted]) => ({ quoted: quoted!, path: expectedAt(quoted!) }))
      .filter(({ path }) => path !== null && !exists(path))
      .map(({ quoted }) => `${document}: ${quoted}`),
  );
  assert.deepEqual(missing, []);
});

test('every relative link points to a file', () => {
  const broken = documents.flatMap((document) =>
    [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!.replace(/[#?].*$/, ''))
      .filter((link) => link !== '' && !/^([a-z]+:|\/)/.test(link))
      .filter((link) => !existsSync(normalize(join(dirname(document), link))))
      .map((link) => `${document}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

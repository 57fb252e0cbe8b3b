// Guard: file names follow the rules, and every feature has the same files.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { projectFiles, sourceFiles } from './source-files.ts';

const features = 'packages/server/src/features/';
const isTest = (path: string) => /(\.test\.tsx?$|\/testing\/|conformance)/.test(path);
const written = sourceFiles().filter((path) => path.startsWith('packages/') && path.includes('/src/'));
const feature_files = written.filter((path) => path.startsWith(features) && !isTest(path));
const wings = 'access|inbox|rules|agents|channels|operations';
const feature_folder = new RegExp(`^${features}(?:${wings})/[^/]+/`);
const feature_folders = [...new Set(feature_files.map((path) => feature_folder.exec(path)![0]))];
/** Only the exceptions may be found, and an exception that is no longer needed must be deleted. */
function assertOnly(found: string[], exceptions: ReadonlySet<string>): void {
  assert.deepEqual(
    found.filter((path) => !exceptions.has(path)),
    [],
  );
  const stale = [...exceptions].filter((path) => !found.includes(path));
  assert.deepEqual(stale, [], 'delete these lines from the list of exceptions');
}
const read = (path: string) => readFileSync(path, 'utf8');

test('file names are written in kebab-case', () => {
  const wrong = sourceFiles().filter((path) => !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(basename(path)));
  assert.deepEqual(wrong, []);
});

test('every feature is entered through its index.ts', () => {
  assert.deepEqual(
    feature_folders.filter((folder) => !existsSync(`${folder}index.ts`)),
    [],
  );
});

/** Features whose contract routes are still in another file. Move them and delete the line. */
const routes_elsewhere = new Set<string>([
  'packages/server/src/features/channels/email-attachments/index.ts',
  'packages/server/src/features/channels/email-suppressions/index.ts',
  'packages/server/src/features/operations/sandbox-outbox/index.ts',
  'packages/server/src/features/operations/sandbox/index.ts',
]);

test('the contract routes of a feature are in routes.ts', () => {
  const elsewhere = feature_files.filter(
    (path) => /\broutesOf\(/.test(read(path)) && basename(path) !== 'routes.ts',
  );
  assertOnly(elsewhere, routes_elsewhere);
});

test('the SQL of a feature is in store.ts or in a file that ends in -store.ts', () => {
  const wrong = feature_files.filter(
    (path) => /\bsql`/.test(read(path)) && !/^(.+-)?store\.ts$/.test(basename(path)),
  );
  assert.deepEqual(wrong, []);
});

/** Nouns that end in -ing. A file named by a verb in this form says less than the verb: `send-email.ts`, not `sending.ts`. */
const nouns = new Set([
  'recording',
  'metering',
  'tracking',
  'billing',
  'encoding',
  'framing',
  'signing',
  'turn-taking',
]);

/** Files that still have to be renamed. Rename them and delete the line. */
const to_rename = new Set(['packages/server/src/providers/mail/smtp/opening.ts']);

test('a file is named by a noun or by a verb in its base form', () => {
  const wrong = written
    .filter((path) => !isTest(path))
    .filter((path) => {
      const name = basename(path).replace(/\.tsx?$/, '');
      return name.endsWith('ing') && !nouns.has(name) && !nouns.has(name.split('-').at(-1)!);
    });
  assertOnly(wrong, to_rename);
});

/** Old names, with the ones that replaced them. */
const old_names: Record<string, string> = {
  afterlife: 'delivery-reports',
  finishing: 'record-outcome',
  ear: 'listener',
  mouth: 'player',
  speaker: 'turn',
  'hand-off': 'lease',
  lanes: 'subscription-queues',
  'fresh-value': 'ttl-cache',
  'load-once': 'lazy',
  'quiet-connections': 'close-idle-connections',
  'media-door': 'media-sockets',
  'far-phones': 'sandbox-phones',
  exchange: 'carrier-http',
  'whole-folder': 'atomic-dir',
  place: 'data-dir',
  owner: 'server-lock',
  'machine-visits': 'bot-user-agents',
  surroundings: 'command-context',
  door: 'sign-in-page',
  go: 'link',
  'row-acts': 'row-actions',
};

test('no file has an old name', () => {
  const wrong = projectFiles()
    .filter((path) => /\.(ts|tsx)$/.test(path))
    .flatMap((path) => {
      const old = basename(path).replace(/(\.test)?\.tsx?$/, '');
      return Object.hasOwn(old_names, old) ? [`${path}: use ${old_names[old]}`] : [];
    });
  assert.deepEqual(wrong, []);
});

const most_files = 12;
const sorted_folders = /^packages\/(server\/src\/features|contract\/src|console\/src\/pages)(\/|$)/;

test('folders of features, contract and pages have few files beside their topic folders', () => {
  const counts = new Map<string, number>();
  for (const path of projectFiles()) {
    const folder = dirname(path);
    if (sorted_folders.test(folder) && !isTest(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts].filter(([, files]) => files > most_files),
    [],
  );
});

test('a page of the console is found by its file name alone', () => {
  const names = projectFiles()
    .filter((path) => /^packages\/console\/src\/pages\/.*\.tsx$/.test(path))
    .map((path) => basename(path));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('the root of the repository has at most 20 entries', () => {
  const entries = new Set(projectFiles().map((path) => path.split('/', 1)[0]!));
  assert.ok(entries.size <= 20, [...entries].join(', '));
});

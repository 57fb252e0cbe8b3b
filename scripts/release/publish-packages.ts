// Publishes the tarballs of a release to npm, those first that others need: node scripts/release/publish-packages.ts <folder> [--dry-run]
//
// It runs in the release workflow, whose identity npm trusts and records as provenance. Packages that are published already are
// left alone, so a failed run can be repeated.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Packed = { path: string; name: string; version: string; requires: string[] };

export function readTarball(path: string): Packed {
  const text = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' });
  const { name, version, dependencies, optionalDependencies } = JSON.parse(text);
  return { path, name, version, requires: Object.keys({ ...dependencies, ...optionalDependencies }) };
}

/** Nobody may see a package whose dependencies cannot be installed yet. */
export function publishOrder(packages: readonly Packed[]): Packed[] {
  const ordered: Packed[] = [];
  const add = (each: Packed, above: readonly string[]): void => {
    if (ordered.includes(each)) return;
    if (above.includes(each.name))
      throw new Error(`Packages need each other: ${[...above, each.name].join(', ')}.`);
    for (const other of packages) if (each.requires.includes(other.name)) add(other, [...above, each.name]);
    ordered.push(each);
  };
  for (const each of packages.toSorted((a, b) => (a.name < b.name ? -1 : 1))) add(each, []);
  return ordered;
}

const isPublished = ({ name, version }: Packed): boolean =>
  spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' }).stdout.trim() === version;

function main(): void {
  const [folder, option] = process.argv.slice(2);
  if (!folder || (option !== undefined && option !== '--dry-run'))
    throw new Error('Usage: node scripts/release/publish-packages.ts <folder> [--dry-run]');
  const paths = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  if (paths.length === 0) throw new Error(`${folder} has no tarballs.`);
  for (const each of publishOrder(paths.map((name) => readTarball(resolve(join(folder, name)))))) {
    const label = `${each.name} ${each.version}`;
    if (option === '--dry-run') {
      console.log(`${label}: would be published`);
      continue;
    }
    if (isPublished(each)) {
      console.log(`${label}: is published already`);
      continue;
    }
    // A version such as 1.0.0-rc.1 must not become the default of `npm install`.
    const tag = each.version.includes('-') ? 'next' : 'latest';
    execFileSync('npm', ['publish', each.path, '--provenance', '--access', 'public', '--tag', tag], {
      stdio: 'inherit',
    });
    console.log(`${label}: published`);
  }
}

if (import.meta.main) main();

// Fixes the versions that an install by name brings: a shrinkwrap where npm obeys it well, exact versions in the manifest where not.
import { readFileSync } from 'node:fs';
import type { LockedTree, Project } from './locked-tree.ts';

/** npm installs every build that the shrinkwrap of an installed package lists, also those for other systems. */
export function shrinkwrap(tree: LockedTree): LockedTree {
  const builds = Object.entries(tree.packages).filter(
    ([, { os, cpu }]) => os !== undefined || cpu !== undefined,
  );
  if (builds.length > 0)
    throw new Error(`${tree.name} needs ${builds[0]![0]}, which has one system: pin its versions instead.`);
  return tree;
}

/** Packages whose version the checkout replaces with one that others do not accept: a pin would install them twice. */
const replaced = (): string[] =>
  Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).overrides ?? {});

/** The version of each package, and of a package with several versions the one that most of the others use. */
function mainVersions({ packages }: LockedTree): Map<string, { version: string; is_optional: boolean }> {
  const versions = new Map<string, { version: string; is_optional: boolean }>();
  const several = new Set<string>();
  const places = Object.entries(packages).filter(([path]) => path !== '');
  for (const [path, { version, optional }] of places.sort(([a], [b]) => a.length - b.length)) {
    const name = path.replace(/^.*node_modules\//, '');
    const other = versions.get(name);
    if (!other) versions.set(name, { version: version!, is_optional: optional === true });
    else if (other.version === version) other.is_optional &&= optional === true;
    else if (!packages[`node_modules/${name}`]) several.add(name);
  }
  for (const name of several) versions.delete(name);
  return versions;
}

/**
 * Names what others need too, in the version of the lock file: npm places direct dependencies first, and the others use them. Of
 * a package with several versions only one can be named.
 */
export function pinnedManifest(manifest: Project, tree: LockedTree): Project {
  const skipped = replaced();
  const pins = {
    dependencies: { ...manifest.dependencies },
    optionalDependencies: { ...manifest.optionalDependencies },
  };
  for (const [name, { version, is_optional }] of mainVersions(tree)) {
    if (skipped.includes(name) || pins.dependencies[name] || pins.optionalDependencies[name]) continue;
    pins[is_optional ? 'optionalDependencies' : 'dependencies'][name] = version;
  }
  const sorted = (table: Record<string, string>) =>
    Object.fromEntries(Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...manifest,
    dependencies: sorted(pins.dependencies),
    optionalDependencies: sorted(pins.optionalDependencies),
  };
}

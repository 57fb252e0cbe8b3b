// Lays out in node_modules what our published packages need, in the versions of the checkout's lock file, as npm writes it into a
// lock: the tree of a user may differ from the checkout's, where other packages have the best places.
import { posix } from 'node:path';
import { type CompiledPackage, compiled_packages } from './compile.ts';
import { type Lock, type LockEntry, needsOf, resolveIn } from './lock.ts';

/** A packed package of ours: what its manifest says, and the hash of its tarball. */
export type PackedPackage = {
  name: string;
  manifest: LockEntry & { name: string; version: string };
  integrity: string;
  /** Where an install finds the tarball; left out: in the registry. */
  resolved?: string;
};
export type Project = Omit<LockEntry, 'integrity'> & { name: string; version: string };
export type LockedTree = {
  name: string;
  version: string;
  lockfileVersion: 3;
  requires: true;
  packages: Record<string, LockEntry>;
};

/** `key` is the same for the same package; its own needs are resolved in `folder` of the checkout. */
type Target = { key: string; folder: string; entry: LockEntry; is_on_top: boolean };
type Edge = { to: string; is_optional: boolean };
type Layout = { targets: Map<string, Target>; edges: Map<string, Edge[]> };
type Sources = { lock: Lock; own: ReadonlyMap<string, PackedPackage> };

/** The folder of the checkout whose `node_modules` a published package of ours is resolved in. */
const folderOf = (name: string): string => {
  const short = name.replace('@parley/', '');
  return compiled_packages.includes(short as CompiledPackage) ? `packages/${short}` : 'packages/server';
};

/** An exact version is often below another package of the checkout, where the code in `folder` does not find it. */
function lockedPath(lock: Lock, folder: string, name: string, range: string | undefined): string | null {
  const path = resolveIn(lock, folder, name);
  if (range === undefined || !/^\d/.test(range) || (path !== null && lock.packages[path]!.version === range))
    return path;
  const isWanted = (each: string) =>
    each.endsWith(`node_modules/${name}`) && lock.packages[each]!.version === range;
  return Object.keys(lock.packages).find(isWanted) ?? path;
}

function targetOf(
  { lock, own }: Sources,
  from: { folder: string; entry: LockEntry },
  name: string,
): Target | null {
  const packed = own.get(name);
  if (packed) {
    const { manifest, integrity, resolved } = packed;
    const entry = { ...publishedEntry(manifest), ...(resolved && { resolved }), integrity };
    return { key: name, folder: folderOf(name), entry, is_on_top: true };
  }
  const { dependencies, optionalDependencies, peerDependencies } = from.entry;
  const range = { ...peerDependencies, ...dependencies, ...optionalDependencies }[name];
  const path = lockedPath(lock, from.folder, name, range);
  if (path === null) return null;
  return {
    key: path,
    folder: path,
    entry: lockedEntry(lock.packages[path]!),
    is_on_top: path === `node_modules/${name}`,
  };
}

const shown = ['version', 'license', 'bin', 'engines', 'dependencies', 'optionalDependencies'];
const shown_of_peers = ['peerDependencies', 'peerDependenciesMeta'];

/** The fields of a manifest that npm repeats in a lock. */
export const publishedEntry = (manifest: object): LockEntry =>
  Object.fromEntries(
    Object.entries(manifest).filter(([field]) => [...shown, ...shown_of_peers].includes(field)),
  );

/** What is specific to the checkout is left out: whether only its tools need the package, and where it came from. */
const flags = ['dev', 'devOptional', 'optional', 'peer', 'resolved', 'funding'];
const lockedEntry = (entry: LockEntry): LockEntry =>
  Object.fromEntries(Object.entries(entry).filter(([field]) => !flags.includes(field)));

const parentOf = (location: string): string => location.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '');
const below = (location: string, name: string): string => posix.join(location, 'node_modules', name);

/** Where Node finds `name` from a package at `location`, in the tree so far. */
function nearest({ targets }: Layout, location: string, name: string): string | null {
  for (let at = location; ; at = parentOf(at)) {
    if (targets.has(below(at, name))) return below(at, name);
    if (at === '') return null;
  }
}

/** A package of another version than the nearest one is placed right below who needs it, where it hides nothing from others. */
function place(
  layout: Layout,
  location: string,
  name: string,
  target: Target,
): { at: string; is_new: boolean } {
  const other = nearest(layout, location, name);
  if (other !== null && layout.targets.get(other)!.key === target.key) return { at: other, is_new: false };
  const at = below(other === null && target.is_on_top ? '' : location, name);
  if (at === other) throw new Error(`${at} would have two versions.`);
  layout.targets.set(at, target);
  return { at, is_new: true };
}

function addNeeds(
  sources: Sources,
  layout: Layout,
  location: string,
  from: Omit<Target, 'key' | 'is_on_top'>,
): string[] {
  const added: string[] = [];
  const edges: Edge[] = [];
  const needs = needsOf(from.entry).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, kind } of needs) {
    const target = targetOf(sources, from, name);
    if (target === null) {
      if (kind !== 'optional')
        throw new Error(`The lock file has no ${name}, which ${location || 'the package'} needs.`);
      continue;
    }
    const { at, is_new } = place(layout, kind === 'peer' ? parentOf(location) : location, name, target);
    edges.push({ to: at, is_optional: kind === 'optional' });
    if (is_new) added.push(at);
  }
  layout.edges.set(location, edges);
  return added;
}

/** What cannot be left out where an optional package has no build for a platform. */
function requiredPlaces({ edges }: Layout): Set<string> {
  const required = new Set<string>();
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const { to, is_optional } of edges.get(at) ?? [])
      if (!is_optional && !required.has(to)) {
        required.add(to);
        waiting.push(to);
      }
  return required;
}

export function lockedTree(project: Project, lock: Lock, packed: readonly PackedPackage[]): LockedTree {
  const sources = { lock, own: new Map(packed.map((each) => [each.name, each])) };
  const layout: Layout = { targets: new Map(), edges: new Map() };
  const waiting = addNeeds(sources, layout, '', { folder: folderOf(project.name), entry: project });
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
    waiting.push(...addNeeds(sources, layout, at, layout.targets.get(at)!));
  const required = requiredPlaces(layout);
  const places = [...layout.targets].sort(([a], [b]) => (a < b ? -1 : 1));
  const { name, version } = project;
  return {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: {
      '': { ...{ name, version }, ...publishedEntry(project) },
      ...Object.fromEntries(
        places.map(([at, { entry }]) => [at, required.has(at) ? entry : { ...entry, optional: true }]),
      ),
    },
  };
}

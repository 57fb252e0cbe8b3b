// Reads package-lock.json: which version of a package the code in a folder gets.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export type LockEntry = {
  version?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  optional?: boolean;
  resolved?: string;
  os?: string | string[];
  cpu?: string | string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
export type Lock = { packages: Record<string, LockEntry> };

export const readLock = (root = '.'): Lock =>
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

/** Where Node finds `name` when a file in `folder` imports it. */
export function resolveIn(lock: Lock, folder: string, name: string): string | null {
  for (let parent = folder; ; parent = posix.dirname(parent)) {
    const path = posix.join(parent, 'node_modules', name);
    const entry = lock.packages[path];
    if (entry) return entry.link ? entry.resolved! : path;
    if (parent === '.' || parent === '') return null;
  }
}

type Need = { name: string; kind: 'required' | 'optional' | 'peer' };

/** What an install brings with a package; peers that it can do without are not among them. */
export function needsOf(entry: LockEntry): Need[] {
  const optional = Object.keys(entry.optionalDependencies ?? {});
  const peers = Object.keys(entry.peerDependencies ?? {});
  return [
    ...Object.keys(entry.dependencies ?? {})
      .filter((name) => !optional.includes(name))
      .map((name): Need => ({ name, kind: 'required' })),
    ...optional.map((name): Need => ({ name, kind: 'optional' })),
    ...peers
      .filter((name) => !entry.peerDependenciesMeta?.[name]?.optional)
      .map((name): Need => ({ name, kind: 'peer' })),
  ];
}

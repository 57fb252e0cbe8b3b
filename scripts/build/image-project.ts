// Makes the project with which the image installs our tarballs: `npm ci` gives it the versions of the checkout's lock file.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readLock } from './lock.ts';
import { lockedTree, type PackedPackage } from './locked-tree.ts';

/** The registry serves the same bytes that are uploaded, so their hash is known before. */
export function packedPackage(path: string): PackedPackage {
  const manifest = JSON.parse(
    execFileSync('tar', ['-xOf', path, 'package/package.json'], { encoding: 'utf8' }),
  );
  const hash = createHash('sha512').update(readFileSync(path));
  return { name: manifest.name, manifest, integrity: `sha512-${hash.digest('base64')}` };
}

/** `folder` gets a `package.json` and its lock, which name the tarballs relative to it. */
export function writeImageProject(folder: string, tarballs: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const { version, allowScripts, overrides } = JSON.parse(readFileSync('package.json', 'utf8'));
  const packed = tarballs.map((path) => ({
    ...packedPackage(path),
    resolved: `file:${relative(folder, path).replaceAll('\\', '/')}`,
  }));
  const dependencies = Object.fromEntries(packed.map(({ name, resolved }) => [name, resolved]));
  const project = { name: 'parley-image', version, dependencies };
  const write = (name: string, content: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  // Install scripts that the checkout allows, and versions that it replaces, are the same here.
  write('package.json', { ...project, private: true, allowScripts, overrides });
  write('package-lock.json', lockedTree(project, readLock(), packed));
}

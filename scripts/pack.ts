// Builds all packages and packs each into a tarball below build/tarballs, as `npm publish` would upload it, and writes into
// build/image what the image installs them with.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type PublishedPackage, published_packages } from './build/compile.ts';
import { packedPackage, writeImageProject } from './build/image-project.ts';
import { readLock } from './build/lock.ts';
import { lockedTree, type PackedPackage, type Project } from './build/locked-tree.ts';
import { pinnedManifest, shrinkwrap } from './build/pinned-versions.ts';
import { build, build_folder } from './build.ts';

export type Tarball = { name: string; path: string; bytes: number };

const npm = (args: string[]): string =>
  execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });

/**
 * `plain` is for tests: the package @parley/speech is stored without compression, which takes eight seconds of processor time for
 * its models. A release packs it with npm too, and tests that tarball.
 */
export type PackOptions = { speech?: 'npm' | 'plain' };

export function pack({ speech = 'npm' }: PackOptions = {}): Tarball[] {
  build();
  const folder = join(build_folder, 'tarballs');
  mkdirSync(folder, { recursive: true });
  const libraries = published_packages.filter((name) => name !== 'cli' && name !== 'server');
  const tarballs = [
    ...packWithNpm(
      libraries.filter((name) => name !== 'speech' || speech === 'npm'),
      folder,
    ),
    ...(speech === 'plain' ? [storePlain('speech', folder)] : []),
  ];
  lockPrograms(tarballs.map(({ path }) => packedPackage(path)));
  tarballs.push(...packWithNpm(['cli', 'server'], folder));
  writeImageProject(
    join(build_folder, 'image'),
    tarballs.map(({ path }) => path),
  );
  return tarballs;
}

/** People install these packages by name and start them, so they get the versions that were tested. */
function lockPrograms(libraries: readonly PackedPackage[]): void {
  const lock = readLock();
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(join(build_folder, name, 'package.json'), 'utf8')) as Project;
  const write = (name: string, file: string, content: object) =>
    writeFileSync(join(build_folder, name, file), `${JSON.stringify(content, null, 2)}\n`);
  write('cli', 'npm-shrinkwrap.json', shrinkwrap(lockedTree(manifestOf('cli'), lock, libraries)));
  const server = manifestOf('server');
  write('server', 'package.json', pinnedManifest(server, lockedTree(server, lock, libraries)));
}

function packWithNpm(names: readonly PublishedPackage[], folder: string): Tarball[] {
  const folders = names.map((name) => `./${build_folder}/${name}`);
  const packed = JSON.parse(
    npm(['pack', ...folders, '--json', '--loglevel=error', '--pack-destination', folder]),
  ) as { name: string; filename: string; size: number }[];
  return packed.map(({ name, filename, size }) => ({ name, path: join(folder, filename), bytes: size }));
}

/** A tarball with the files that npm would pack: those that the manifest lists, and three that belong to every package. */
function storePlain(package_name: string, folder: string): Tarball {
  const source = resolve(build_folder, package_name);
  const { name, version, files } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    files: string[];
  };
  const path = join(folder, `parley-${package_name}-${version}.tgz`);
  const draft = mkdtempSync(join(tmpdir(), 'parley-pack-'));
  try {
    symlinkSync(source, join(draft, 'package'), 'junction');
    const packed = ['package.json', 'README.md', 'LICENSE', ...files].map((file) => `package/${file}`);
    execFileSync('tar', ['-chf', resolve(path), '-C', draft, ...packed]);
  } finally {
    rmSync(draft, { recursive: true });
  }
  return { name, path, bytes: statSync(path).size };
}

if (import.meta.main)
  for (const { path, bytes } of pack()) console.log(`${path}  ${(bytes / 1e6).toFixed(1)} MB`);

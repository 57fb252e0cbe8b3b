// Builds all packages and packs each into a tarball below build/tarballs, as `npm publish` would upload it.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, build_folder, published_packages } from './build.ts';

export type Tarball = { name: string; path: string; bytes: number };

const npm = (args: string[]): string =>
  execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });

export function pack(): Tarball[] {
  build();
  const folder = join(build_folder, 'tarballs');
  mkdirSync(folder, { recursive: true });
  const folders = published_packages.map((name) => `./${build_folder}/${name}`);
  const packed = JSON.parse(
    npm(['pack', ...folders, '--json', '--loglevel=error', '--pack-destination', folder]),
  ) as { name: string; filename: string; size: number }[];
  return packed.map(({ name, filename, size }) => ({ name, path: join(folder, filename), bytes: size }));
}

if (import.meta.main)
  for (const { path, bytes } of pack()) console.log(`${path}  ${(bytes / 1e6).toFixed(1)} MB`);

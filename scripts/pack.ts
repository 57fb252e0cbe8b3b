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
  return published_packages.map((name) => {
    const [packed] = JSON.parse(
      npm(['pack', `./${build_folder}/${name}`, '--json', '--loglevel=error', '--pack-destination', folder]),
    ) as { filename: string; size: number }[];
    return { name: `@parley/${name}`, path: join(folder, packed!.filename), bytes: packed!.size };
  });
}

if (import.meta.main)
  for (const { path, bytes } of pack()) console.log(`${path}  ${(bytes / 1e6).toFixed(1)} MB`);

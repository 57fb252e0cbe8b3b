// Installs the programs that some rows compare Parley with. They are not part of the default install.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('peers/', import.meta.url));
const lock = join(folder, 'package-lock.json');
/** Written last, so that an interrupted install is repeated. */
const stamp = join(folder, 'node_modules', '.installed-lock');

/** Resolves packages of `bench/peers`. */
export const requirePeer = createRequire(join(folder, 'package.json'));

export function installPeers(): void {
  if (existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock))) return;
  console.log('Installing the programs to compare with (bench/peers) …');
  try {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  } catch (cause) {
    throw new Error(
      'This row compares with programs of bench/peers, which could not be installed by `npm ci` there.',
      {
        cause,
      },
    );
  }
  copyFileSync(lock, stamp);
}

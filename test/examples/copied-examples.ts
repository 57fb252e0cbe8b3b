// Copies the examples out of the checkout, so that they use the published packages instead of its sources.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

/**
 * The folder of the copies. Their `node_modules` has the packages of docs/examples/package.json and, from `packed`, the SDK as it was
 * packed; null: nothing is installed.
 */
export function copyOfExamples(packed: string | null): string {
  const home = mkdtempSync(join(tmpdir(), 'parley-examples-'));
  cpSync('docs/examples', home, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  const tsconfig = { extends: resolve('tsconfig.json'), compilerOptions: { lib: ['es2024', 'dom'] } };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ ...tsconfig, include: ['*/*.ts'] }));
  if (packed === null) return home;
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '@parley'), { recursive: true });
  for (const name of readdirSync('docs/examples/node_modules'))
    if (!name.startsWith('.')) symlinkSync(resolve('docs/examples/node_modules', name), join(modules, name));
  symlinkSync(join(packed, 'node_modules/@parley/sdk'), join(modules, '@parley/sdk'));
  return home;
}

/**
 * Builds the wheel of the Python client, unpacks it below `home`, and returns that folder for PYTHONPATH. A wheel without scripts
 * needs no more than that; the test of the Python client installs it with pip, which takes a second of processor time.
 */
export function installWheel(python: string, home: string): string {
  const wheels = join(home, 'wheels');
  const target = join(home, 'site-packages');
  const run = (...args: string[]) =>
    execFileSync(python, ['-m', ...args], { cwd: 'clients/python', stdio: 'pipe' });
  run('hatchling', 'build', '-t', 'wheel', '-d', wheels);
  const [wheel] = globSync('*.whl', { cwd: wheels });
  run('zipfile', '--extract', join(wheels, wheel!), target);
  return target;
}

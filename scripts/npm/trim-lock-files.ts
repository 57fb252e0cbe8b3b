// Removes `engines` of dependencies from the lock files. npm compares them with the Node that runs npm, and warns, although
// all our commands run with the Node 26 in node_modules. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

type Lock = { packages: Record<string, { engines?: unknown }> };

for (const path of [
  'package-lock.json',
  'test/verifiers/package-lock.json',
  'bench/peers/package-lock.json',
  'docs/examples/package-lock.json',
]) {
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  for (const [name, entry] of Object.entries(lock.packages))
    if (name.includes('node_modules/')) delete entry.engines;
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}

#!/usr/bin/env node
// Starts the command line with a Node that can run its sources: this one, or the one that came with the packages.
import { spawnSync } from 'node:child_process';
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Kept compiled in the user's cache: a command line that feels slow is not used.
  enableCompileCache?.();
  await import('../src/main.ts');
} else {
  const node = createRequire(import.meta.url).resolve('node/bin/node');
  const { status, signal } = spawnSync(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exit(signal ? 130 : (status ?? 1));
}

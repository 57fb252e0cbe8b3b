#!/usr/bin/env node
// Starts the service. Reports an old Node in one sentence instead of a syntax error.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  const { enableCompileCache } = await import('node:module');
  // Before the first TypeScript file of a checkout: Node would load its compiler for that file, which keeps 10 MB of memory.
  if (existsSync(new URL('../src', import.meta.url)))
    enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/parley', import.meta.url)));
  await import('../src/main.ts');
} else {
  process.stderr.write(`parley-server needs Node 22.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

#!/usr/bin/env node
// Starts the service. Reports an old Node in one sentence instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  await import('../src/main.ts');
} else {
  process.stderr.write(`parley-server needs Node 22.18 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

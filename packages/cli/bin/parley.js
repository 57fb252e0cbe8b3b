#!/usr/bin/env node
// Starts the command line with a Node that can run its sources: this one, or the one installed with the packages.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
/** Type stripping needs no flag since 22.18 and 23.6; mailauth and undici need 22.19. */
const runs_typescript = major >= 24 || (major === 22 && minor >= 19) || (major === 23 && minor >= 6);

if (runs_typescript) {
  // Older versions do not have this export, so it is read at run time: a static import would fail.
  const module = await import('node:module');
  // Not in the shared temporary folder, Node's default, where another user could put code.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'parley'));
  await import('../src/main.ts');
} else {
  const node = lockedNode();
  if (node === null) {
    process.stderr.write(
      `parley needs Node 22.19 or newer; this is ${process.versions.node}, and no other one is installed with the packages.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // A process manager knows only this process: the child must not go on without it.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  child.on('error', (error) => {
    process.stderr.write(`parley cannot start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (status, signal) => process.exit(signal ? 130 : (status ?? 1)));
}

/** The Node that the lock file installs for this platform. */
function lockedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const file = platform === 'win' ? 'bin/node.exe' : 'bin/node';
  try {
    return createRequire(import.meta.url).resolve(`${prefix}-${platform}-${process.arch}/${file}`);
  } catch {
    return null;
  }
}

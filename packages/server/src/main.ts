// The entry point: enables the compile cache for faster starts, then runs the command.
import { constants, enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A checkout has its cache in node_modules, an installed package next to its code. Only the owner can write there; in a shared
 * temporary folder another user could put code.
 */
const folder = import.meta.url.endsWith('.ts') ? '../../../node_modules/.cache/parley' : '../.cache';
const { status } = enableCompileCache(fileURLToPath(new URL(folder, import.meta.url)));
// Installed by another account, such as root.
if (status === constants.compileCacheStatus.FAILED) enableCompileCache(join(homedir(), '.cache', 'parley'));
await import('./command.ts');

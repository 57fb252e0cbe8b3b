// The entry point: enables the compile cache for faster starts, then runs the command.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// In node_modules, where only its owner can write: another user could put code into a shared temporary folder.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/parley', import.meta.url)));
await import('./command.ts');

// The entry: keeps the compiled form of every source for the next start, then runs the command.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Beside the packages, where only their owner writes: a shared temporary folder could be filled by a stranger.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/parley', import.meta.url)));
await import('./command.ts');

// The door of the embedded PostgreSQL: a real server from npm's binaries, for those who bring none of their own.

import { findBinaries } from './binaries.ts';
import { type EmbeddedPostgres, type StartOptions, startIn } from './start.ts';

export { EmbeddedPostgresError } from './error.ts';
export type { EmbeddedPostgres };

export function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  return startIn({ findBinaries, relocation_root: '/var/lib/parley' }, options);
}

// The embedded PostgreSQL: a real server from the binaries of an npm package, for installations without DATABASE_URL.

import { findBinaries } from './binaries.ts';
import { type EmbeddedPostgres, type StartOptions, startWith } from './start.ts';

export { OtherDataVersion } from './data-version.ts';
export { EmbeddedPostgresError } from './error.ts';
export type { EmbeddedPostgres };

export function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  return startWith({ findBinaries, relocation_root: '/var/lib/parley' }, options);
}

// The command rebuild-projections: writes search and the other views of the records again.
import { setTimeout as wait } from 'node:timers/promises';
import { fillProgress, queueDepth, requestFills } from '../features/inbox/projector/index.ts';
import type { Database } from '../platform/db/database.ts';
import { StartError } from '../platform/start-error.ts';
import { counted } from './backup-folder.ts';
import { openMigrated } from './open-database.ts';
import type { StartOptions } from './start-options.ts';

const poll_ms = 1000;
/** Without progress for this long, no worker runs. */
const patience_ms = 30_000;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Requests that all records are written again, and shows how far the workers are. The request is stored: the command may be
 * interrupted, and workers that start later do the work.
 */
export async function rebuildProjections(
  options: StartOptions,
  { organization_id }: { organization_id: string | null },
): Promise<string> {
  if (organization_id !== null && !uuid.test(organization_id))
    throw new StartError('Expected the id of an organization: rebuild-projections --organization <id>');
  const db = await openMigrated(options);
  await requestFills(db, organization_id);
  const records = await followFills(db, options, organization_id);
  return records === null
    ? 'The rebuild is requested, and no worker takes it now. A process with the role worker does it in the background.'
    : `${counted(records, 'record')} written again.`;
}

/** The number of records, or null when nothing moves. */
async function followFills(
  db: Database,
  { say, signal }: StartOptions,
  organization_id: string | null,
): Promise<number | null> {
  let last_text = '';
  let moved_ms = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const fills = await fillProgress(db, organization_id);
    const waiting = await queueDepth(db, 100_000);
    const text = fills.map(({ noun, queued }) => `${noun} ${queued}`).join(', ');
    const state = `${text}; ${waiting} to write`;
    if (fills.every(({ is_done }) => is_done) && waiting === 0)
      return fills.reduce((sum, { queued }) => sum + queued, 0);
    if (state !== last_text) {
      say(`  queued: ${state}`);
      last_text = state;
      moved_ms = performance.now();
    } else if (performance.now() - moved_ms > patience_ms) return null;
    await wait(poll_ms, undefined, { signal });
  }
}

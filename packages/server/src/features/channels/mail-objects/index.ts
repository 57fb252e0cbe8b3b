// The keys of raw messages and attachments in the object storage, and the sweeper of unreferenced objects. An object is stored
// before the commit that refers to it, so a crash in between leaves an object without a record.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Log } from '../../../platform/log.ts';
import type { ObjectStorage } from '../../../providers/storage/storage.ts';
import { mailObjectStore } from './store.ts';

const prefixes = ['attachments/', 'raw/'] as const;
type Kind = 'raw/in' | 'raw/out' | 'attachments/in' | 'attachments/up';

/**
 * The key of an object: its kind, one of 256 folders (so that no folder becomes too long to list), and the id of its record.
 * `copy` distinguishes several objects of one record.
 */
export const mailObjectKey = (kind: Kind, id: string, copy?: string): string =>
  `${kind}/${id.slice(-2)}/${id}${copy === undefined ? '' : `-${copy}`}`;

const record_id = /\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[^/]*$/;

/** Receiving, uploading and committing take minutes at most, so an older object will never get a record. */
const min_age_hours = 24;
const sweep_interval_hours = 24;
const owner_key = 'sweep/owner';

export function mailObjectSweep(deps: {
  db: Database;
  clock: Clock;
  /** Real time: the storage dates objects by it, and the sandbox clock cannot be used. */
  wall_clock: Clock;
  log: Log;
  storage: ObjectStorage;
  page_keys?: number;
  pages_per_run?: number;
}): JobHandler {
  const { clock, storage, log, page_keys = 1000, pages_per_run = 100 } = deps;
  const store = mailObjectStore(deps.db);

  /** Two services on one bucket would delete each other's objects, so the bucket is marked with its owner. */
  const isOwnStorage = async (owner: string): Promise<boolean> => {
    const mark = await storage.open(owner_key);
    if (!mark) {
      const content = Buffer.from(owner);
      await storage.put(owner_key, content, { content_type: 'text/plain', max_bytes: content.length });
      // Another service may write the mark concurrently. The next run reads which one remained.
      return false;
    }
    if ((await text(mark)) === owner) return true;
    log.warn(
      { key: owner_key },
      'object storage belongs to another database, nothing is removed; use one bucket or folder per service',
    );
    return false;
  };

  const removeUnreferenced = async (keys: string[]): Promise<number> => {
    const objects = keys.flatMap((key) => {
      const id = record_id.exec(key)?.[1];
      return id ? [{ key, id }] : [];
    });
    if (objects.length === 0) return 0;
    const before = deps.wall_clock.ms() - min_age_hours * 3_600_000;
    let removed = 0;
    for (const key of await store.unreferenced(objects)) {
      const stored_at = await storage.storedAt(key);
      if (!stored_at || !(stored_at.getTime() < before)) continue;
      await storage.remove(key);
      removed++;
    }
    return removed;
  };

  return {
    kind: 'sweep_mail_objects',
    every_seconds: 3600,
    lease_seconds: 1800,
    async run(_, signal) {
      const now = clock.now();
      const sweep = await store.sweep({ owner: randomUUID(), reached: prefixes[0], began_at: now });
      if (!(await isOwnStorage(sweep.owner))) return;
      let { reached, began_at } = sweep;
      if (reached === null) {
        if (now.getTime() < began_at.getTime() + sweep_interval_hours * 3_600_000) return;
        [reached, began_at] = [prefixes[0], now];
      }
      let removed = 0;
      for (let pages = 0; reached !== null && pages < pages_per_run && !signal.aborted; pages++) {
        const index = prefixes.findIndex((each) => reached! < each || reached!.startsWith(each));
        const page = await storage.list(prefixes[index]!, { after: reached, limit: page_keys });
        removed += await removeUnreferenced(page.keys);
        reached = page.next ?? prefixes[index + 1] ?? null;
        await store.saveProgress(reached, began_at);
      }
      if (removed > 0) log.info({ removed }, 'unreferenced objects removed');
    },
  };
}

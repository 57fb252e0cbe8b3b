// Where raw messages and attachments are kept in the object storage, and the sweep of those that no record names:
// an object is stored before the commit that names it, and a process may die in between.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { ObjectStorage } from '../../providers/storage/storage.ts';
import { mailObjectStore } from './store.ts';

const prefixes = ['attachments/', 'raw/'] as const;
type Kind = 'raw/in' | 'raw/out' | 'attachments/in' | 'attachments/up';

/**
 * The key of an object: of a kind, named by its record, in one of 256 folders, so that none of them grows too long to be
 * listed. `copy` keeps apart what is stored for one record more than once.
 */
export const mailObjectKey = (kind: Kind, id: string, copy?: string): string =>
  `${kind}/${id.slice(-2)}/${id}${copy === undefined ? '' : `-${copy}`}`;

const record_id = /\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[^/]*$/;

/** Every deadline of receiving, uploading and committing is minutes; an object this old will not be named any more. */
const unnamed_hours = 24;
const round_hours = 24;
const owner_key = 'sweep/owner';

export function mailObjectSweep(deps: {
  db: Database;
  clock: Clock;
  /** The storage dates objects by real time, which a sandbox cannot move. */
  wall_clock: Clock;
  log: Log;
  storage: ObjectStorage;
  page_keys?: number;
  pages_a_run?: number;
}): JobHandler {
  const { clock, storage, log, page_keys = 1000, pages_a_run = 100 } = deps;
  const store = mailObjectStore(deps.db);

  /** Two services on one bucket would each take the objects of the other for litter. */
  const isOurs = async (owner: string): Promise<boolean> => {
    const mark = await storage.open(owner_key);
    if (!mark) {
      const content = Buffer.from(owner);
      await storage.put(owner_key, content, { content_type: 'text/plain', max_bytes: content.length });
      // Somebody else may be writing the same at this moment: the next run reads who was last.
      return false;
    }
    if ((await text(mark)) === owner) return true;
    log.warn(
      { key: owner_key },
      'the object storage belongs to another database: nothing is removed from it. Give each service a place of its own',
    );
    return false;
  };

  const removeUnnamed = async (keys: string[]): Promise<number> => {
    const objects = keys.flatMap((key) => {
      const id = record_id.exec(key)?.[1];
      return id ? [{ key, id }] : [];
    });
    if (objects.length === 0) return 0;
    const before = deps.wall_clock.ms() - unnamed_hours * 3_600_000;
    let removed = 0;
    for (const key of await store.unnamed(objects)) {
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
      if (!(await isOurs(sweep.owner))) return;
      let { reached, began_at } = sweep;
      if (reached === null) {
        if (now.getTime() < began_at.getTime() + round_hours * 3_600_000) return;
        [reached, began_at] = [prefixes[0], now];
      }
      let removed = 0;
      for (let pages = 0; reached !== null && pages < pages_a_run && !signal.aborted; pages++) {
        const place = prefixes.findIndex((each) => reached! < each || reached!.startsWith(each));
        const page = await storage.list(prefixes[place]!, { after: reached, limit: page_keys });
        removed += await removeUnnamed(page.keys);
        reached = page.next ?? prefixes[place + 1] ?? null;
        await store.reach(reached, began_at);
      }
      if (removed > 0) log.info({ removed }, 'stored objects that no record names were removed');
    },
  };
}

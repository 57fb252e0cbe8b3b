// What a conversation token covers: one thread, or all threads of a conversation.
import { keyedTtlCache } from '../../../platform/ttl-cache.ts';
import type { ThreadStore } from './thread-store.ts';

/** A new thread of a conversation belongs to its tokens after this time. */
const threads_age_ms = 1000;
const max_entries = 10_000;

export function tokenScope(threads: Pick<ThreadStore, 'exists' | 'threadsOf'>) {
  const cache = keyedTtlCache<readonly string[]>({ max_age_ms: threads_age_ms, max_entries });
  /** An id of a thread names this thread only, also where it is the id of a group. */
  const load = async (organization_id: string, id: string): Promise<readonly string[]> =>
    (await threads.exists(organization_id, id)) ? [id] : threads.threadsOf(organization_id, id);
  return {
    /** Empty when there is no such thread or conversation. */
    load,
    /** At most a second old. */
    threads: (organization_id: string, id: string): readonly string[] | Promise<readonly string[]> =>
      cache.get(`${organization_id} ${id}`, () => load(organization_id, id)),
  };
}
export type TokenScope = ReturnType<typeof tokenScope>;

// The waits that requests of this process wait for: an event that may be about one of them wakes the requests.
import type { StoredEvent } from '../../platform/outbox.ts';
import { keyOfRecord } from './keys.ts';

type Watched = { keys: ReadonlySet<string>; has_messages: boolean };

export function waitWatchers(wake: (organization_id: string) => void) {
  const watched = new Map<string, Set<Watched>>();
  const isAbout = ({ keys, has_messages }: Watched, { type, resource_id }: StoredEvent) =>
    keys.has(keyOfRecord(resource_id)) || (has_messages && type.endsWith('.received'));

  return {
    /** Runs while somebody waits. */
    async during<T>(
      wait: { organization_id: string; id: string },
      keys: readonly string[],
      work: () => Promise<T>,
    ): Promise<T> {
      const entry: Watched = {
        keys: new Set([...keys, keyOfRecord(wait.id)]),
        has_messages: keys.some((key) => !key.startsWith('id:')),
      };
      const own = watched.get(wait.organization_id) ?? new Set();
      watched.set(wait.organization_id, own.add(entry));
      try {
        return await work();
      } finally {
        own.delete(entry);
        if (own.size === 0) watched.delete(wait.organization_id);
      }
    },

    /** After a commit of this process. Without waiting requests it costs nothing. */
    handleEvents(events: readonly StoredEvent[]): void {
      if (watched.size === 0) return;
      for (const event of events) {
        const own = watched.get(event.organization_id);
        if (own && [...own].some((each) => isAbout(each, event))) wake(event.organization_id);
      }
    },
  };
}

// The waits that requests of this process wait for: an event that may be about one of them wakes the requests.
import type { StoredEvent } from '../../../../platform/event.ts';
import { keyOfRecord } from '../keys.ts';

type Watched = {
  keys: ReadonlySet<string>;
  has_messages: boolean;
  /** Something may have become true since the last look. */
  is_due: boolean;
};

export function waitWatchers(wake: (organization_id: string) => void) {
  const watched = new Map<string, Set<Watched>>();
  const isAbout = ({ keys, has_messages }: Watched, { type, resource_id }: StoredEvent) =>
    keys.has(keyOfRecord(resource_id)) || (has_messages && type.endsWith('.received'));

  return {
    /** Runs while a request waits. `takeDue` says whether there is a reason to look since it was asked last. */
    async during<T>(
      wait: { organization_id: string; id: string },
      keys: readonly string[],
      work: (takeDue: () => boolean) => Promise<T>,
    ): Promise<T> {
      const entry: Watched = {
        keys: new Set([...keys, keyOfRecord(wait.id)]),
        has_messages: keys.some((key) => !key.startsWith('id:')),
        is_due: true,
      };
      const watchers_of_organization = watched.get(wait.organization_id) ?? new Set();
      watched.set(wait.organization_id, watchers_of_organization.add(entry));
      try {
        return await work(() => {
          const { is_due } = entry;
          entry.is_due = false;
          return is_due;
        });
      } finally {
        watchers_of_organization.delete(entry);
        if (watchers_of_organization.size === 0) watched.delete(wait.organization_id);
      }
    },

    /** Something may have become true that no event tells. */
    notify(organization_id: string): void {
      for (const each of watched.get(organization_id) ?? []) each.is_due = true;
      wake(organization_id);
    },

    /** After a commit of this process. Without waiting requests it costs nothing. */
    handleEvents(events: readonly StoredEvent[]): void {
      if (watched.size === 0) return;
      for (const event of events) {
        const about = [...(watched.get(event.organization_id) ?? [])].filter((each) => isAbout(each, event));
        if (about.length === 0) continue;
        for (const each of about) each.is_due = true;
        wake(event.organization_id);
      }
    },
  };
}

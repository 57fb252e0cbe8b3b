// Remembers for seconds who a credential belongs to; a right taken away on any process is noticed within one.
import type { TtlCache } from '../../platform/ttl-cache.ts';

const kept_ms = 30_000;
const max_entries = 20_000;

/**
 * `version` is raised in the database by every change that takes a right away. What was remembered under another
 * version is worth nothing, nor is what was looked up while the version changed.
 */
export function callerCache<T>(deps: { version: TtlCache<number>; monotonic_ms?: () => number }) {
  const { version, monotonic_ms = () => performance.now() } = deps;
  const entries = new Map<string, { value: T; at: number }>();
  let known_version = -1;

  const at = (current: number): void => {
    if (current === known_version) return;
    known_version = current;
    entries.clear();
  };

  const look = (key: string): T | null => {
    const entry = entries.get(key);
    if (!entry) return null;
    if (monotonic_ms() - entry.at < kept_ms) return entry.value;
    entries.delete(key);
    return null;
  };

  const fill = async (key: string, load: () => Promise<T | null>): Promise<T | null> => {
    const began_with = known_version;
    const value = await load();
    if (value !== null && known_version === began_with) {
      if (entries.size >= max_entries) entries.delete(entries.keys().next().value!);
      entries.set(key, { value, at: monotonic_ms() });
    }
    return value;
  };

  return {
    /** Answers at once what is remembered. Null is never remembered. */
    get(key: string, load: () => Promise<T | null>): T | Promise<T | null> {
      const current = version.get();
      if (current instanceof Promise) {
        return current.then((value) => {
          at(value);
          return look(key) ?? fill(key, load);
        });
      }
      at(current);
      return look(key) ?? fill(key, load);
    },
  };
}
export type CallerCache<T> = ReturnType<typeof callerCache<T>>;

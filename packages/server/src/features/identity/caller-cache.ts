// Short-lived cache of the callers behind credentials: every authenticated request looks this up.
import type { TtlCache } from '../../platform/ttl-cache.ts';

const max_age_ms = 30_000;
const max_entries = 20_000;

/**
 * Every change that revokes a right raises `version` in the database. A new version clears the cache, and a value that was
 * loaded while the version changed is not cached. So every process applies a revoked right within a second.
 */
export function callerCache<T>(deps: { version: TtlCache<number>; monotonic_ms?: () => number }) {
  const { version, monotonic_ms = () => performance.now() } = deps;
  const entries = new Map<string, { value: T; loaded_at: number }>();
  let cached_version = -1;

  const clearIfOlder = (current: number): void => {
    if (current === cached_version) return;
    cached_version = current;
    entries.clear();
  };

  const find = (key: string): T | null => {
    const entry = entries.get(key);
    if (!entry) return null;
    if (monotonic_ms() - entry.loaded_at < max_age_ms) return entry.value;
    entries.delete(key);
    return null;
  };

  const load = async (key: string, loadValue: () => Promise<T | null>): Promise<T | null> => {
    const version_before = cached_version;
    const value = await loadValue();
    if (value !== null && cached_version === version_before) {
      if (entries.size >= max_entries) entries.delete(entries.keys().next().value!);
      entries.set(key, { value, loaded_at: monotonic_ms() });
    }
    return value;
  };

  return {
    /** Returns a promise only when the value must be loaded. Null is never cached. */
    get(key: string, loadValue: () => Promise<T | null>): T | Promise<T | null> {
      const current = version.get();
      if (current instanceof Promise) {
        return current.then((value) => {
          clearIfOlder(value);
          return find(key) ?? load(key, loadValue);
        });
      }
      clearIfOlder(current);
      return find(key) ?? load(key, loadValue);
    },
  };
}
export type CallerCache<T> = ReturnType<typeof callerCache<T>>;

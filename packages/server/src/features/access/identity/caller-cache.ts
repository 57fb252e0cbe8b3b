// Short-lived cache of the callers behind credentials: every authenticated request looks this up.
import type { CredentialChanges } from './credential-changes.ts';

const max_age_ms = 30_000;
const max_entries = 20_000;

/**
 * Every change that revokes a right names its subjects in the database, and entries with one of them are forgotten. A value that was
 * loaded while anything changed is not cached. So every process applies a revoked right within a second.
 */
export function callerCache<T extends { subjects: readonly string[] }>(deps: {
  changes: Pick<CredentialChanges, 'get' | 'onChange'>;
  monotonic_ms?: () => number;
}) {
  const { changes, monotonic_ms = () => performance.now() } = deps;
  const entries = new Map<string, { value: T; loaded_at: number }>();
  let changes_seen = 0;

  changes.onChange((subjects) => {
    changes_seen++;
    if (subjects === null) return entries.clear();
    for (const [key, { value }] of entries) {
      if (value.subjects.some((subject) => subjects.has(subject))) entries.delete(key);
    }
  });

  const find = (key: string): T | null => {
    const entry = entries.get(key);
    if (!entry) return null;
    if (monotonic_ms() - entry.loaded_at < max_age_ms) return entry.value;
    entries.delete(key);
    return null;
  };

  const load = async (key: string, loadValue: () => Promise<T | null>): Promise<T | null> => {
    const seen_before = changes_seen;
    const value = await loadValue();
    if (value !== null && changes_seen === seen_before) {
      if (entries.size >= max_entries) entries.delete(entries.keys().next().value!);
      entries.set(key, { value, loaded_at: monotonic_ms() });
    }
    return value;
  };

  return {
    /** Returns a promise only when the value must be loaded. Null is never cached. */
    get(key: string, loadValue: () => Promise<T | null>): T | Promise<T | null> {
      const current = changes.get();
      if (current instanceof Promise) return current.then(() => find(key) ?? load(key, loadValue));
      return find(key) ?? load(key, loadValue);
    },
  };
}
export type CallerCache<T extends { subjects: readonly string[] }> = ReturnType<typeof callerCache<T>>;

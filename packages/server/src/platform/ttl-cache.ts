// Caches values in memory for a limited time: one value, or many under their keys.

/**
 * `get` returns the cached value while it is younger than `max_age_ms`, and loads it again afterwards. Concurrent calls
 * share one load. The age counts from the start of the load, so a slow load does not make an old value look new.
 */
export function ttlCache<T>(options: {
  load(): Promise<T>;
  max_age_ms: number;
  monotonic_ms?: () => number;
}) {
  const { load, max_age_ms, monotonic_ms = () => performance.now() } = options;
  let cached: { value: T; loaded_at: number } | null = null;
  let loading: Promise<T> | null = null;

  const reload = (): Promise<T> => {
    const loaded_at = monotonic_ms();
    const started = load().then(
      (value) => {
        // After forget() this load still answers the callers that wait for it, but its value is not cached.
        if (loading === started) {
          cached = { value, loaded_at };
          loading = null;
        }
        return value;
      },
      (error) => {
        if (loading === started) loading = null;
        throw error;
      },
    );
    loading = started;
    return started;
  };

  return {
    get(): T | Promise<T> {
      if (cached && monotonic_ms() - cached.loaded_at < max_age_ms) return cached.value;
      return loading ?? reload();
    },
    /** The next `get` loads again, also when a load is running now. */
    forget(): void {
      cached = null;
      loading = null;
    },
  };
}
export type TtlCache<T> = ReturnType<typeof ttlCache<T>>;

/** The same for many values, each under its key. Above `max_entries` the oldest entry is removed. */
export function keyedTtlCache<T>(options: { max_age_ms: number; max_entries: number }) {
  let entries = new Map<string, TtlCache<T>>();
  return {
    /** `load` must be the same for the same key. */
    get(key: string, load: () => Promise<T>): T | Promise<T> {
      let entry = entries.get(key);
      if (!entry) {
        if (entries.size >= options.max_entries) entries.delete(entries.keys().next().value!);
        entry = ttlCache({ load, max_age_ms: options.max_age_ms });
        entries.set(key, entry);
      }
      return entry.get();
    },
    forget: (key: string): void => void entries.delete(key),
    /** Running loads still answer the callers that wait for them, but their values are not cached. */
    forgetAll(): void {
      entries = new Map();
    },
  };
}

// A value that is kept in memory and read again once it is too old to trust.

/** `get` answers at once while the value is young; an age counts from the moment its reading began. */
export function ttlCache<T>(options: {
  load(): Promise<T>;
  max_age_ms: number;
  monotonic_ms?: () => number;
}) {
  const { load, max_age_ms, monotonic_ms = () => performance.now() } = options;
  let kept: { value: T; read_at: number } | null = null;
  let reading: Promise<T> | null = null;

  const read = (): Promise<T> => {
    const read_at = monotonic_ms();
    const started = load().then(
      (value) => {
        // A reading that was overtaken by forget() answers whoever waits for it, and is not kept.
        if (reading === started) {
          kept = { value, read_at };
          reading = null;
        }
        return value;
      },
      (error) => {
        if (reading === started) reading = null;
        throw error;
      },
    );
    reading = started;
    return started;
  };

  return {
    get(): T | Promise<T> {
      if (kept && monotonic_ms() - kept.read_at < max_age_ms) return kept.value;
      return reading ?? read();
    },
    /** The next `get` reads anew, whatever is under way. */
    forget(): void {
      kept = null;
      reading = null;
    },
  };
}
export type TtlCache<T> = ReturnType<typeof ttlCache<T>>;

/** The same for many, each under its key; beyond `max_entries` the oldest are let go. */
export function keyedTtlCache<T>(options: { max_age_ms: number; max_entries: number }) {
  let kept = new Map<string, TtlCache<T>>();
  return {
    /** `load` must be the same for the same key. */
    get(key: string, load: () => Promise<T>): T | Promise<T> {
      let value = kept.get(key);
      if (!value) {
        if (kept.size >= options.max_entries) kept.delete(kept.keys().next().value!);
        value = ttlCache({ load, max_age_ms: options.max_age_ms });
        kept.set(key, value);
      }
      return value.get();
    },
    forget: (key: string): void => void kept.delete(key),
    /** What is being read right now answers whoever waits for it, and is not kept either. */
    forgetAll(): void {
      kept = new Map();
    },
  };
}

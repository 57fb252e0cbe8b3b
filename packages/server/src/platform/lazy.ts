// Loads something on the first call and shares that load with every later call; a failed load is tried again.
export function lazy(load: () => Promise<unknown>): () => Promise<void> {
  let loaded: Promise<void> | null = null;
  return () => {
    loaded ??= load().then(
      () => {},
      (error) => {
        loaded = null;
        throw error;
      },
    );
    return loaded;
  };
}

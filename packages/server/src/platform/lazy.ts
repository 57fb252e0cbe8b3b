// What is loaded on the first wish for it serves every later one; a load that failed is tried again.
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

// The two stages of a stop: `draining` takes nothing new and releases everything that only waits, `cut` ends what is left.

/** Aborted when a stop begins: held requests answer at once, streams end, new requests are refused. */
export type Drain = { signal: AbortSignal; begin(): void };

export function makeDrain(): Drain {
  const stopping = new AbortController();
  return { signal: stopping.signal, begin: () => stopping.abort() };
}

/** True when the work settled by itself, false when the signal came first. The work's own errors pass through. */
export function untilCut(work: Promise<unknown>, cut: AbortSignal | undefined): Promise<boolean> {
  if (!cut) return work.then(() => true);
  return new Promise((resolve, reject) => {
    const end = () => resolve(false);
    const settled = () => cut.removeEventListener('abort', end);
    work.then(
      () => {
        settled();
        resolve(true);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
    if (cut.aborted) end();
    else cut.addEventListener('abort', end, { once: true });
  });
}

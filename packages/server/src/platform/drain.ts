// The two stages of a stop: `draining` refuses new work and wakes everything that waits, `cut` abandons the rest.

/** The signal aborts when a stop begins: waiting requests respond immediately, streams end, new requests are refused. */
export type Drain = { signal: AbortSignal; begin(): void };

export function makeDrain(): Drain {
  const stopping = new AbortController();
  return { signal: stopping.signal, begin: () => stopping.abort() };
}

/** True when the work settled, false when the signal aborted first. Errors of the work are thrown. */
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

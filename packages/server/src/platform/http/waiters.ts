// Requests that wait for something to happen: woken in this process at once, and by a short poll for other processes.
import { ApiError } from './api-error.ts';

const poll_ms = 1000;

export function waiters(limits: { per_process: number; per_organization: number; draining?: AbortSignal }) {
  const { draining } = limits;
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  // A stop does not wait for what may come in: every held request looks once more and answers.
  draining?.addEventListener('abort', () => {
    for (const own of waiting.values()) for (const wake of own) wake();
  });

  return {
    notify(organization_id: string): void {
      for (const wake of waiting.get(organization_id) ?? []) wake();
    },

    /** Looks until something is there; null when the time is up, the caller went away or the process stops. */
    async until<T>(
      organization_id: string,
      look: () => Promise<T | null>,
      options: { timeout_ms: number; onClose(action: () => void): void },
    ): Promise<T | null> {
      const own = waiting.get(organization_id) ?? new Set();
      if (count >= limits.per_process || own.size >= limits.per_organization) {
        throw new ApiError('too_many_waiters', { retry_after_seconds: 1 });
      }
      let notified = true;
      let gone = false;
      let wake = () => {};
      const onNews = () => {
        notified = true;
        wake();
      };
      waiting.set(organization_id, own.add(onNews));
      count++;
      options.onClose(() => {
        gone = true;
        wake();
      });
      const deadline = performance.now() + options.timeout_ms;
      try {
        for (;;) {
          notified = false;
          const found = await look();
          const left_ms = deadline - performance.now();
          if (found !== null || gone || left_ms <= 0) return found;
          if (draining?.aborted) return notified ? look() : found;
          // A notification during the lookup triggers another lookup at once.
          if (notified) continue;
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.min(poll_ms, left_ms));
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
      } finally {
        count--;
        own.delete(onNews);
        if (own.size === 0) waiting.delete(organization_id);
      }
    },
  };
}
export type Waiters = ReturnType<typeof waiters>;

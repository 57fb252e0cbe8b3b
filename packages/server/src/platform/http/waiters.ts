// Requests that wait for a record: notified by this process, and by polling for changes of other processes.
import { ApiError } from './api-error.ts';

const poll_ms = 1000;

export function waiters(limits: { per_process: number; per_organization: number; draining?: AbortSignal }) {
  const { draining } = limits;
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  // When a stop begins, every waiting request does one more lookup and responds.
  draining?.addEventListener('abort', () => {
    for (const own of waiting.values()) for (const wake of own) wake();
  });

  return {
    notify(organization_id: string): void {
      for (const wake of waiting.get(organization_id) ?? []) wake();
    },

    /** Repeats the lookup until it finds something; null on timeout, when the client disconnects or the process stops. */
    async until<T>(
      organization_id: string,
      lookup: () => Promise<T | null>,
      options: { timeout_ms: number; onClose(action: () => void): void },
    ): Promise<T | null> {
      const wakes = waiting.get(organization_id) ?? new Set();
      if (count >= limits.per_process || wakes.size >= limits.per_organization) {
        throw new ApiError('too_many_waiters', { retry_after_seconds: 1 });
      }
      let notified = true;
      let gone = false;
      let wake = () => {};
      const onNotify = () => {
        notified = true;
        wake();
      };
      waiting.set(organization_id, wakes.add(onNotify));
      count++;
      options.onClose(() => {
        gone = true;
        wake();
      });
      const deadline = performance.now() + options.timeout_ms;
      try {
        for (;;) {
          notified = false;
          const record = await lookup();
          const left_ms = deadline - performance.now();
          if (record !== null || gone || left_ms <= 0) return record;
          if (draining?.aborted) return notified ? lookup() : record;
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
        wakes.delete(onNotify);
        if (wakes.size === 0) waiting.delete(organization_id);
      }
    },
  };
}
export type Waiters = ReturnType<typeof waiters>;

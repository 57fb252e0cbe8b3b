// What a process depends on, and how it is checked for /readyz.
import { ttlCache } from './ttl-cache.ts';
import { within } from './within.ts';

/** What a load balancer may ask about: `/readyz?for=calls` also fails when this process can take no further call. */
export const purposes = ['calls', 'mail'] as const;
export type Purpose = (typeof purposes)[number];

/** A dependency of the process; the check throws when it is unavailable. */
export type Readiness = {
  name: string;
  /**
   * The purposes that need it. Absent: the whole process needs it. Without a purpose, a failure of such a dependency
   * is only reported: a mail relay that is down must not take a process out of service that can still place calls.
   */
  only_for?: readonly Purpose[];
  /** Left out of the response unless the purpose is asked for. */
  is_hidden?: boolean;
  /** Resolves with `not_configured` where the settings name none; every other value means that it works. */
  check(): Promise<unknown>;
};

/** A dependency that does not respond counts as unavailable. Shorter than the usual timeout of a probe. */
export const check_limit_ms = 5000;

/** Asks a vendor at most once in this time, however often the process is probed: requests count against its limits. */
const vendor_age_ms = 30_000;

/** The same check with its result, also a failure, cached for half a minute. */
export function cachedCheck(check: Readiness['check'], max_age_ms = vendor_age_ms): Readiness['check'] {
  const cache = ttlCache({
    max_age_ms,
    load: () =>
      within(check_limit_ms - 500, check()).then(
        (state) => () => state,
        (error: Error) => () => {
          throw error;
        },
      ),
  });
  return async () => (await cache.get())();
}

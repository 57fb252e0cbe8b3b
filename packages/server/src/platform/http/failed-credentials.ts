// Counts wrong credentials by the address they come from, in memory, so that guessing costs the database nothing.
import { sha256Base64url } from '../crypto.ts';

const window_ms = 60_000;
/** For so long after the last failure of an address its good credentials are remembered. */
const kept_ms = 600_000;

type Place = { failures: number; window_ends: number; last_ms: number; good: Set<string> };

export type FailedCredentials = ReturnType<typeof failedCredentials>;

/**
 * An address that reached the limit is refused before any look-up, save for credentials that worked from there since its
 * first failure: behind a proxy or a company's gateway one broken program must not lock out the others.
 */
export function failedCredentials(deps: {
  limit_per_minute: number;
  max_places?: number;
  max_good?: number;
  monotonic_ms?: () => number;
}) {
  const { limit_per_minute: limit, max_places = 10_000, max_good = 20_000 } = deps;
  const now = deps.monotonic_ms ?? (() => performance.now());
  /** In the order of their last failure. */
  const places = new Map<string, Place>();
  let good_count = 0;

  const forget = (place: string) => {
    good_count -= places.get(place)?.good.size ?? 0;
    places.delete(place);
  };
  const forgetOld = (now_ms: number) => {
    for (const [place, { last_ms }] of places) {
      if (places.size <= max_places && now_ms - last_ms < kept_ms) return;
      forget(place);
    }
  };

  return {
    /** Nothing has to be asked about any address. */
    areNone: (): boolean => places.size === 0,

    /** How long to wait, in seconds; 0 when the credential may be looked up. */
    waitSeconds(place: string, bearer: string): number {
      const now_ms = now();
      forgetOld(now_ms);
      const found = places.get(place);
      if (!found || found.failures < limit || found.window_ends <= now_ms) return 0;
      if (found.good.size > 0 && found.good.has(sha256Base64url(bearer))) return 0;
      return Math.max(1, Math.ceil((found.window_ends - now_ms) / 1000));
    },

    failed(place: string, bearer: string): void {
      const now_ms = now();
      const found = places.get(place);
      const is_over = !found || found.window_ends <= now_ms;
      const good = found?.good ?? new Set<string>();
      // It worked once and was revoked since.
      if (good.size > 0 && good.delete(sha256Base64url(bearer))) good_count--;
      places.delete(place);
      places.set(place, {
        failures: is_over ? 1 : found.failures + 1,
        window_ends: is_over ? now_ms + window_ms : found.window_ends,
        last_ms: now_ms,
        good,
      });
      forgetOld(now_ms);
    },

    worked(place: string, bearer: string): void {
      const found = places.get(place);
      if (!found || good_count >= max_good) return;
      const hash = sha256Base64url(bearer);
      if (found.good.has(hash)) return;
      found.good.add(hash);
      good_count++;
    },

    limit,
  };
}

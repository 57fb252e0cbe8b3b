// Counts wrong credentials per client network in memory, so that guessing costs no database query.
import { sha256Base64url } from '../crypto.ts';

const minute_ms = 60_000;
/** How long after the last failure of a network its valid credentials are stored. */
const retention_ms = 600_000;

type Network = { failures: number; window_ends: number; last_ms: number; good: Set<string> };

export type FailedCredentials = ReturnType<typeof failedCredentials>;

/**
 * A network above the limit is refused before any lookup, except for credentials that worked from there since its first
 * failure: one broken program behind a shared gateway must not lock out the others.
 */
export function failedCredentials(deps: {
  /** In each window. */
  limit_per_minute: number;
  /** Default: a minute. */
  window_ms?: number;
  max_networks?: number;
  max_good?: number;
  monotonic_ms?: () => number;
}) {
  const { limit_per_minute: limit, window_ms = minute_ms, max_networks = 10_000, max_good = 20_000 } = deps;
  const now = deps.monotonic_ms ?? (() => performance.now());
  /** In the order of their last failure. */
  const networks = new Map<string, Network>();
  let good_count = 0;

  const drop = (network: string) => {
    good_count -= networks.get(network)?.good.size ?? 0;
    networks.delete(network);
  };
  const dropOld = (now_ms: number) => {
    for (const [network, { last_ms }] of networks) {
      if (networks.size <= max_networks && now_ms - last_ms < retention_ms) return;
      drop(network);
    }
  };

  return {
    /** No network has failures, so no other function has to be called. */
    isEmpty: (): boolean => networks.size === 0,

    /** How long to wait, in seconds; 0 when the credential may be looked up. */
    waitSeconds(network: string, bearer: string): number {
      const now_ms = now();
      dropOld(now_ms);
      const entry = networks.get(network);
      if (!entry || entry.failures < limit || entry.window_ends <= now_ms) return 0;
      if (entry.good.size > 0 && entry.good.has(sha256Base64url(bearer))) return 0;
      return Math.max(1, Math.ceil((entry.window_ends - now_ms) / 1000));
    },

    failed(network: string, bearer: string): void {
      const now_ms = now();
      const entry = networks.get(network);
      const is_over = !entry || entry.window_ends <= now_ms;
      const good = entry?.good ?? new Set<string>();
      // The credential worked before and was revoked since.
      if (good.size > 0 && good.delete(sha256Base64url(bearer))) good_count--;
      networks.delete(network);
      networks.set(network, {
        failures: is_over ? 1 : entry.failures + 1,
        window_ends: is_over ? now_ms + window_ms : entry.window_ends,
        last_ms: now_ms,
        good,
      });
      dropOld(now_ms);
    },

    worked(network: string, bearer: string): void {
      const entry = networks.get(network);
      if (!entry || good_count >= max_good) return;
      const hash = sha256Base64url(bearer);
      if (entry.good.has(hash)) return;
      entry.good.add(hash);
      good_count++;
    },

    limit,
  };
}

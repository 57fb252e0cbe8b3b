// Derives one idempotency key for repeated tool calls, so that an agent that lost the response does not send twice.
import { createHash } from 'node:crypto';

/** Clients time out after a minute and their models retry immediately; a deliberate repeat comes later. */
const window_ms = 5 * 60_000;
const max_calls = 10_000;

/**
 * The key is derived from caller, tool, arguments and the time of the first call. It stays the same within the window,
 * also across a restart within the same five minutes.
 */
export function repeatGuard(now: () => number = Date.now) {
  const first_seen = new Map<string, number>();
  return {
    keyFor(credential: string, tool: string, fields: Record<string, unknown>): string {
      const fingerprint = createHash('sha256')
        .update(JSON.stringify([credential, tool, sorted(fields)]))
        .digest('base64url');
      const at = now();
      const before = first_seen.get(fingerprint);
      const since = before !== undefined && at - before < window_ms ? before : at;
      if (since === at) {
        first_seen.delete(fingerprint);
        first_seen.set(fingerprint, at);
        // A map iterates in insertion order, so the oldest entries come first.
        for (const [old, seen] of first_seen) {
          if (at - seen < window_ms && first_seen.size <= max_calls) break;
          first_seen.delete(old);
        }
      }
      return `mcp-${fingerprint}-${Math.floor(since / window_ms)}`;
    },
  };
}
export type RepeatGuard = ReturnType<typeof repeatGuard>;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

// Limits each SMTP client: concurrent connections, and messages per minute.

const window_ms = 60_000;
const max_peers = 50_000;

export function peerLimits(limits: {
  connections: number;
  messages_per_minute: number;
  monotonic_ms?: () => number;
}) {
  const now = limits.monotonic_ms ?? (() => performance.now());
  const open = new Map<string, number>();
  const counts = new Map<string, { since: number; count: number }>();

  return {
    /** False if the peer has too many connections. After true, the caller must call `disconnect`. */
    connect(address: string): boolean {
      const peer = peerOf(address);
      const count = open.get(peer) ?? 0;
      if (count >= limits.connections) return false;
      open.set(peer, count + 1);
      return true;
    },
    disconnect(address: string): void {
      const peer = peerOf(address);
      const count = (open.get(peer) ?? 1) - 1;
      if (count > 0) open.set(peer, count);
      else open.delete(peer);
    },
    /** False if the peer is over its limit for this minute. Unknown recipients count as well. */
    countMessage(address: string): boolean {
      const peer = peerOf(address);
      const at = now();
      let counted = counts.get(peer);
      if (!counted || at - counted.since >= window_ms) {
        counted = { since: at, count: 0 };
        counts.delete(peer);
        counts.set(peer, counted);
        if (counts.size > max_peers) counts.delete(counts.keys().next().value!);
      }
      return ++counted.count <= limits.messages_per_minute;
    },
  };
}
export type PeerLimits = ReturnType<typeof peerLimits>;

/** An IPv6 /64 network counts as one peer, because one host can use all of its addresses. */
const peerOf = (address: string) =>
  address.includes(':') && !address.startsWith('::ffff:')
    ? address.split(':').slice(0, 4).join(':')
    : address.replace('::ffff:', '');

// Says again what may have been lost in a datagram: requests until they are answered, refusals until acknowledged, and ACKs.
import type { MessageHead } from './message-text.ts';

export type Timing = { t1_ms: number; t2_ms: number };

type Pending = { timer: NodeJS.Timeout; interval_ms: number; given_up_at: number };

/** RFC 3261 timers A, E, G and D. The library above keeps every other timer, but leaves these to its transport. */
export function retransmission(timing: Timing, now: () => number = () => performance.now()) {
  const { t1_ms, t2_ms } = timing;
  const pending = new Map<string, Pending>();
  /** By the branch of the refused INVITE, which its ACK shares. */
  const acks = new Map<string, { repeat: () => void; timer: NodeJS.Timeout }>();

  function schedule(key: string, entry: Omit<Pending, 'timer'>, most_ms: number, repeat: () => void): void {
    const timer = setTimeout(() => {
      if (now() >= entry.given_up_at) {
        pending.delete(key);
        return;
      }
      repeat();
      entry.interval_ms = Math.min(entry.interval_ms * 2, most_ms);
      schedule(key, entry, most_ms, repeat);
    }, entry.interval_ms);
    pending.set(key, { ...entry, timer });
  }

  function forget(key: string): void {
    const entry = pending.get(key);
    if (entry) clearTimeout(entry.timer);
    pending.delete(key);
  }

  return {
    /** After a message was handed to the network; `repeat` hands it over again. */
    sent(head: MessageHead, repeat: () => void): void {
      if (head.method === 'ACK') {
        const timer = setTimeout(() => acks.delete(head.branch), 64 * t1_ms);
        clearTimeout(acks.get(head.branch)?.timer);
        acks.set(head.branch, { repeat, timer });
        return;
      }
      const refusal = head.status !== null && head.status >= 300 && head.cseq_method === 'INVITE';
      if (!refusal && head.method === null) return;
      const key = refusal ? `ACK ${head.branch}` : `${head.method} ${head.branch}`;
      // A refusal that is sent again because the INVITE came again keeps its own rhythm.
      if (pending.has(key)) return;
      const most_ms = head.method === 'INVITE' ? Number.POSITIVE_INFINITY : t2_ms;
      schedule(key, { interval_ms: t1_ms, given_up_at: now() + 64 * t1_ms }, most_ms, repeat);
    },

    received(head: MessageHead): void {
      if (head.method === 'ACK') forget(`ACK ${head.branch}`);
      if (head.status === null) return;
      // A provisional answer to anything but an INVITE does not promise a final one over datagrams.
      if (head.status < 200 && head.cseq_method !== 'INVITE') return;
      forget(`${head.cseq_method} ${head.branch}`);
      // A refusal that comes again has not seen its ACK; the library has forgotten the call by now.
      if (head.status >= 300 && head.cseq_method === 'INVITE') acks.get(head.branch)?.repeat();
    },

    stop(): void {
      for (const { timer } of [...pending.values(), ...acks.values()]) clearTimeout(timer);
      pending.clear();
      acks.clear();
    },
  };
}

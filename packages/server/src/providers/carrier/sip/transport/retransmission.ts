// Retransmits SIP messages over UDP: requests until a response, final responses other than 2xx to an INVITE (here: refusals) until
// their ACK, and ACKs for repeated refusals.
import type { MessageHead } from './message-text.ts';

export type Timing = { t1_ms: number; t2_ms: number };

type Pending = { timer: NodeJS.Timeout; interval_ms: number; expires_at: number };

/** RFC 3261 timers A, E, G and D. SIP.js has all other timers, but leaves these to its transport. */
export function retransmission(timing: Timing, now: () => number = () => performance.now()) {
  const { t1_ms, t2_ms } = timing;
  const pending = new Map<string, Pending>();
  /** By the branch of the refused INVITE; its ACK has the same branch. */
  const acks = new Map<string, { repeat: () => void; timer: NodeJS.Timeout }>();

  function schedule(
    key: string,
    entry: Omit<Pending, 'timer'>,
    max_interval_ms: number,
    repeat: () => void,
  ): void {
    const timer = setTimeout(() => {
      if (now() >= entry.expires_at) {
        pending.delete(key);
        return;
      }
      repeat();
      entry.interval_ms = Math.min(entry.interval_ms * 2, max_interval_ms);
      schedule(key, entry, max_interval_ms, repeat);
    }, entry.interval_ms);
    pending.set(key, { ...entry, timer });
  }

  function forget(key: string): void {
    const entry = pending.get(key);
    if (entry) clearTimeout(entry.timer);
    pending.delete(key);
  }

  return {
    /** Call after a message was sent; `repeat` sends it again. */
    sent(head: MessageHead, repeat: () => void): void {
      if (head.method === 'ACK') {
        const timer = setTimeout(() => acks.delete(head.branch), 64 * t1_ms);
        clearTimeout(acks.get(head.branch)?.timer);
        acks.set(head.branch, { repeat, timer });
        return;
      }
      if (!isRefusal(head) && head.method === null) return;
      const key = keyOf(head);
      // A refusal that is sent again for a repeated INVITE keeps its running timer.
      if (pending.has(key)) return;
      const max_interval_ms = head.method === 'INVITE' ? Number.POSITIVE_INFINITY : t2_ms;
      schedule(key, { interval_ms: t1_ms, expires_at: now() + 64 * t1_ms }, max_interval_ms, repeat);
    },

    /** A message that could not be sent is not sent later either. */
    cancel: (head: MessageHead): void => forget(keyOf(head)),

    received(head: MessageHead): void {
      if (head.method === 'ACK') forget(`ACK ${head.branch}`);
      if (head.status === null) return;
      // A provisional response stops the retransmission of an INVITE only.
      if (head.status < 200 && head.cseq_method !== 'INVITE') return;
      forget(`${head.cseq_method} ${head.branch}`);
      // A repeated refusal means that our ACK was lost. SIP.js has removed the call by now, so the ACK is repeated here.
      if (isRefusal(head)) acks.get(head.branch)?.repeat();
    },

    stop(): void {
      for (const { timer } of [...pending.values(), ...acks.values()]) clearTimeout(timer);
      pending.clear();
      acks.clear();
    },
  };
}

const isRefusal = ({ status, cseq_method }: MessageHead): boolean =>
  status !== null && status >= 300 && cseq_method === 'INVITE';

/** What ends the retransmission of a message: the ACK of a refusal, or the response to a request. */
const keyOf = (head: MessageHead): string =>
  isRefusal(head) ? `ACK ${head.branch}` : `${head.method} ${head.branch}`;

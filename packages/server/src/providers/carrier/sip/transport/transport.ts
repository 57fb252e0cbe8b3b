// The transport the SIP library stands on: finds the next hop, repeats what datagrams lose, marks where requests came from.
import type { Link, Peer } from './link.ts';
import { readHead, readUriAddress, replyAddress, stampVia } from './message-text.ts';
import type { Hop, nextHops } from './next-hop.ts';
import { retransmission, type Timing } from './retransmission.ts';

export type TransportOptions = {
  /** Built with the function that takes what it hears. */
  link: (onText: (text: string, from: Peer) => void) => Link;
  hops: ReturnType<typeof nextHops>;
  timing: Timing;
  /** A SIP message, its origin written into it. */
  onMessage(text: string, from: Peer): void;
};

/** A trunk has few addresses; a list that grows past this has been fed by somebody. */
const most_asked = 10_000;

export function sipTransport(options: TransportOptions) {
  const { hops, timing, onMessage } = options;
  const repeated = retransmission(timing);
  const counts = { sent: 0, repeated: 0, received: 0, unreadable: 0, strangers_dropped: 0 };
  /** Only who was asked may answer: the ids in a forged answer can be guessed, its origin cannot be chosen freely. */
  const asked = new Set<string>();
  let closed = false;

  function remember(hops: readonly Hop[]): void {
    if (asked.size > most_asked) asked.clear();
    for (const { address } of hops) asked.add(address);
  }

  const link = options.link((text, from) => {
    const head = readHead(text);
    if (head === null) {
      counts.unreadable++;
      return;
    }
    if (head.status !== null && !asked.has(from.address)) {
      counts.strangers_dropped++;
      return;
    }
    counts.received++;
    repeated.received(head);
    onMessage(head.method === null ? text : stampVia(text, head.top_via, from, link.reliable), from);
  });

  return {
    protocol: link.protocol,
    counts,
    listen: () => link.listen(),

    async send(text: string): Promise<void> {
      if (closed) throw new Error('The SIP transport is closed.');
      const head = readHead(text);
      const address = head && (head.next_uri ? readUriAddress(head.next_uri) : replyAddress(head.top_via));
      if (!head || !address) throw new Error('The SIP message names no place to go.');
      const found = await hops.all(address);
      if (head.method !== null) remember(found);
      counts.sent++;
      const transmitted = link.transmit(text, found);
      if (!link.reliable) {
        repeated.sent(head, () => {
          counts.repeated++;
          link.transmit(text, found).catch(() => {});
        });
      }
      await transmitted;
    },

    async close(): Promise<void> {
      closed = true;
      repeated.stop();
      await link.close();
    },
  };
}
export type SipTransport = ReturnType<typeof sipTransport>;

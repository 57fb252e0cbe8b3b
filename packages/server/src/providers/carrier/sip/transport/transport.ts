// The transport below SIP.js: resolves the next hop, retransmits over UDP, and adds the source address to requests.
import type { Link, Peer } from './link.ts';
import { readHead, readUriAddress, responseAddress, stampVia } from './message-text.ts';
import type { Hop, nextHops } from './next-hop.ts';
import { retransmission, type Timing } from './retransmission.ts';

export type TransportOptions = {
  /** Creates the link; `onText` receives its messages. */
  link: (onText: (text: string, from: Peer) => void) => Link;
  hops: ReturnType<typeof nextHops>;
  timing: Timing;
  /** Receives a SIP message; a request contains its source address. */
  onMessage(text: string, from: Peer): void;
};

/** Bounds the memory: a trunk has few addresses. After the list was cleared, responses count again from the next request on. */
const max_addresses = 10_000;

export function sipTransport(options: TransportOptions) {
  const { hops, timing, onMessage } = options;
  const retransmitter = retransmission(timing);
  const counts = { sent: 0, repeated: 0, received: 0, unreadable: 0, untrusted_dropped: 0 };
  /** Responses are accepted only from addresses that we sent requests to, because the ids of a response can be guessed. */
  const requested = new Set<string>();
  let closed = false;

  function addRequested(addresses: readonly Hop[]): void {
    if (requested.size > max_addresses) requested.clear();
    for (const { address } of addresses) requested.add(address);
  }

  const link = options.link((text, from) => {
    const head = readHead(text);
    if (head === null) {
      counts.unreadable++;
      return;
    }
    if (head.status !== null && !requested.has(from.address)) {
      counts.untrusted_dropped++;
      return;
    }
    counts.received++;
    retransmitter.received(head);
    onMessage(head.method === null ? text : stampVia(text, head.top_via, from, link.reliable), from);
  });

  return {
    protocol: link.protocol,
    counts,
    listen: () => link.listen(),

    async send(text: string): Promise<void> {
      if (closed) throw new Error('The SIP transport is closed.');
      const head = readHead(text);
      const address = head && (head.next_uri ? readUriAddress(head.next_uri) : responseAddress(head.top_via));
      if (!head || !address) throw new Error('The SIP message has no destination.');
      const next_hops = await hops.all(address);
      if (closed) throw new Error('The SIP transport is closed.');
      if (head.method !== null) addRequested(next_hops);
      counts.sent++;
      const transmitted = link.transmit(text, next_hops);
      if (!link.reliable) {
        retransmitter.sent(head, () => {
          counts.repeated++;
          link.transmit(text, next_hops).catch(() => {});
        });
      }
      try {
        await transmitted;
      } catch (error) {
        // The caller reports a failure, so a later copy must not arrive.
        retransmitter.cancel(head);
        throw error;
      }
    },

    async close(): Promise<void> {
      closed = true;
      retransmitter.stop();
      await link.close();
    },
  };
}
export type SipTransport = ReturnType<typeof sipTransport>;

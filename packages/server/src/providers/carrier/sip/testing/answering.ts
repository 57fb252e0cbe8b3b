// A trunk that takes calls and remembers them, and small steps of tests.

import { waitFor } from '../../../../../testing/wait-for.ts';
import type { CallEvent, SipCall } from '../call.ts';
import type { InboundDecision, InboundOffer } from '../inbound-call.ts';
import type { startTrunk } from './trunk.ts';

type Trunk = Awaited<ReturnType<typeof startTrunk>>;

/** A trunk that takes calls, and what it was told about them. */
export function answering(decide: (offer: InboundOffer) => Partial<InboundDecision> = () => ({})) {
  const offers: InboundOffer[] = [];
  const events: CallEvent[] = [];
  const taken = Promise.withResolvers<SipCall>();
  return {
    offers,
    events,
    taken: taken.promise,
    decideInbound: async (offer: InboundOffer): Promise<InboundDecision> => {
      offers.push(offer);
      return {
        answer: true,
        max_duration_ms: 60_000,
        emit: (item: CallEvent) => events.push(item),
        taken: taken.resolve,
        missed() {},
        ...decide(offer),
      } as InboundDecision;
    },
  };
}

export const until = (reached: () => boolean) => waitFor(() => String(reached), reached);

/** One after the other: the second is still there to answer the farewell of the first. */
export async function stopAll(...trunks: Trunk[]): Promise<void> {
  for (const trunk of trunks) await trunk.stop();
}

// Answers inbound calls of a trunk in tests and records them, with small helpers.
import { waitFor } from '../../../../../testing/wait-for.ts';
import type { CallEvent, SipCall } from '../call.ts';
import type { InboundDecision, InboundOffer } from '../inbound-call.ts';
import type { startTrunk } from './trunk.ts';

type Trunk = Awaited<ReturnType<typeof startTrunk>>;

/** The inbound handler of a trunk that answers calls, and a record of them. */
export function answerCalls(decide: (offer: InboundOffer) => Partial<InboundDecision> = () => ({})) {
  const offers: InboundOffer[] = [];
  const events: CallEvent[] = [];
  const accepted = Promise.withResolvers<SipCall>();
  return {
    offers,
    events,
    accepted: accepted.promise,
    decideInbound: async (offer: InboundOffer): Promise<InboundDecision> => {
      offers.push(offer);
      return {
        answer: true,
        max_duration_ms: 60_000,
        emit: (event: CallEvent) => events.push(event),
        accepted: accepted.resolve,
        missed() {},
        ...decide(offer),
      } as InboundDecision;
    },
  };
}

export const until = (reached: () => boolean) => waitFor(() => String(reached), reached);

/** Stops them one after the other, so that the second can still respond to the BYE of the first. */
export async function stopAll(...trunks: Trunk[]): Promise<void> {
  for (const trunk of trunks) await trunk.stop();
}

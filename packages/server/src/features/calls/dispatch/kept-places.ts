// The places that this process keeps for inbound calls: it has promised to take them, and they are not offered yet.
import { untilCut } from '../../../platform/drain.ts';

/** `onGivenBack`: there may be capacity for another call. */
export function keptPlaces(onGivenBack: () => void) {
  const kept = new Set<Promise<void>>();
  return {
    count: () => kept.size,
    /** Returns how to give the place back. */
    keep(): () => void {
      const place = Promise.withResolvers<void>();
      kept.add(place.promise);
      return () => {
        place.resolve();
        if (kept.delete(place.promise)) onGivenBack();
      };
    },
    /** Resolves when the places that are kept now are given back, or the signal aborts. */
    async idle(cut: AbortSignal): Promise<void> {
      await untilCut(Promise.all(kept), cut);
    },
  };
}

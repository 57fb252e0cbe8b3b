// The places that this process keeps for calls it has decided to run and does not run yet.
import { untilCut } from '../../../../../platform/drain.ts';

export function keptPlaces() {
  const kept = new Set<Promise<void>>();
  return {
    count: () => kept.size,
    /** Returns how to give the place back. After `onGivenBack` is called there may be capacity for another call. */
    keep(onGivenBack: () => void): () => void {
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

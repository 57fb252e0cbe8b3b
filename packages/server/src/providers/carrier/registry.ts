// The carriers this server is set up for, and the one that new numbers and texts go to.
import type { Carrier } from './carrier.ts';

export type Carriers = {
  /** For new numbers and for senders that are no number; null where none is set up. */
  active: Carrier | null;
  byName(name: string): Carrier | null;
  names(): string[];
  all(): readonly Carrier[];
};

export function carrierRegistry(carriers: readonly Carrier[], active_name: string | null): Carriers {
  const known = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  return {
    active: active_name === null ? null : (known.get(active_name) ?? null),
    byName: (name) => known.get(name) ?? null,
    names: () => [...known.keys()],
    all: () => carriers,
  };
}

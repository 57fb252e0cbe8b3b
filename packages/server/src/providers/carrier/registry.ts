// The configured carriers, and the one that new numbers and texts use.
import type { Carrier } from './carrier.ts';

export type Carriers = {
  /** For new numbers and for senders that are not numbers; null where none is configured. */
  active: Carrier | null;
  byName(name: string): Carrier | null;
  names(): string[];
  all(): readonly Carrier[];
};

export function carrierRegistry(carriers: readonly Carrier[], active_name: string | null): Carriers {
  const by_name = new Map(carriers.map((carrier) => [carrier.name, carrier]));
  return {
    active: active_name === null ? null : (by_name.get(active_name) ?? null),
    byName: (name) => by_name.get(name) ?? null,
    names: () => [...by_name.keys()],
    all: () => carriers,
  };
}

// Where deliveries go and what signs them: read from the database, kept opened for a moment.

import { batched } from '../../platform/batch.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import { targetOf } from '../../platform/egress/request-once.ts';
import type { Recipient } from './attempt.ts';
import type { StoredRecipient } from './delivery-queue-store.ts';
import { type SigningKey, signingKey } from './signature.ts';

/** Binds a sealed secret to its row: in another it does not open. */
export const sealContext = (organization_id: string, subscription_id: string) =>
  `webhook_subscription:${organization_id}:${subscription_id}`;

type Known = Recipient & {
  is_active: boolean;
  /** Also signs until then. */
  previous: { key: SigningKey; until: number } | null;
};

/** Another process may change a subscription at any time; this is how late we may notice. */
const fresh_ms = 1000;
const kept = 10_000;

export function recipientCache(deps: {
  sealer: Sealer;
  clock: Clock;
  load(ids: string[]): Promise<StoredRecipient[]>;
}) {
  const { sealer, clock } = deps;
  const cache = new Map<string, { known: Known | null; loaded_at: number }>();

  const open = (row: StoredRecipient): Known => {
    const key = (sealed: string) =>
      signingKey(sealer.open(sealed, sealContext(row.organization_id, row.id)).toString('utf8'));
    const until = row.previous_secret_expires_at?.getTime() ?? 0;
    return {
      target: targetOf(new URL(row.target_url)),
      keys: [key(row.secret_sealed)],
      is_active: row.status === 'active',
      previous: row.previous_secret_sealed ? { key: key(row.previous_secret_sealed), until } : null,
    };
  };

  // Lanes ask one by one; what they ask for together is read together.
  const load = batched<string, Known | null>(async (ids) => {
    const rows = new Map((await deps.load(ids)).map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = rows.get(id);
      const known = row ? open(row) : null;
      if (cache.size >= kept) cache.clear();
      cache.set(id, { known, loaded_at: performance.now() });
      return known;
    });
  });

  const current = (known: Known | null): (Recipient & { is_active: boolean }) | null => {
    if (!known?.previous || known.previous.until <= clock.ms()) return known;
    return { ...known, keys: [...known.keys, known.previous.key] };
  };

  return {
    /** At once when it is known; null for a subscription that was removed. */
    find(id: string) {
      const entry = cache.get(id);
      if (entry && performance.now() - entry.loaded_at < fresh_ms) return current(entry.known);
      return load(id).then(current);
    },
    forget: (id: string) => void cache.delete(id),
  };
}

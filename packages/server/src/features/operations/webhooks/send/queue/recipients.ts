// Short-lived cache of where deliveries go and what signs them: every attempt looks this up.
import { batched } from '../../../../../platform/batch.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { Sealer } from '../../../../../platform/crypto.ts';
import { targetOf } from '../../../../../platform/egress/request-once.ts';
import { type SigningKey, signingKey } from '../../../../../protocols/webhook-signature.ts';
import type { Recipient } from '../attempt.ts';
import type { StoredRecipient } from './recipient-store.ts';

/** Binds a sealed secret to its row: copied to another row, it cannot be opened. */
export const sealContext = (organization_id: string, subscription_id: string) =>
  `webhook_subscription:${organization_id}:${subscription_id}`;

type CachedRecipient = Recipient & {
  is_active: boolean;
  /** After a rotation, the previous key also signs until this time. */
  previous: { key: SigningKey; until: number } | null;
};

/** Another process may change a subscription at any time; this is how late this process may notice. */
const max_age_ms = 1000;
const max_cached = 10_000;

export type RecipientCache = ReturnType<typeof recipientCache>;

export function recipientCache(deps: {
  sealer: Sealer;
  clock: Clock;
  load(ids: string[]): Promise<StoredRecipient[]>;
}) {
  const { sealer, clock } = deps;
  const cache = new Map<string, { recipient: CachedRecipient | null; loaded_at: number }>();

  // Queues look up one subscription at a time; concurrent lookups share one query.
  const load = batched<string, CachedRecipient | null>(async (ids) => {
    const rows = new Map((await deps.load(ids)).map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = rows.get(id);
      const recipient = row ? openRecipient(sealer, row) : null;
      if (cache.size >= max_cached) cache.clear();
      cache.set(id, { recipient, loaded_at: performance.now() });
      return recipient;
    });
  });

  const withValidKeys = (recipient: CachedRecipient | null): (Recipient & { is_active: boolean }) | null => {
    if (!recipient?.previous || recipient.previous.until <= clock.ms()) return recipient;
    return { ...recipient, keys: [...recipient.keys, recipient.previous.key] };
  };

  return {
    /** Returns a promise only when it is not cached. Null for a subscription that was deleted. */
    find(id: string) {
      const entry = cache.get(id);
      if (entry && performance.now() - entry.loaded_at < max_age_ms) return withValidKeys(entry.recipient);
      return load(id).then(withValidKeys);
    },
    forget: (id: string) => void cache.delete(id),
  };
}

function openRecipient(sealer: Sealer, row: StoredRecipient): CachedRecipient {
  const key = (sealed: string) =>
    signingKey(sealer.open(sealed, sealContext(row.organization_id, row.id)).toString('utf8'));
  const until = row.previous_secret_expires_at?.getTime() ?? 0;
  return {
    target: targetOf(new URL(row.target_url)),
    keys: [key(row.secret_sealed)],
    is_active: row.status === 'active',
    previous: row.previous_secret_sealed ? { key: key(row.previous_secret_sealed), until } : null,
  };
}

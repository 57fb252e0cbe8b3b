// Stores a batch of results: first attempts insert the row of their delivery, later attempts update it.

import { type DeliveryResult, type OwnLease, toCompletion, toFirstResult } from '../delivery.ts';
import type { SenderDeps } from '../sender-state.ts';
import { storeCompletions } from './completion-store.ts';
import { insertFirstResults } from './first-result-store.ts';

/** If the second write fails, the whole batch is stored again; `is_stored` skips what the first write has stored. */
export async function storeResults({ db, clock }: SenderDeps, batch: DeliveryResult[]): Promise<void> {
  const now = clock.now();
  const first = batch.filter(({ delivery, is_stored }) => delivery.event && !is_stored);
  if (first.length > 0) {
    const counts = new Map<OwnLease, number>();
    for (const { delivery } of first) {
      const { lease } = delivery.event!;
      counts.set(lease, (counts.get(lease) ?? 0) + 1);
    }
    const finished = [...counts].flatMap(([lease, count]) => (count === lease.unstored ? [lease] : []));
    await insertFirstResults(db, first.map(toFirstResult), finished, now);
    for (const [lease, count] of counts) lease.unstored -= count;
    for (const result of first) result.is_stored = true;
  }
  const later = batch.flatMap(({ delivery, attempt }) =>
    attempt && !delivery.event ? [toCompletion(delivery, attempt)] : [],
  );
  if (later.length > 0) await storeCompletions(db, later, now);
}

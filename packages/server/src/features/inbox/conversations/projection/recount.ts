// Computes the counters and the last item of conversations again from their items. What people set stays.
import type { LastItem } from '@parley/contract/inbox/conversations';
import type { Transaction } from '../../../../platform/db/database.ts';
import { type EmailText, type RecordRef, readRecords } from '../../projector/index.ts';
import { itemOf } from '../items/conversation-item.ts';
import { lastItemOf } from './conversation-row.ts';
import type { ProjectionStore, Ref } from './projection-store.ts';
import { type Counted, countItems, saveCounts } from './recount-store.ts';

type Deps = { store: Pick<ProjectionStore, 'findWaiting'>; emailText: EmailText };

/** The organizations are locked, so that no item is added meanwhile. */
export async function recount(deps: Deps, tx: Transaction, conversations: readonly Ref[]): Promise<void> {
  for (const [organization_id, refs] of Map.groupBy(conversations, (ref) => ref.organization_id)) {
    const ids = [...new Set(refs.map(({ id }) => id))];
    const counts = await countItems(tx, organization_id, ids);
    const last = await lastItems(deps, tx, organization_id, counts);
    await saveCounts(
      tx,
      organization_id,
      counts.map((each) => ({ ...each, last_item: last.get(each.last_id) ?? null })),
    );
    await deps.store.findWaiting(tx, organization_id, ids);
  }
}

/** With their text, which is in the records. */
async function lastItems(
  { emailText }: Deps,
  tx: Transaction,
  organization_id: string,
  counts: readonly Counted[],
): Promise<Map<string | null, LastItem>> {
  const refs = counts.flatMap(({ last_id: id, last_noun: noun }): RecordRef[] =>
    id && noun ? [{ organization_id, noun, id }] : [],
  );
  const last = new Map<string | null, LastItem>();
  for (const record of await readRecords(tx, refs, { emailText }))
    if (record.noun !== 'contact' && record.noun !== 'conversation')
      last.set(record.id, lastItemOf(itemOf(record, { isOwn: () => false, isAnswer: false })));
  return last;
}

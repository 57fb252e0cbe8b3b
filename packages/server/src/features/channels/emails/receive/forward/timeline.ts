// Writes what happened to a forward on the timeline of the received email.
import type { Clock } from '../../../../../platform/clock.ts';
import type { Transaction } from '../../../../../platform/db/database.ts';
import type { Ids } from '../../../../../platform/ids.ts';
import type { TimelineEntry } from '../../timeline-store.ts';

export type ForwardTimelineDeps = {
  clock: Clock;
  ids: Ids;
  addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
};

export const addForwardEntry = (
  { clock, ids, addToTimeline }: ForwardTimelineDeps,
  tx: Transaction,
  { organization_id, id: email_id }: { organization_id: string; id: string },
  {
    kind = 'forward_failed',
    ...entry
  }: { kind?: 'forwarded' | 'forward_failed'; detail: Record<string, unknown>; dedupe_key: string },
) =>
  addToTimeline(tx, [
    {
      id: ids.next(),
      organization_id,
      email_id,
      kind,
      occurred_at: clock.now().toISOString(),
      ...entry,
      counted: [],
    },
  ]);

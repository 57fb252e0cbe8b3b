// Adds a turn to a call's transcript and publishes it to clients that follow the call.
import type { CallTurn } from '@parley/contract/call-records';
import type { Transaction } from '../../platform/db/database.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Outbox } from '../../platform/outbox.ts';
import type { CallRef } from './dispatch/progress-store.ts';
import type { TimelineStore } from './timeline-store.ts';

export type WriteTurn = (tx: Transaction, call: CallRef, turn: CallTurn) => Promise<void>;

export const writeTurn =
  (deps: { timeline: TimelineStore; outbox: Outbox; ids: Ids }): WriteTurn =>
  async (tx, { organization_id, id: call_id }, turn) => {
    const { timings: _, ...said } = turn;
    await deps.timeline.addTurn(tx, organization_id, { id: deps.ids.next(), call_id, ...turn });
    await deps.outbox.write(tx, [
      { organization_id, type: 'call.said', resource_id: call_id, data: { id: call_id, ...said } },
    ]);
  };

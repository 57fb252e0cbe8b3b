// Adds a turn to a call's transcript and publishes it to clients that follow the call.
import type { CallTurn } from '@parley/contract/channels/calls/call-records';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { CallRef } from './dispatch/progress/progress-store.ts';
import type { TimelineStore } from './timeline-store.ts';

/** What most turns have the same is left out. */
type Usual = 'is_filler' | 'is_private' | 'requested_by';
export type NewTurn = Omit<CallTurn, Usual> & Partial<Pick<CallTurn, Usual>>;

export type WriteTurn = (tx: Transaction, call: CallRef, turn: NewTurn) => Promise<void>;

export const writeTurn =
  (deps: { timeline: TimelineStore; outbox: Outbox; ids: Ids }): WriteTurn =>
  async (tx, call, new_turn) => {
    const { organization_id, id: call_id } = call;
    const turn = { is_filler: false, is_private: false, requested_by: null, ...new_turn };
    const { timings: _, ...said } = turn;
    const added = await deps.timeline.addTurn(tx, call, { id: deps.ids.next(), call_id, ...turn });
    // Another process leads the call.
    if (added === 0) return;
    await deps.outbox.write(tx, [
      { organization_id, type: 'call.said', resource_id: call_id, data: { id: call_id, ...said } },
    ]);
  };

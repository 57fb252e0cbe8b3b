// Merges two conversations on request, and moves the items of merged conversations in steps.
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { JobHandler, Jobs } from '../../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import { type MoveItems, saveState } from '../projection/projection.ts';
import type { ProjectionStore } from '../projection/projection-store.ts';
import type { ConversationStore } from '../store.ts';
import { merge, noChanges, type OrganizationState } from './assignment.ts';
import type { ChangeStore } from './change-store.ts';

type Deps = {
  db: Database;
  clock: Clock;
  unitOfWork: UnitOfWork;
  store: ConversationStore;
  changes: ChangeStore;
  projections: ProjectionStore;
  moveItems: MoveItems;
  wake(): void;
};
type Merged = { into: string; from: string };
export type MergeConversations = (organization_id: string, merged: Merged) => Promise<void>;

export const mergeConversations =
  ({ db, clock, changes, projections, ...deps }: Deps): MergeConversations =>
  async (organization_id, { into, from }) => {
    if (into === from) throw new ApiError('conversation_not_mergeable');
    await db.transaction(async (tx) => {
      await projections.lockOrganizations(tx, [{ organization_id }]);
      const [first, second] = [into, from].sort();
      const rows = [
        await changes.lock(tx, organization_id, first!),
        await changes.lock(tx, organization_id, second!),
      ];
      const [kept, gone] = [into, from].map((id) => rows.find((row) => row?.id === id));
      // Another request has merged one of them.
      if (!kept || !gone || kept.kind !== gone.kind) throw new ApiError('conversation_not_mergeable');
      const state: OrganizationState = {
        organization_id,
        now: clock.now().toISOString(),
        threads: new Map(),
        aliases: new Map(),
        conversations: new Map([kept, gone].map((row) => [row.id, row])),
        contacts: new Map(),
        changes: noChanges(),
      };
      merge(state, kept, gone);
      await saveState({ ...deps, store: projections }, tx, state);
    });
    deps.wake();
  };

const items_per_step = 5000;
const kind = 'move_conversation_items';

export const startMove =
  (enqueue: Jobs['enqueue']): MoveItems =>
  (tx, organization_id, { into, from }) =>
    enqueue(tx, { kind, payload: { organization_id, into, from } });

export const moveItemsJob = ({
  store,
  changes,
  projections,
  db,
}: Pick<Deps, 'store' | 'changes' | 'projections' | 'db'>): JobHandler => ({
  kind,
  async run({ payload }, signal) {
    const { organization_id, from } = payload as Record<'organization_id' | 'from', string>;
    while (!signal.aborted) {
      // The target may have been merged again in the meantime.
      const into = await store.resolve(organization_id, from);
      if (!into || into === from) return;
      const item_count = await changes.moveItems(organization_id, { into, from, limit: items_per_step });
      if (item_count < items_per_step) {
        await db.transaction((tx) => projections.findWaiting(tx, organization_id, [into]));
        return;
      }
    }
    throw new Error('stopped while moving items');
  },
});

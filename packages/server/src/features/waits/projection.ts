// Marks waits when the projector has found the conversation of a message or call, and when a call is over.
import type { Clock } from '../../platform/clock.ts';
import type { ProjectedRecord, Projection } from '../projector/index.ts';
import type { FollowStore } from './follow-store.ts';
import { keyOfConversation, keyOfRecord } from './keys.ts';

type Deps = {
  clock: Clock;
  follow: Pick<FollowStore, 'followedAmong' | 'conversationIds' | 'markDue'>;
  /** After the commit. */
  marked(organization_id: string): void;
};

/** Runs after the projection of conversations, in the same transaction. */
export const waitProjection = ({ clock, follow, marked }: Deps): Projection => ({
  name: 'waits',
  nouns: ['email', 'sms', 'call'],
  async project(tx, { records }) {
    const reasons = records.filter(isReason);
    if (reasons.length === 0) return;
    const by_organization = Map.groupBy(reasons, ({ organization_id }) => organization_id);
    const followed = await follow.followedAmong(tx, [...by_organization.keys()]);
    // In order, so that two transactions cannot deadlock.
    for (const organization_id of [...followed].sort()) {
      const ids = by_organization.get(organization_id)!.map(({ id }) => id);
      const conversation_ids = await follow.conversationIds(tx, organization_id, ids);
      const keys = [...ids.map(keyOfRecord), ...conversation_ids.map(keyOfConversation)];
      await follow.markDue(tx, organization_id, keys, clock.now());
      tx.afterCommit(() => marked(organization_id));
    }
  },
});

/** Something was received, or a call is over: a canceled call has no event. */
const isReason = (record: ProjectedRecord) =>
  record.noun !== 'contact' &&
  record.noun !== 'conversation' &&
  (record.direction === 'inbound' || (record.noun === 'call' && record.ended_at !== null));

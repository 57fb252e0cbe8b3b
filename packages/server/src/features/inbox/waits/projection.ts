// Marks waits as due when the conversation of a message or call is known, and when a call is over.
import type { Clock } from '../../../platform/clock.ts';
import type { ProjectedRecord, Projection } from '../projector/index.ts';
import type { FollowStore } from './following/follow-store.ts';
import { keyOfConversation, keyOfRecord } from './keys.ts';

type Deps = {
  clock: Clock;
  follow: Pick<FollowStore, 'followedAmong' | 'conversationIds' | 'markDue'>;
  /** Called after the commit, for each organization with a wait that became due. */
  marked(organization_id: string): void;
};

/** Runs after the projection of conversations, in the same transaction. */
export const waitProjection = ({ clock, follow, marked }: Deps): Projection => ({
  name: 'waits',
  nouns: ['email', 'sms', 'call'],
  async project(tx, { records }) {
    const items = records.filter(isItem);
    if (items.length === 0) return;
    const by_organization = Map.groupBy(items, ({ organization_id }) => organization_id);
    const followed = await follow.followedAmong(tx, [...by_organization.keys()]);
    // In order, so that two transactions cannot deadlock.
    for (const organization_id of [...followed].sort()) {
      const items_of_organization = by_organization.get(organization_id)!;
      const received = items_of_organization
        .filter(({ direction }) => direction === 'inbound')
        .map(({ id }) => id);
      const conversation_ids =
        received.length > 0 ? await follow.conversationIds(tx, organization_id, received) : [];
      const keys = [...items_of_organization.flatMap(keysOfItem), ...conversation_ids.map(keyOfConversation)];
      if ((await follow.markDue(tx, organization_id, keys, clock.now())) === 0) continue;
      tx.afterCommit(() => marked(organization_id));
    }
  },
});

type ItemRecord = Extract<ProjectedRecord, { noun: 'email' | 'sms' | 'call' }>;

const isItem = (record: ProjectedRecord): record is ItemRecord =>
  record.noun === 'email' || record.noun === 'sms' || record.noun === 'call';

/** Waits follow the conversation of the thread. They also follow a call by its id, because canceling a call emits no event. */
const keysOfItem = ({ id, noun, thread_id }: ItemRecord): string[] =>
  noun === 'call' ? [keyOfConversation(thread_id), keyOfRecord(id)] : [keyOfConversation(thread_id)];

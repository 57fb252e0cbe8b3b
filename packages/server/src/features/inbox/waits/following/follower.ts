// Reads the events of organizations with pending waits, and looks at the waits that something happened to.
import { setTimeout as delay } from 'node:timers/promises';
import { backgroundLoop } from '../../../../platform/background-loop.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { keyOfRecord, keysOfMessage } from '../keys.ts';
import { type ResolverDeps, settleDue } from '../resolver.ts';
import type { FollowedEvent, FollowStore } from './follow-store.ts';

export type FollowerDeps = ResolverDeps & { db: Database; wall_clock: Clock; follow: FollowStore };

const poll_ms = 1000;
/** After a commit of this process. Events of the same moment are then read together. */
const wake_ms = 30;
const events_per_page = 500;
const stale_ms = 600_000;
/** Events cannot be read while an older transaction is running anywhere in the database server. */
const unread_ms = 10;
const drain_ms = 10_000;
const received_types = new Set(['email.received', 'sms.received']);

/** The organizations with pending waits, as of the last poll. */
type Followed = { organization_ids: Set<string> };

export function waitFollower(deps: FollowerDeps) {
  const followed: Followed = { organization_ids: new Set() };
  const loop = backgroundLoop({
    work: (isStopped) => work(deps, followed, isStopped),
    poll_ms,
    failed: (error) => deps.log.warn({ err: error }, 'waits not evaluated, retrying'),
  });

  return {
    start: loop.start,

    /** Whether this process knows that the organization has pending waits. */
    isFollowed: (organization_id: string) => followed.organization_ids.has(organization_id),
    isIdle: () => followed.organization_ids.size === 0,

    created(organization_id: string): void {
      followed.organization_ids.add(organization_id);
      loop.wakeIn(poll_ms);
    },

    wake: () => loop.wakeIn(wake_ms),

    nextDue: deps.store.nextExpiry,

    /** Looks at every wait that something happened to: for the sandbox clock and for tests. */
    async drain(): Promise<void> {
      const deadline_ms = performance.now() + drain_ms;
      do await loop.runOnce();
      while ((await isBehind(deps)) && performance.now() < deadline_ms && (await delay(unread_ms, true)));
    },

    stop: loop.stop,
  };
}
export type WaitFollower = ReturnType<typeof waitFollower>;

const readWork = ({ clock, wall_clock, follow }: FollowerDeps) =>
  follow.work(clock.now(), new Date(wall_clock.ms() - stale_ms));

const isBehind = async (deps: FollowerDeps) => (await readWork(deps)).behind_ids.length > 0;

async function work(deps: FollowerDeps, followed: Followed, isStopped: () => boolean): Promise<void> {
  const { organization_ids, behind_ids, has_due } = await readWork(deps);
  followed.organization_ids = new Set(organization_ids);
  for (const organization_id of behind_ids) {
    while (!isStopped() && (await followOnce(deps, organization_id))) await delay(0);
  }
  if (has_due || behind_ids.length > 0) await settleDue(deps, isStopped);
}

/** Reads a page of events. True when there are more. */
const followOnce = (deps: FollowerDeps, organization_id: string): Promise<boolean> =>
  deps.db.transaction(async (tx) => {
    const { follow } = deps;
    const follower = await follow.lock(tx, organization_id);
    if (!follower) return false;
    const { until, events } = await follow.after(tx, organization_id, follower, events_per_page);
    const received = events.filter(({ type }) => received_types.has(type)).map((event) => event.resource_id);
    const messages = await follow.messages(tx, organization_id, received);
    const keys = new Set([...events.map(recordKey), ...messages.flatMap(keysOfMessage)]);
    await follow.markDue(tx, organization_id, [...keys], deps.clock.now());
    const has_more = events.length === events_per_page;
    const last = events.at(-1);
    const now = deps.wall_clock.now();
    // All events before `until` were read: the next page starts there.
    await follow.advance(
      tx,
      organization_id,
      has_more && last
        ? { position: last.position, event_id: last.id, now }
        : { position: until, event_id: null, now },
    );
    if (!has_more) await follow.stopIfIdle(tx, organization_id);
    return has_more;
  });

const recordKey = ({ resource_id }: FollowedEvent) => keyOfRecord(resource_id);

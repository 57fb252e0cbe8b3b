// Reads the events of organizations with pending waits, and looks at the waits that something happened to.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { untilCut } from '../../platform/drain.ts';
import type { FollowedEvent, FollowStore } from './follow-store.ts';
import { keyOfRecord, keysOfMessage } from './keys.ts';
import { type ResolverDeps, settleDue } from './resolver.ts';

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

type Loop = {
  state: 'idle' | 'started' | 'stopped';
  run: Promise<void> | null;
  timer: NodeJS.Timeout | undefined;
  due_ms: number;
  /** The organizations with pending waits, as of the last poll. */
  followed: Set<string>;
};

export function waitFollower(deps: FollowerDeps) {
  const loop: Loop = { state: 'idle', run: null, timer: undefined, due_ms: 0, followed: new Set() };

  const run = (): Promise<void> => {
    loop.run ??= work(deps, loop).finally(() => {
      loop.run = null;
    });
    return loop.run;
  };

  const schedule = (delay_ms: number): void => {
    if (loop.state !== 'started') return;
    const due_ms = performance.now() + delay_ms;
    if (loop.timer && loop.due_ms <= due_ms) return;
    clearTimeout(loop.timer);
    loop.due_ms = due_ms;
    loop.timer = setTimeout(() => {
      loop.timer = undefined;
      run()
        .catch((error) => deps.log.warn({ err: error }, 'waits not evaluated, retrying'))
        .finally(() => schedule(poll_ms));
    }, delay_ms).unref();
  };

  return {
    start(): void {
      loop.state = 'started';
      schedule(0);
    },

    /** Whether this process knows that the organization has pending waits. */
    isFollowed: (organization_id: string) => loop.followed.has(organization_id),
    isIdle: () => loop.followed.size === 0,

    created(organization_id: string): void {
      if (loop.state !== 'started') return;
      loop.followed.add(organization_id);
      schedule(wake_ms);
    },

    wake: () => schedule(wake_ms),

    nextDue: deps.store.nextExpiry,

    /** Looks at every wait that something happened to: for the sandbox clock and for tests. */
    async drain(): Promise<void> {
      if (loop.run) await loop.run.catch(() => {});
      const deadline_ms = performance.now() + drain_ms;
      do await run();
      while ((await isBehind(deps)) && performance.now() < deadline_ms && (await delay(unread_ms, true)));
    },

    async stop(cut?: AbortSignal): Promise<void> {
      loop.state = 'stopped';
      clearTimeout(loop.timer);
      if (loop.run)
        await untilCut(
          loop.run.catch(() => {}),
          cut,
        );
    },
  };
}
export type WaitFollower = ReturnType<typeof waitFollower>;

const readWork = ({ clock, wall_clock, follow }: FollowerDeps) =>
  follow.work(clock.now(), new Date(wall_clock.ms() - stale_ms));

const isBehind = async (deps: FollowerDeps) => (await readWork(deps)).behind_ids.length > 0;

async function work(deps: FollowerDeps, loop: Loop): Promise<void> {
  const isStopped = () => loop.state === 'stopped';
  const { organization_ids, behind_ids, has_due } = await readWork(deps);
  loop.followed = new Set(organization_ids);
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

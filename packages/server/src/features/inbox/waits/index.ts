// Waits: stored requests to be told when one of several things happens. Every process with the worker role resolves them.
import { limits } from '@parley/contract/limits';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { StoredEvent } from '../../../platform/event.ts';
import type { Idempotency } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import { factsStore } from './following/facts-store.ts';
import { followStore } from './following/follow-store.ts';
import { waitFollower } from './following/follower.ts';
import type { LookDeps } from './look.ts';
import { waitProjection } from './projection.ts';
import type { WaitRecords } from './records.ts';
import { waitRoutes } from './routes.ts';
import { waitService } from './service.ts';
import { waitStore } from './store.ts';

type WaitDeps = {
  db: Database;
  clock: Clock;
  wall_clock: Clock;
  /** Decides when waits that are over are old enough to delete. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  move: Mover;
  unitOfWork: UnitOfWork;
  idempotency: Pick<Idempotency, 'remember'>;
  draining: AbortSignal;
  records: WaitRecords;
} & Pick<LookDeps, 'received' | 'resolveConversation' | 'tokenThreads'>;

export function waitFeature(feature_deps: WaitDeps) {
  const { db, move } = feature_deps;
  const deps = {
    ...feature_deps,
    store: waitStore(db, move),
    facts: factsStore(db),
    follow: followStore(db),
  };
  const follower = waitFollower(deps);
  const service = waitService({ ...deps, follower });
  return {
    routes: [waitRoutes(service)],
    jobs: [forgetJob(deps)],
    start: follower.start,
    stop: follower.stop,
    /** Resolves waits in the background. */
    waiters: [follower],
    drainDue: follower.drain,
    projection: waitProjection({
      ...deps,
      marked(organization_id) {
        follower.wake();
        service.notify(organization_id);
      },
    }),
    /** Called after every commit with events. Returns at once for organizations without pending waits. */
    eventsStored(events: readonly StoredEvent[]): void {
      service.handleEvents(events);
      if (follower.isIdle()) return;
      if (events.some(({ organization_id }) => follower.isFollowed(organization_id))) follower.wake();
    },
  };
}

const forgetJob = ({
  expiry_clock,
  store,
}: Pick<WaitDeps, 'expiry_clock'> & { store: ReturnType<typeof waitStore> }): JobHandler => ({
  kind: 'forget_waits',
  every_seconds: 3600,
  async run(_, signal) {
    const before = new Date(expiry_clock.ms() - limits.waits_kept_days * 86_400_000);
    while (!(await store.deleteEndedBefore(before))) signal.throwIfAborted();
  },
});

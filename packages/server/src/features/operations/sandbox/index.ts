// The sandbox: operations with which a developer moves the clock and creates events.
import { sandbox } from '@parley/contract/operations/sandbox/sandbox';
import type { MovableClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { envelopeOf } from '../../../platform/event.ts';
import type { Waiter } from '../../../platform/feature.ts';
import { type Context, routesOf } from '../../../platform/http/context.ts';
import { requireSuperadmin } from '../../../platform/http/superadmin.ts';
import type { Log } from '../../../platform/log.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import { sandboxClock } from './clock.ts';
import { exampleEvent } from './example-event.ts';

export function sandboxFeature(deps: {
  db: Database;
  clock: MovableClock;
  log: Log;
  unitOfWork: UnitOfWork;
  waiters: readonly Waiter[];
  /** Tenants share the process: only a superadmin may move the clock of all tenants or create example events. */
  is_shared: boolean;
}) {
  const clock = sandboxClock(deps);
  const requireAllowed = ({ caller }: Context) => {
    if (deps.is_shared) requireSuperadmin(caller);
  };

  return {
    prepare: clock.start,
    close: async () => clock.stop(),
    routes: [
      routesOf(sandbox, {
        get_clock: () => clock.read(),
        async advance_clock({ body }, context) {
          requireAllowed(context);
          await clock.advance(body.advance_seconds);
          return clock.read();
        },
        async create_events({ body }, context) {
          requireAllowed(context);
          const event = exampleEvent(context.organization_id, body);
          const result = await deps.unitOfWork.commit({
            events: Array.from({ length: body.count }, () => event),
          });
          const stored = result.outcome === 'stored' ? result.events : [];
          return { items: stored.map((each) => envelopeOf(event, each)) };
        },
      }),
    ],
  };
}

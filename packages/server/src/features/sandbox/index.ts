// The sandbox: what a developer may do to time and to events while trying the service out.
import { sandbox } from '@parley/contract/sandbox';
import { batched } from '../../platform/batch.ts';
import type { MovableClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { type Context, routesOf } from '../../platform/http/context.ts';
import { JsonText } from '../../platform/http/json-text.ts';
import { requireSuperadmin } from '../../platform/http/superadmin.ts';
import type { Log } from '../../platform/log.ts';
import type { NewEvent, Outbox, StoredEvent } from '../../platform/outbox.ts';
import { sandboxClock, type Waiter } from './clock.ts';
import { exampleEvent } from './example-event.ts';

export function sandboxFeature(deps: {
  db: Database;
  clock: MovableClock;
  log: Log;
  outbox: Outbox;
  waiters: readonly Waiter[];
  /** Tenants share the process: only a superadmin may touch the time of all, or write events nobody caused. */
  is_shared: boolean;
}) {
  const clock = sandboxClock(deps);
  // Requests that come together share a commit, as they do wherever events are made at a rate.
  const write = batched<NewEvent[], StoredEvent[]>(
    async (groups) => {
      const stored = await deps.outbox.writeAlone(deps.db, groups.flat());
      return groups.map((group) => stored.splice(0, group.length));
    },
    { max_rows: 50 },
  );

  const requireAllowed = ({ caller }: Context) => {
    if (deps.is_shared) requireSuperadmin(caller);
  };

  return {
    prepare: clock.start,
    close: async () => clock.stop(),
    routes: [
      routesOf(sandbox, {
        getClock: () => clock.read(),
        async advanceClock({ body }, context) {
          requireAllowed(context);
          await clock.advance(body.advance_seconds);
          return clock.read();
        },
        async createEvents({ body }, context) {
          requireAllowed(context);
          const event = exampleEvent(context.organization_id, body);
          const stored = await write(Array.from({ length: body.count }, () => event));
          return new JsonText(`{"items":[${stored.map(({ payload }) => payload).join(',')}]}`);
        },
      }),
    ],
  };
}

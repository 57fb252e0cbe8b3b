// Builds the event log, webhooks and the outbox that feeds both, and the dependencies that features with events share.
import { eventFeature } from '../features/operations/events/index.ts';
import { webhookFeature } from '../features/operations/webhooks/index.ts';
import type { FindIds } from '../platform/db/list-filter.ts';
import { mover } from '../platform/lifecycle.ts';
import { outbox } from '../platform/outbox.ts';
import { makeUnitOfWork } from '../platform/unit-of-work/unit-of-work.ts';
import type { Core } from './core.ts';
import type { Parts } from './parts.ts';

export function buildEvents(core: Core, parts: Parts) {
  const { config, options } = core;
  const events = eventFeature({
    ...core,
    heartbeat_ms: config.PARLEY_STREAM_HEARTBEAT_SECONDS * 1000,
    kept_days: config.PARLEY_EVENTS_KEPT_DAYS,
    deleteDeliveriesBefore: (before) => webhooks.deleteDeliveriesBefore(before),
  });
  const webhooks = webhookFeature({
    ...core,
    countAttempt: core.metrics.countAttempt,
    private_targets: config.WEBHOOK_PRIVATE_TARGETS,
    timeout_ms: config.WEBHOOK_TIMEOUT_SECONDS * 1000,
    hasEmailDomain: (organization_id, id) => parts.mail.domains.has(organization_id, id),
    ...(options.webhook_network ? { network: options.webhook_network } : {}),
    ...options.webhook_limits,
  });
  const event_outbox = outbox({
    clock: core.clock,
    ids: core.ids,
    tracing: core.tracing,
    fan_out: {
      parts: webhooks.fan_out.parts,
      committed(rows, stored) {
        const is_leaving = webhooks.fan_out.committed(rows, stored);
        parts.projector.wake();
        parts.waits.handleEvents(stored);
        events.wake(stored.map((event) => event.organization_id));
        return is_leaving;
      },
    },
  });
  const base = {
    ...core,
    outbox: event_outbox,
    move: mover({ outbox: event_outbox }),
    unitOfWork: makeUnitOfWork({ ...core, outbox: event_outbox }),
    findIds: ((request) => parts.search.service.findIds(request)) satisfies FindIds as FindIds,
  };
  return { events, webhooks, base };
}
/** What features that change state and publish events get. */
export type Base = ReturnType<typeof buildEvents>['base'];

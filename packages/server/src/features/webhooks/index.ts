// Webhooks: signed deliveries of events to the addresses that asked for them. Nothing imports this but app.ts: events
// reach it through the outbox.
import type { Clock, MovableClock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { SealedColumn } from '../../platform/db/rewrap.ts';
import type { PrivateTargets } from '../../platform/egress/address-policy.ts';
import { guardedAgent } from '../../platform/egress/guarded-agent.ts';
import type { Connect, Resolve } from '../../platform/egress/guarded-connector.ts';
import { targetPolicy } from '../../platform/egress/target-policy.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Job, JobHandler } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { AttemptResult } from '../../platform/metrics.ts';
import type { FanOut } from '../../platform/outbox.ts';
import { attempter } from './attempt.ts';
import { deliveryQueueStore } from './delivery-queue-store.ts';
import { handOffStore } from './lease-store.ts';
import { recipientCache } from './recipients.ts';
import { webhookRoutes } from './routes.ts';
import { webhookSender } from './sender.ts';
import { webhookService } from './service.ts';

export type WebhookDeps = {
  db: Database;
  clock: MovableClock;
  /** A rotated signing secret ends by it. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  countAttempt(result: AttemptResult): void;
  sealer: Sealer;
  private_targets: PrivateTargets | 'auto';
  /** Others than the operator have credentials. */
  is_managed: boolean;
  timeout_ms: number;
  hasEmailDomain(organization_id: string, email_domain_id: string): Promise<boolean>;
  enqueue(
    on: Queryable,
    job: { kind: string; payload: Record<string, unknown>; unique_key: string },
  ): Promise<void>;
  /** The network's edge, for tests. */
  network?: { resolve?: Resolve; connect?: Connect };
  stop_grace_ms?: number;
};

export const webhook_sealed_columns: readonly SealedColumn[] = [
  { table: 'webhook_subscriptions', column: 'secret_sealed' },
  { table: 'webhook_subscriptions', column: 'previous_secret_sealed' },
];

const removal = 'remove_webhook_deliveries';

export function webhookFeature(deps: WebhookDeps) {
  const { db, clock, ids, log, sealer, timeout_ms } = deps;
  const policy = targetPolicy(deps.private_targets, { is_managed: deps.is_managed });
  const agent = guardedAgent({
    policy,
    // The lanes decide how many are under way; the agent must not hold one up behind another of the same host.
    connections_per_origin: 1024,
    connect_timeout_ms: timeout_ms,
    // Every request has its own deadline; more clocks for each would only cost.
    headers_timeout_ms: 0,
    body_timeout_ms: 0,
    ...deps.network,
  });
  const store = deliveryQueueStore(db);
  const hand_offs = handOffStore(db);
  const recipients = recipientCache({
    sealer,
    clock: deps.expiry_clock,
    load: (given) => store.recipients(given),
  });
  let is_cut = false;
  const sender = webhookSender({
    store,
    hand_offs,
    recipients,
    attempt: attempter({ agent, clock, log, timeout_ms, isStopping: () => is_cut }),
    clock,
    log,
    countAttempt: deps.countAttempt,
    timeout_ms,
    async cutOff() {
      if (is_cut) return;
      is_cut = true;
      await agent.destroy();
    },
    ...(deps.stop_grace_ms === undefined ? {} : { stop_grace_ms: deps.stop_grace_ms }),
  });
  const service = webhookService({
    db,
    clock,
    expiry_clock: deps.expiry_clock,
    ids,
    sealer,
    policy,
    showHandedOff: hand_offs.show,
    hasEmailDomain: deps.hasEmailDomain,
    changed(subscription_id) {
      recipients.forget(subscription_id);
      sender.wake();
    },
    scheduleRemoval: (on, subscription_id) =>
      deps.enqueue(on, {
        kind: removal,
        payload: { subscription_id },
        unique_key: `${removal}:${subscription_id}`,
      }),
  });

  const fan_out: FanOut = {
    parts: () => hand_offs.fanOut(sender.lease()),
    committed: (rows, events) => sender.accept(rows, events),
  };
  const jobs: JobHandler[] = [
    {
      kind: removal,
      async run(job: Job, signal) {
        while (!(await store.removeDeliveries(String(job.payload.subscription_id)))) signal.throwIfAborted();
      },
    },
    {
      kind: 'forget_webhook_secrets',
      every_seconds: 3600,
      run: async () => void (await store.forgetOldSecrets(deps.expiry_clock.now())),
    },
  ];

  return {
    routes: [webhookRoutes(service)],
    jobs,
    start: sender.start,
    stop: sender.stop,
    fan_out,
    sender,
    /** Deliveries of events of before a moment; false when there may be more. */
    forgetBefore: (moment: Date) => store.forgetBefore(moment),
  };
}

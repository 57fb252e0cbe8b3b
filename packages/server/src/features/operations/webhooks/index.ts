// Webhooks: sends signed deliveries of events to the subscribed URLs. Other features do not import this one: events reach
// it through the outbox.
import type { Clock, MovableClock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import type { SealedColumn } from '../../../platform/db/rewrap.ts';
import type { AddressPolicy, PrivateTargets } from '../../../platform/egress/address-policy.ts';
import { guardedAgent } from '../../../platform/egress/guarded-agent.ts';
import type { Connect } from '../../../platform/egress/guarded-connector.ts';
import type { Resolve } from '../../../platform/egress/resolve-target.ts';
import { targetPolicy } from '../../../platform/egress/target-policy.ts';
import type { Job, JobHandler } from '../../../platform/jobs.ts';
import type { AttemptResult } from '../../../platform/metrics.ts';
import type { FanOut } from '../../../platform/outbox.ts';
import type { SetAsideDeps } from '../../../platform/set-aside.ts';
import type { Solo } from '../../../platform/solo.ts';
import type { Tracing } from '../../../platform/tracing/trace.ts';
import { deleteOldCertifications } from './certification-store.ts';
import { certificationJob, certify_receiver } from './certifications.ts';
import { deliveriesOf, findDeliveryHistory } from './explain-store.ts';
import { webhookRoutes } from './routes.ts';
import { attempter } from './send/attempt.ts';
import { fanOutStatement } from './send/queue/lease-store.ts';
import { findRecipients } from './send/queue/recipient-store.ts';
import { type RecipientCache, recipientCache } from './send/queue/recipients.ts';
import {
  deleteDeliveriesBefore,
  deleteDeliveriesOf,
  deleteExpiredSecrets,
} from './send/queue/retention-store.ts';
import { webhookSender } from './send/sender.ts';
import { runAgain, type SetAsideDelivery } from './send/set-aside-store.ts';
import { tracedAttempter } from './send/traced-attempt.ts';

export { webhookPersonalData } from './personal-data-store.ts';

export type WebhookDeps = SetAsideDeps & {
  db: Database;
  solo: Solo;
  clock: MovableClock;
  /** Decides when a rotated signing secret expires. */
  expiry_clock: Clock;
  countAttempt(result: AttemptResult): void;
  tracing: Tracing | null;
  sealer: Sealer;
  private_targets: PrivateTargets | 'auto';
  /** Users other than the operator have credentials. */
  is_managed: boolean;
  timeout_ms: number;
  hasEmailDomain(organization_id: string, email_domain_id: string): Promise<boolean>;
  enqueue(
    on: Queryable,
    job: { kind: string; payload: Record<string, unknown>; unique_key: string },
  ): Promise<void>;
  /** The network edge, for tests. */
  network?: { resolve?: Resolve; connect?: Connect };
  stop_grace_ms?: number;
  max_unstored?: number;
  poll_ms?: number;
};

export const webhook_sealed_columns: readonly SealedColumn[] = [
  { table: 'webhook_subscriptions', column: 'secret_sealed' },
  { table: 'webhook_subscriptions', column: 'previous_secret_sealed' },
];

type Agent = ReturnType<typeof guardedAgent>;

const remove_deliveries = 'remove_webhook_deliveries';

export function webhookFeature(deps: WebhookDeps) {
  const { db, expiry_clock } = deps;
  const policy = targetPolicy(deps.private_targets, { is_managed: deps.is_managed });
  const recipients = recipientCache({
    sealer: deps.sealer,
    clock: expiry_clock,
    load: (ids) => findRecipients(db, ids),
  });
  const agent = webhookAgent(deps, policy);
  const sender = buildSender(deps, agent, recipients);

  const fan_out: FanOut = {
    parts: () => fanOutStatement(sender.lease()),
    committed: (rows, events) => sender.accept(rows, events),
  };
  const routes = webhookRoutes({
    ...deps,
    policy,
    onChange(subscription_id) {
      recipients.forget(subscription_id);
      sender.wake();
    },
    scheduleRemoval: (on, subscription_id) =>
      deps.enqueue(on, {
        kind: remove_deliveries,
        payload: { subscription_id },
        unique_key: `${remove_deliveries}:${subscription_id}`,
      }),
    scheduleCertification: (on, certification_id) =>
      deps.enqueue(on, {
        kind: certify_receiver,
        payload: { certification_id },
        unique_key: `${certify_receiver}:${certification_id}`,
      }),
  });

  return {
    routes: [routes],
    jobs: [...jobHandlers(db, expiry_clock), certificationJob({ ...deps, agent })],
    start: sender.start,
    stop: sender.stop,
    fan_out,
    waiters: [sender],
    /** For a superadmin: a delivery that was set aside. False when it was deleted. */
    async runAgain(tx: Transaction, delivery: SetAsideDelivery): Promise<boolean> {
      tx.afterCommit(() => sender.wake());
      return runAgain(tx, delivery, deps.clock.now());
    },
    /** For explain. */
    history: {
      of: (organization_id: string, events: readonly { id: string; type: string }[]) =>
        deliveriesOf(db, organization_id, events),
      find: (organization_id: string, id: string, subscription_id: string | null) =>
        findDeliveryHistory(db, organization_id, id, subscription_id),
    },
    /** Deletes the deliveries of events before a time; false when there may be more. */
    deleteDeliveriesBefore: (time: Date) => deleteDeliveriesBefore(db, time),
  };
}

function webhookAgent({ timeout_ms, network }: WebhookDeps, policy: AddressPolicy): Agent {
  return guardedAgent({
    policy,
    // The subscription queues limit the concurrency; the agent must not queue requests to one host behind each other.
    connections_per_origin: 1024,
    connect_timeout_ms: timeout_ms,
    // Every request has its own deadline, so these timers would only cost time.
    headers_timeout_ms: 0,
    body_timeout_ms: 0,
    ...network,
  });
}

function buildSender(deps: WebhookDeps, agent: Agent, recipients: RecipientCache) {
  const { clock, log, timeout_ms } = deps;
  let is_stopping = false;
  return webhookSender({
    ...deps,
    recipients,
    attempt: tracedAttempter(
      deps.tracing,
      attempter({ agent, clock, log, timeout_ms, isStopping: () => is_stopping }),
    ),
    async abortAttempts() {
      if (is_stopping) return;
      is_stopping = true;
      await agent.destroy();
    },
  });
}

const jobHandlers = (db: Database, expiry_clock: Clock): JobHandler[] => [
  {
    kind: remove_deliveries,
    async run(job: Job, signal) {
      while (!(await deleteDeliveriesOf(db, String(job.payload.subscription_id)))) signal.throwIfAborted();
    },
  },
  {
    kind: 'forget_webhook_secrets',
    every_seconds: 3600,
    async run() {
      await deleteExpiredSecrets(db, expiry_clock.now());
      await deleteOldCertifications(db, expiry_clock.now());
    },
  },
];

// The SQL that stores the results of claimed deliveries, and disables subscriptions that keep failing. Works for all
// organizations.
import { limits } from '@parley/contract/limits';
import {
  type WebhookAttempt,
  webhookDeliveryLifecycle,
  webhookSubscriptionLifecycle,
} from '@parley/contract/operations/webhooks/webhooks';
import type { Database, Queryable, Transaction } from '../../../../../platform/db/database.ts';
import { withIndexPlans } from '../../../../../platform/db/partitions.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { moveEach, mover } from '../../../../../platform/lifecycle.ts';
import type { Claim } from '../queue/claim-store.ts';
import { afterResults, type Streak } from './failure-streak.ts';
import type { DeliveryState } from './retry-ladder.ts';

const outcome = moveEach(webhookDeliveryLifecycle, 'd', sql`r.to_status`);

export type Completion = Claim & {
  from_status: DeliveryState;
  to_status: DeliveryState;
  ladder_left: number;
  /** Times are in milliseconds. */
  first_attempt_at: number | null;
  due_at: number | null;
  was_manual: boolean;
  is_exhausted: boolean;
  attempt: WebhookAttempt;
};

type FailingSubscription = Streak & { id: string; organization_id: string };

const move = mover({ outbox: null });

export async function storeCompletions(
  db: Database,
  completions: readonly Completion[],
  now: Date,
): Promise<void> {
  if (!completions.some(({ is_exhausted }) => is_exhausted)) {
    await withIndexPlans(db, (tx) => updateDeliveries(tx, completions, now));
    return;
  }
  await withIndexPlans(db, async (tx) => {
    // Locked before the deliveries change, so that two processes count one streak one after the other.
    const subscriptions = await lockFailing(tx, completions);
    const updated = await updateDeliveries(tx, completions, now);
    const updated_ids = new Set(updated.map(({ id }) => id));
    const stored_completions = completions.filter(({ id }) => updated_ids.has(id));
    for (const subscription of subscriptions) await storeStreak(tx, subscription, stored_completions);
  });
}

// The guard of the lifecycle is in the WHERE clause; the pure rules of retry-ladder.ts chose the new status.
function updateDeliveries(on: Queryable, completions: readonly Completion[], now: Date) {
  const succeeded = completions.filter(({ attempt }) => attempt.error === null);
  const cleared = [...new Set(succeeded.map((each) => each.subscription_id))];
  return on.rows<{ id: string }>(
    sql.replanned(sql`
    with result as (
      select * from json_to_recordset(${JSON.stringify(completions)}::json) as r (
        subscription_id uuid, id uuid, claim_no int, from_status text, to_status text, ladder_left int, first_attempt_at float8,
        due_at float8, was_manual boolean, attempt jsonb)
    ), cleared as (
      update webhook_subscriptions s set dead_streak = 0
       from (select id from webhook_subscriptions where id = any(${cleared}::uuid[]) and dead_streak > 0
              order by id for no key update) alive
       where s.id = alive.id
    )
    update webhook_deliveries d
       set ${outcome.set}, ladder_left = r.ladder_left, first_attempt_at = to_timestamp(r.first_attempt_at / 1000),
           delivered_at = case when r.to_status = 'delivered' then coalesce(d.delivered_at, ${now}) end,
           -- A client may have requested a redelivery during this attempt.
           claimable_at = case when d.is_manual and not r.was_manual then ${now}
                               else coalesce(to_timestamp(r.due_at / 1000), d.claimable_at) end,
           is_manual = d.is_manual and not r.was_manual, is_leased = false, starts = 0,
           attempts = (case when jsonb_array_length(d.attempts::jsonb) >= ${limits.webhook_attempts_kept}
                            then d.attempts::jsonb - 0 else d.attempts::jsonb end || r.attempt)::text
      from result r
     where d.subscription_id = r.subscription_id and d.id = r.id and d.claim_no = r.claim_no and d.status = r.from_status
       and ${outcome.guard}
    returning d.id`),
  );
}

function lockFailing(tx: Transaction, completions: readonly Completion[]): Promise<FailingSubscription[]> {
  const exhausted = completions.filter(({ is_exhausted }) => is_exhausted);
  const ids = [...new Set(exhausted.map((each) => each.subscription_id))];
  return tx.rows<FailingSubscription>(sql`
    select id, organization_id, dead_streak, email_domain_id is null as is_organization_wide
      from webhook_subscriptions where id = any(${ids}::uuid[]) order by id for update`);
}

async function storeStreak(
  tx: Transaction,
  subscription: FailingSubscription,
  completions: readonly Completion[],
): Promise<void> {
  const { id, organization_id } = subscription;
  const results = completions
    .filter(({ subscription_id }) => subscription_id === id)
    .filter(({ is_exhausted, attempt }) => is_exhausted || attempt.error === null)
    .map(({ is_exhausted }) => (is_exhausted ? ('dead' as const) : ('delivered' as const)));
  const { dead_streak, disable } = afterResults(subscription, results);
  await tx.run(sql`
    update webhook_subscriptions set dead_streak = ${dead_streak}
     where organization_id = ${organization_id} and id = ${id}`);
  if (!disable) return;
  await move(tx, {
    lifecycle: webhookSubscriptionLifecycle,
    table: 'webhook_subscriptions',
    organization_id,
    id,
    trigger: 'kept_failing',
    set: { disabled_reason: 'kept_failing' },
    returning: sql`id`,
  });
}

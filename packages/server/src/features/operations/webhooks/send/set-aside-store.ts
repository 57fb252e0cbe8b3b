// The SQL of deliveries that are set aside. Their `starts` stay, so that only a superadmin brings them back.
import { webhookDeliveryLifecycle } from '@parley/contract/operations/webhooks/webhooks';
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { mover } from '../../../../platform/lifecycle.ts';
import { type ClaimedDelivery, was_set_aside } from './queue/claim-store.ts';

type EndedDelivery = { created_at: Date; failed_runs: number };
export type SetAsideDelivery = { organization_id: string; subscription_id: string; id: string };

const move = mover({ outbox: null });

/** Takes a claimed delivery out of the queue. A delivered one, which was sent once more, stays delivered. */
export async function endDelivery(
  tx: Transaction,
  { organization_id, subscription_id, id, claim_no }: ClaimedDelivery,
): Promise<EndedDelivery | null> {
  await move(tx, {
    lifecycle: webhookDeliveryLifecycle,
    table: 'webhook_deliveries',
    organization_id,
    id,
    key: { subscription_id, claim_no },
    trigger: 'set_aside',
    returning: sql`id`,
  });
  return tx.maybe<EndedDelivery>(sql`
    update webhook_deliveries set is_manual = false, is_leased = false
     where organization_id = ${organization_id} and subscription_id = ${subscription_id} and id = ${id}
       and claim_no = ${claim_no}
    returning created_at, json_array_length(attempts::json) as failed_runs`);
}

/** As a redelivery, with the starts counted from zero. False when the delivery was deleted. */
export async function runAgain(
  tx: Transaction,
  { organization_id, subscription_id, id }: SetAsideDelivery,
  now: Date,
): Promise<boolean> {
  await move(tx, {
    lifecycle: webhookDeliveryLifecycle,
    table: 'webhook_deliveries',
    organization_id,
    id,
    key: { subscription_id },
    trigger: 'redelivered',
    returning: sql`id`,
  });
  const updated = await tx.run(sql`
    update webhook_deliveries set is_manual = true, claimable_at = ${now}, starts = 0
     where organization_id = ${organization_id} and subscription_id = ${subscription_id} and id = ${id}
       and ${was_set_aside}`);
  return updated > 0;
}

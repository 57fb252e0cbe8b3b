// The SQL that deletes old deliveries, deliveries of deleted subscriptions, and rotated secrets. Works for all
// organizations.
import type { Database } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';
import { firstIdAt } from '../../../../../platform/ids.ts';

/** A statement that deletes more rows would block other writers for too long. */
const delete_batch = 5000;

/** Deletes the deliveries of a deleted subscription; false when there may be more. */
export async function deleteDeliveriesOf(db: Database, subscription_id: string): Promise<boolean> {
  const deleted = await db.run(sql`
    delete from webhook_deliveries where subscription_id = ${subscription_id} and id in (
      select id from webhook_deliveries where subscription_id = ${subscription_id} limit ${delete_batch})`);
  return deleted < delete_batch;
}

/**
 * Deletes the deliveries of events before a time; false when there may be more. Delivery ids start with the time of
 * their event, so the oldest of each subscription come first in its index.
 */
export async function deleteDeliveriesBefore(db: Database, time: Date): Promise<boolean> {
  const deleted = await db.run(sql`
    delete from webhook_deliveries d using (
      select old.subscription_id, old.id from webhook_subscriptions s, lateral (
        select subscription_id, id from webhook_deliveries
         where subscription_id = s.id and id < ${firstIdAt(time)} order by id limit ${delete_batch}) old
       limit ${delete_batch}) old
     where d.subscription_id = old.subscription_id and d.id = old.id`);
  return deleted < delete_batch;
}

export const deleteExpiredSecrets = (db: Database, now: Date) =>
  db.run(sql`
    update webhook_subscriptions set previous_secret_sealed = null, previous_secret_expires_at = null
     where previous_secret_expires_at <= ${now}`);

// The id of a delivery is derived from its event and its subscription, so that an event can have only one delivery per
// subscription, whichever process inserts it.
import { hash } from 'node:crypto';

/** Starts with the event's id, so that deliveries sort by time. `deliveryIdSql` in lease-store.ts computes the same. */
export function deliveryId(event_id: string, subscription_id: string): string {
  const digest = hash('md5', event_id + subscription_id, 'hex');
  return `${event_id.slice(0, 19)}8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

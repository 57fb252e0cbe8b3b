// Gives up a delivery whose attempts did not survive several processes: superadmins see it and can run it again.
import { setAside } from '../../../../platform/set-aside.ts';
import type { ClaimedDelivery } from './queue/claim-store.ts';
import type { SenderDeps } from './sender-state.ts';
import { endDelivery } from './set-aside-store.ts';

export const setDeliveryAside = (deps: SenderDeps, claimed: ClaimedDelivery): Promise<void> =>
  deps.db.transaction(async (tx) => {
    const delivery = await endDelivery(tx, claimed);
    // Another process has a newer claim, or the subscription was deleted.
    if (!delivery) return;
    await setAside(deps).add(tx, [
      {
        queue: 'webhook_deliveries',
        kind: claimed.event_type,
        organization_id: claimed.organization_id,
        object_id: claimed.id,
        reason: 'process_ended',
        lost_runs: claimed.starts - 1,
        failed_runs: delivery.failed_runs,
        payload: { subscription_id: claimed.subscription_id },
        queued_at: delivery.created_at,
      },
    ]);
  });

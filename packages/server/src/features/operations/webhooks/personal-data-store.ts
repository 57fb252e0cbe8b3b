// The SQL that deletes deliveries of events that were erased, and old deliveries.
import { sql } from '../../../platform/db/sql.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

export const webhookPersonalData: PersonalData = {
  owner: 'operations/webhooks',
  tables: {
    webhook_deliveries: { erased: '*' },
  },
  /** Of events that were deleted. A test delivery has no event. */
  async erase(tx, { organization_id }) {
    const deliveries = await tx.run(
      sql.replanned(sql`
        delete from webhook_deliveries d using webhook_subscriptions s
         where s.organization_id = ${organization_id} and d.subscription_id = s.id and d.test_payload is null
           and not exists (select from events e where e.organization_id = ${organization_id} and e.id = d.event_id)`),
    );
    return { deliveries };
  },
  forget: {
    step: 'deliveries',
    kind: 'events',
    count: 'deliveries',
    page_rows: 5000,
    /** The id of a delivery starts with the time of its event. */
    deleteOld: ({ db }, organization_id, before, limit) =>
      db.run(
        sql.replanned(sql`
          delete from webhook_deliveries d using (
            select old.subscription_id, old.id from webhook_subscriptions s, lateral (
              select subscription_id, id from webhook_deliveries
               where subscription_id = s.id and id < ${firstIdAt(before)} order by id limit ${limit}) old
             where s.organization_id = ${organization_id} limit ${limit}) old
           where d.subscription_id = old.subscription_id and d.id = old.id`),
      ),
  },
};

// The SQL of suppressions: phones that an organization must not text.
import type { SmsSuppression } from '@parley/contract/sms';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, organization_id, recipient, channel, reason, source, iso(created_at) as created_at`;
const list = cursors('sms_suppressions');

export function suppressionStore(db: Database) {
  return {
    /** False when the phone is suppressed already; the first entry stays. */
    add: async (on: Queryable, entry: SmsSuppression): Promise<boolean> =>
      (await on.run(sql`
        insert into sms_suppressions (id, organization_id, recipient, channel, reason, source, created_at)
        values (${entry.id}, ${entry.organization_id}, ${entry.recipient}, ${entry.channel}, ${entry.reason},
                ${entry.source}, ${entry.created_at})
        on conflict (organization_id, channel, recipient) do nothing`)) > 0,

    find: (organization_id: string, recipient: string, on: Queryable = db) =>
      on.maybe<SmsSuppression>(sql`
        select ${columns} from sms_suppressions
         where organization_id = ${organization_id} and channel = 'sms' and recipient = ${recipient}`),

    /** False when the phone was not suppressed. */
    lift: async (on: Queryable, organization_id: string, recipient: string): Promise<boolean> =>
      (await on.run(sql`
        delete from sms_suppressions
         where organization_id = ${organization_id} and channel = 'sms' and recipient = ${recipient}`)) > 0,

    delete: async (organization_id: string, id: string): Promise<boolean> =>
      (await db.run(
        sql`delete from sms_suppressions where organization_id = ${organization_id} and id = ${id}`,
      )) > 0,

    list: (organization_id: string, page: PageRequest) =>
      readPage(db, list, page, {
        columns,
        from: sql`sms_suppressions`,
        where: sql`organization_id = ${organization_id}`,
      }),
  };
}
export type SuppressionStore = ReturnType<typeof suppressionStore>;

/** The suppression that follows when a carrier refuses a text because its recipient opted out. */
export const refusalOf = (
  sms: { organization_id: string; to: string },
  id: string,
  now: Date,
): SmsSuppression => ({
  id,
  organization_id: sms.organization_id,
  recipient: sms.to,
  channel: 'sms',
  reason: 'carrier_refusal',
  source: 'carrier',
  created_at: now.toISOString(),
});

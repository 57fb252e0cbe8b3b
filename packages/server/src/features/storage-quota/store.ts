// The SQL that sums the stored bytes of an organization.
import type { Database } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

export function storageQuotaStore(db: Database) {
  return {
    /** Attachments, received messages and recordings. */
    async used(organization_id: string): Promise<number> {
      const row = await db.maybe<{ bytes: number }>(sql`
        select ((select coalesce(sum(size_bytes), 0) from email_attachments where organization_id = ${organization_id})
              + (select coalesce(sum(raw_bytes), 0) from emails where organization_id = ${organization_id})
              + (select coalesce(sum(recording_bytes), 0) from calls where organization_id = ${organization_id}))::bigint as bytes`);
      return row!.bytes;
    },
  };
}

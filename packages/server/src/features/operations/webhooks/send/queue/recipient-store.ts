// The SQL that reads where deliveries go and what signs them. Works for all organizations.
import type { Database } from '../../../../../platform/db/database.ts';
import { sql } from '../../../../../platform/db/sql.ts';

export type StoredRecipient = {
  id: string;
  organization_id: string;
  target_url: string;
  status: 'active' | 'disabled';
  secret_sealed: string;
  previous_secret_sealed: string | null;
  previous_secret_expires_at: Date | null;
};

export const findRecipients = (db: Database, ids: readonly string[]) =>
  db.rows<StoredRecipient>(sql`
    select id, organization_id, target_url, status, secret_sealed, previous_secret_sealed,
           previous_secret_expires_at
      from webhook_subscriptions where id = any(${ids}::uuid[])`);

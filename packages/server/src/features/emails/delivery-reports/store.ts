// The SQL that applies delivery reports to a sent email.
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type LockedEmail = {
  id: string;
  status: string;
  end_reason: string | null;
  provider: string | null;
  email_domain_id: string | null;
  from_address: string;
  to_addresses: string[];
  cc_addresses: string[];
  bcc_addresses: string[];
  subject: string;
  requested_at: string;
  has_html: boolean;
};

export const reportStore = {
  /** Locks the email, so that two reports of it cannot both be the first of their kind. */
  lock: (tx: Queryable, organization_id: string, id: string) =>
    tx.maybe<LockedEmail>(sql`
      select id, status, end_reason, provider, email_domain_id, from_address, to_addresses, cc_addresses, bcc_addresses, subject,
             iso(requested_at) as requested_at, body_html is not null as has_html
        from emails where organization_id = ${organization_id} and id = ${id} and direction = 'outbound' for update`),

  touch: (tx: Queryable, organization_id: string, id: string, occurred_at: string) =>
    tx.run(sql`
      update emails set last_event_at = greatest(last_event_at, ${occurred_at}::timestamptz)
       where organization_id = ${organization_id} and id = ${id}`),

  only_id: sql`id`,
};

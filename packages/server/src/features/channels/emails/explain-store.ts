// The SQL behind explain: what is stored about one email.
import type { EmailEventKind } from '@parley/contract/channels/emails/email-records';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type EmailHistory = {
  id: string;
  status: string;
  end_reason: string | null;
  last_outcome: string | null;
  direction: string;
  provider: string | null;
  provider_message_id: string | null;
  requested_at: string;
  sent_at: string | null;
  failed_at: string | null;
  hold: Hold | null;
  admission: string | null;
  events: { kind: EmailEventKind; occurred_at: string; detail: Record<string, unknown> }[];
};

const max_events = 200;

export const emailHistory = (db: Database, organization_id: string, id: string) =>
  db.maybe<EmailHistory>(sql`
    select id, status, end_reason, last_outcome, direction, provider, provider_message_id,
           iso(requested_at) as requested_at, iso(sent_at) as sent_at, iso(failed_at) as failed_at, hold, admission,
           coalesce((select json_agg(e) from (
             select kind, iso(occurred_at) as occurred_at, detail from email_events e
              where e.organization_id = ${organization_id} and e.email_id = emails.id
              order by e.id desc limit ${max_events}) e), '[]') as events
      from emails where organization_id = ${organization_id} and id = ${id}`);

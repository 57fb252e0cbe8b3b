// The SQL behind explain: what is stored about one text.
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { SmsAttempt } from './sending/attempt-log-store.ts';

export type SmsHistory = {
  id: string;
  status: string;
  error_code: string | null;
  direction: string;
  provider: string;
  provider_message_id: string | null;
  requested_at: string;
  released_at: string | null;
  handed_at: string | null;
  sent_at: string | null;
  delivered_at: string | null;
  failed_at: string | null;
  hold: Hold | null;
  admission: string | null;
  attempt_count: number;
  attempts: SmsAttempt[];
};

export const smsHistory = (db: Database, organization_id: string, id: string) =>
  db.maybe<SmsHistory>(sql`
    select id, status, error_code, direction, provider, provider_message_id, iso(requested_at) as requested_at,
           iso(released_at) as released_at, iso(handed_at) as handed_at, iso(sent_at) as sent_at,
           iso(delivered_at) as delivered_at, iso(failed_at) as failed_at, hold, admission, attempts as attempt_count,
           coalesce(attempt_log, '[]') as attempts
      from sms_messages where organization_id = ${organization_id} and id = ${id}`);

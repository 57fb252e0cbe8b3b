// The SQL that reads what a receipt says about an email, a text or a call.
import type { ReceiptNoun } from '@parley/contract/inbox/receipts';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

export type AttemptRecord = {
  noun: ReceiptNoun;
  id: string;
  organization_id: string;
  status: string;
  from: string | null;
  parties: string[];
  /** SHA-256 of the content, in hexadecimal: bodies may have megabytes, so PostgreSQL computes it. */
  content_sha256: string;
  provider: string | null;
  provider_id: string | null;
  error: string | null;
  admission: string | null;
  approval_id: string | null;
  /** When the provider was called; null before. */
  handed_over_at: string | null;
  scheduled_at: Date | null;
};

const hash = (content: ReturnType<typeof sql>) => sql`encode(sha256(convert_to(${content}, 'UTF8')), 'hex')`;
const approval = sql`terms::json ->> 'approval_id' as approval_id`;

const readers: Record<ReceiptNoun, (on: Queryable, ids: string[]) => Promise<AttemptRecord[]>> = {
  email: (on, ids) =>
    on.rows(sql`
      select 'email' as noun, id, organization_id, status, from_address as "from",
             to_addresses || cc_addresses || bcc_addresses as parties,
             ${hash(sql`subject || E'\n' || coalesce(body_text, '') || E'\n' || coalesce(body_html, '')`)} as content_sha256,
             provider, provider_message_id as provider_id, end_reason as error, admission, ${approval},
             iso(coalesce(sent_at, failed_at)) as handed_over_at, scheduled_at
        from emails where id = any(${ids}::uuid[]) and direction = 'outbound'`),
  sms: (on, ids) =>
    on.rows(sql`
      select 'sms' as noun, id, organization_id, status, "from", array["to"] as parties,
             ${hash(sql`body`)} as content_sha256, provider, provider_message_id as provider_id, error_code as error,
             admission, ${approval}, iso(coalesce(handed_at, sent_at, failed_at)) as handed_over_at, scheduled_at
        from sms_messages where id = any(${ids}::uuid[]) and direction = 'outbound'`),
  call: (on, ids) =>
    on.rows(sql`
      select 'call' as noun, id, organization_id, status, "from", array["to"] as parties,
             ${hash(sql`plan::text`)} as content_sha256, provider, provider_call_id as provider_id, end_reason as error,
             admission, ${approval}, iso(coalesce(started_at, ended_at)) as handed_over_at, scheduled_at
        from calls where id = any(${ids}::uuid[]) and direction = 'outbound'`),
};

export async function readAttempts(
  on: Queryable,
  refs: readonly { noun: ReceiptNoun; id: string }[],
): Promise<Map<string, AttemptRecord>> {
  const records_by_id = new Map<string, AttemptRecord>();
  for (const [noun, same] of Map.groupBy(refs, (ref) => ref.noun)) {
    const ids = same.map(({ id }) => id);
    for (const record of await readers[noun](on, ids)) records_by_id.set(record.id, record);
  }
  return records_by_id;
}

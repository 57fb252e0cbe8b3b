// The SQL of the dry run of a policy: what an organization sent since a time, the newest records of each channel.
import type { Channel } from '@parley/contract/access/admin';
import type { Database } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import type { SendingTerms } from '../../admission/index.ts';

export type SentRecord = {
  id: string;
  to: string[];
  requested_at: string;
  terms: SendingTerms | null;
  agent_id: string | null;
  has_attachment: boolean;
  segments: number;
};

const queries: Record<Channel, Sql> = {
  emails: sql`select id, to_addresses || cc_addresses || bcc_addresses as "to", requested_at, terms, null::uuid as agent_id,
      exists (select from email_attachment_uses u where u.email_id = emails.id) as has_attachment, 0 as segments from emails`,
  sms: sql`select id, array["to"] as "to", requested_at, terms, null::uuid as agent_id, false as has_attachment, segments
      from sms_messages`,
  calls: sql`select id, array["to"] as "to", requested_at, terms, agent_id, false as has_attachment, 0 as segments from calls`,
};

export const historyStore = (db: Database) => ({
  sentSince: (organization_id: string, channel: Channel, since: Date, limit: number) =>
    db.rows<SentRecord>(sql`
      select id, "to", iso(requested_at) as requested_at, terms, agent_id, has_attachment, segments
        from (${queries[channel]} where organization_id = ${organization_id} and direction = 'outbound'
               and id >= ${firstIdAt(since)} order by id desc limit ${limit}) sent order by id desc`),
});
export type HistoryStore = ReturnType<typeof historyStore>;

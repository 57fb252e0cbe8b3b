// The SQL that reads the emails, texts and calls of a conversation.
import type { ConversationChannel } from '@parley/contract/inbox/conversations';
import { limits } from '@parley/contract/limits';
import type { Database } from '../../../../platform/db/database.ts';
import { cursors, type PageRequest, pageOf } from '../../../../platform/db/page.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { SenderProof } from '../../../access/sender-proof/index.ts';

export type ItemQuery = PageRequest & {
  order?: 'asc' | 'desc' | undefined;
  channel?: ConversationChannel | undefined;
  thread_id?: string | undefined;
  /** Only these threads: all that a conversation token may see. */
  thread_ids?: readonly string[] | undefined;
};

export type ItemRow = {
  id: string;
  noun: ConversationChannel;
  thread_id: string;
  direction: 'inbound' | 'outbound';
  is_read: boolean;
};

type Facts = { id: string; at: string; status: string; hold: string | null; end_reason: string | null };
export type EmailFacts = Facts & {
  direction: 'inbound' | 'outbound';
  from_address: string;
  to_addresses: string[];
  cc_addresses: string[];
  subject: string;
  body_text: string | null;
  body_html: string | null;
  dmarc_verdict: string | null;
  sender_proof: SenderProof | null;
  attachments: { id: string; filename: string; content_type: string; size_bytes: number }[];
};
export type SmsFacts = Facts & { from: string; to: string; text: string };
export type CallFacts = Facts & {
  from: string | null;
  to: string;
  text: string;
  turns: number;
  duration_seconds: number | null;
  answered_by: string | null;
  summary: string | null;
};

/** One more than is shown: it tells that the text is longer. */
const text_chars = limits.conversation_item_chars + 1;
const max_html_chars = 200_000;

export const itemStore = (db: Database) => ({
  async page(organization_id: string, conversation_id: string, query: ItemQuery) {
    const order = query.order ?? 'desc';
    const list = cursors(`conversation items ${order}`);
    const place = query.cursor === undefined ? null : list.read(query.cursor);
    const after = order === 'asc' ? sql`i.id > ${place}` : sql`i.id < ${place}`;
    const rows = await db.rows<ItemRow>(sql`
      select i.id, i.noun, i.thread_id, i.direction,
             (i.direction = 'outbound' or i.id <= coalesce(c.read_up_to, '00000000-0000-0000-0000-000000000000')) as is_read
        from conversation_items i
        join conversations c on c.organization_id = i.organization_id and c.id = i.conversation_id
       where i.organization_id = ${organization_id} and i.conversation_id = ${conversation_id}
         ${place === null ? sql.empty : sql`and ${after}`}
         ${query.channel ? sql`and i.noun = ${query.channel}` : sql.empty}
         ${query.thread_id ? sql`and i.thread_id = ${query.thread_id}` : sql.empty}
         ${query.thread_ids ? sql`and i.thread_id = any(${query.thread_ids}::uuid[])` : sql.empty}
       order by i.id ${sql.raw(order)} limit ${query.limit + 1}`);
    return pageOf(list, query, rows);
  },

  emails: (organization_id: string, ids: readonly string[]) =>
    db.rows<EmailFacts>(sql`
      select r.id, r.direction, iso(r.requested_at) as at, r.status, r.hold, r.end_reason, r.from_address, r.to_addresses, r.cc_addresses, r.subject,
             left(r.body_text, ${max_html_chars}) as body_text, left(r.body_html, ${max_html_chars}) as body_html,
             r.dmarc_verdict, r.sender_proof,
             (select coalesce(json_agg(json_build_object('id', a.id, 'filename', a.filename,
                                'content_type', a.content_type, 'size_bytes', a.size_bytes) order by u.place), '[]')
                from email_attachment_uses u join email_attachments a on a.id = u.attachment_id
               where u.email_id = r.id) as attachments
        from emails r where r.organization_id = ${organization_id} and r.id = any(${ids}::uuid[])`),

  texts: (organization_id: string, ids: readonly string[]) =>
    db.rows<SmsFacts>(sql`
      select r.id, iso(r.requested_at) as at, r.status, r.hold, r.error_code as end_reason, r."from", r."to",
             left(r.body, ${text_chars}) as text
        from sms_messages r where r.organization_id = ${organization_id} and r.id = any(${ids}::uuid[])`),

  calls: (organization_id: string, ids: readonly string[]) =>
    db.rows<CallFacts>(sql`
      select r.id, iso(r.requested_at) as at, r.status, r.hold, r."from", r."to", r.duration_seconds, r.end_reason,
             r.answered_by, r.summary,
             (select count(*)::int from call_turns t where t.call_id = r.id) as turns,
             coalesce((select left(string_agg(t.speaker || ': ' || t.text, E'\\n' order by t.started_ms), ${text_chars})
                         from call_turns t where t.call_id = r.id), '') as text
        from calls r where r.organization_id = ${organization_id} and r.id = any(${ids}::uuid[])`),
});
export type ItemStore = ReturnType<typeof itemStore>;

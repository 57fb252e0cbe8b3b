// The SQL that reads the records of a batch for all projections, with one query for each noun.
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import {
  type EmailRecord,
  max_text_chars,
  type ProjectedNoun,
  type ProjectedRecord,
  type RecordOf,
  type RecordRef,
} from './projection.ts';

export type EmailBody = {
  organization_id: string;
  direction: 'inbound' | 'outbound';
  body_text: string | null;
  body_html: string | null;
  subject: string | null;
};
/** Returns what the sender of an email wrote. */
export type EmailText = (body: EmailBody) => Promise<string>;

/** A body may have megabytes: emails are read in steps, and each body is dropped once its text is known. */
const emails_per_step = 50;
const max_html_chars = 200_000;

type ReadOptions = {
  emailText: EmailText;
  /** The text of an email is read from its HTML only if it has no other, which is faster. */
  is_preview?: boolean;
};

type Readers = {
  [Noun in ProjectedNoun]: (
    on: Queryable,
    ids: string[],
    options: ReadOptions,
  ) => Promise<Omit<RecordOf<Noun>, 'noun'>[]>;
};

/** Only records that exist. A record is found by its id; its organization is that of the row. */
export async function readRecords(
  on: Queryable,
  refs: readonly RecordRef[],
  options: ReadOptions,
): Promise<ProjectedRecord[]> {
  const records: ProjectedRecord[] = [];
  for (const [noun, same] of Map.groupBy(refs, (ref) => ref.noun)) {
    const found = await readers[noun](
      on,
      same.map(({ id }) => id),
      options,
    );
    for (const record of found) records.push({ noun, ...record } as ProjectedRecord);
  }
  return records;
}

const shared = sql`r.id, r.organization_id, r.conversation_id as thread_id, r.direction, r.status,
  iso(r.requested_at) as requested_at, r.metadata`;
const labels = sql`coalesce(r.labels, '{}') as labels`;

const readers: Readers = {
  email: readEmails,
  sms: (on, ids) =>
    on.rows(sql`
      select ${shared}, ${labels}, r.blocked_by is not null as is_quarantined, r."from", r."to", r.body as text, r.origin
        from sms_messages r where r.id = any(${ids}::uuid[])`),
  call: (on, ids) =>
    on.rows(sql`
      select ${shared}, r."from", r."to", r.end_reason, r.answered_by, iso(r.ended_at) as ended_at,
             coalesce((select left(string_agg(t.text, E'\n' order by t.started_ms), ${max_text_chars})
                         from call_turns t where t.call_id = r.id), '') as text
        from calls r where r.id = any(${ids}::uuid[]) and r.parent_call_id is null`),
  contact: (on, ids) =>
    on.rows(sql`
      select id, organization_id, kind, name, phone_e164, email from contacts where id = any(${ids}::uuid[])`),
  conversation: (on, ids) =>
    on.rows(sql`select id, organization_id from conversations where id = any(${ids}::uuid[])`),
};

async function readEmails(on: Queryable, ids: string[], { emailText, is_preview = false }: ReadOptions) {
  const html = is_preview ? sql`case when r.body_text is null then r.body_html end` : sql`r.body_html`;
  const emails: Omit<EmailRecord, 'noun'>[] = [];
  for (let start = 0; start < ids.length; start += emails_per_step) {
    const rows = await on.rows<Omit<EmailRecord, 'noun' | 'text'> & EmailBody>(sql`
      select ${shared}, ${labels}, r.quarantine is not null as is_quarantined,
             case when r.direction = 'inbound' then iso(r.released_at) end as released_at, r.from_address, r.from_name, r.to_addresses, r.cc_addresses, r.bcc_addresses, r.subject,
             r.message_id, r.in_reply_to, r.references_ids, r.dmarc_verdict, r.sender_proof, r.spam_verdict, r.virus_verdict,
             coalesce(r.is_auto_reply, false) as is_auto_reply,
             left(r.body_text, ${max_html_chars}) as body_text, left(${html}, ${max_html_chars}) as body_html,
             array(select a.filename from email_attachment_uses u join email_attachments a on a.id = u.attachment_id
                    where u.email_id = r.id order by u.place) as attachment_names
        from emails r where r.id = any(${ids.slice(start, start + emails_per_step)}::uuid[])`);
    const texts = rows.map(async ({ body_text, body_html, ...row }) => {
      const { organization_id, direction, subject } = row;
      const text = await emailText({ organization_id, direction, body_text, body_html, subject });
      return { ...row, text: text.slice(0, max_text_chars) };
    });
    emails.push(...(await Promise.all(texts)));
  }
  return emails;
}

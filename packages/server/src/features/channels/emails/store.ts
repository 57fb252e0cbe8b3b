// The SQL of emails: storing, reading, listing and finding them.
import type { EmailListItem } from '@parley/contract/channels/emails/email-records';
import {
  type Email,
  emailLifecycle,
  emailReportOutcomes,
} from '@parley/contract/channels/emails/email-records';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import {
  type FindIds,
  inThreads,
  type ListFilter,
  readFilteredPage,
  timeConditions,
} from '../../../platform/db/list-filter.ts';
import { cursors, type PageRequest } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import type { IdempotencyRow } from '../../../platform/idempotency.ts';
import {
  alsoWrite,
  type Change,
  insert,
  type SideWrite,
  type UnitOfWork,
} from '../../../platform/unit-of-work/unit-of-work.ts';
import type { SenderProof } from '../../access/sender-proof/index.ts';
import type { SendingTerms } from '../../rules/admission/index.ts';
import { attachmentUses } from '../email-attachments/index.ts';

/** What is needed to compose the message again, beyond the other columns. */
export type CompositionNotes = {
  /** Display names by address. */
  names: Record<string, string>;
  headers: Record<string, string>;
  track_opens: boolean;
  track_clicks: boolean;
  list_unsubscribe: boolean;
};

export type EmailRow = Omit<Email, 'raw_url' | 'attachments' | 'extracted_text'> & {
  provider: string | null;
  raw_key: string | null;
  composition: CompositionNotes | null;
  thread_key: string;
  send_deadline: string | null;
  idempotency_operation: string | null;
  idempotency_key: string | null;
  /** The decision of the rules at the hand-over, as JSON; null before it. */
  admission: string | null;
  /** What the rules need at the hand-over; null for the defaults. */
  terms: SendingTerms | null;
  /** When it stopped waiting; null for an email that never waited. */
  released_at: string | null;
  /** How far the sender of a received email is proven; null for sent ones and those of earlier releases. */
  sender_proof: SenderProof | null;
};

export type AnsweredEmail = {
  id: string;
  conversation_id: string;
  message_id: string | null;
  references_ids: string[];
};

const outcomes = sql.raw(`array['${emailReportOutcomes.join("', '")}']`);
/** Rows of older releases have no outcome yet: theirs is read from the timeline. */
const last_outcome = sql`
  case when direction = 'inbound' then null
       when status <> 'sent' then status
       else coalesce(last_outcome, (
         select kind from email_events e
          where e.organization_id = emails.organization_id and e.email_id = emails.id
            and kind = any(${outcomes}) order by array_position(${outcomes}, kind) desc limit 1), 'sent') end as last_outcome`;
const list_columns = sql`id, organization_id, conversation_id, email_domain_id, direction, from_address, to_addresses,
  cc_addresses, bcc_addresses, reply_to, subject, status, end_reason, ${last_outcome}, provider_message_id,
  iso(requested_at) as requested_at, iso(sent_at) as sent_at, iso(failed_at) as failed_at,
  hold, iso(scheduled_at) as scheduled_at, metadata, coalesce(labels, '{}') as labels,
  case when direction = 'inbound' then case when quarantine is null then 'inbox' else 'quarantine' end end as folder,
  quarantine ->> 'reason' as quarantine_reason`;
export const email_columns = sql`${list_columns}, from_name, body_text, body_html, message_id, in_reply_to, references_ids,
  spam_verdict, virus_verdict, dkim_verdict, spf_verdict, dmarc_verdict, sender_proof,
  iso(provider_received_at) as provider_received_at, iso(last_event_at) as last_event_at,
  coalesce(is_auto_reply, false) as is_auto_reply, coalesce(is_automatic, is_auto_reply, false) as is_automatic, provider, raw_key, composition, thread_key, iso(send_deadline) as send_deadline, idempotency_operation, idempotency_key, admission, terms, iso(released_at) as released_at,
  iso(content_erased_at) as content_erased_at`;

const list = cursors('emails');

/** The columns of every email, sent or received. */
export const shared_email_columns = {
  id: 'uuid',
  organization_id: 'uuid',
  conversation_id: 'uuid',
  email_domain_id: 'uuid',
  direction: 'text',
  from_address: 'text',
  from_name: 'text',
  to_addresses: 'text[]',
  cc_addresses: 'text[]',
  bcc_addresses: 'text[]',
  reply_to: 'text',
  subject: 'text',
  status: 'text',
  provider: 'text',
  provider_message_id: 'text',
  requested_at: 'timestamptz',
  metadata: 'json',
  body_text: 'text',
  body_html: 'text',
  message_id: 'text',
  in_reply_to: 'text',
  references_ids: 'text[]',
  last_event_at: 'timestamptz',
  thread_key: 'text',
} as const;

/** The columns of an outgoing email; columns that only inbound emails use stay null. */
export const outgoing_emails = table<'emails', EmailRow, typeof emailLifecycle>(
  'emails',
  {
    ...shared_email_columns,
    end_reason: 'text',
    last_outcome: 'text',
    sent_at: 'timestamptz',
    failed_at: 'timestamptz',
    composition: 'json',
    send_deadline: 'timestamptz',
    idempotency_operation: 'text',
    idempotency_key: 'text',
    admission: 'text',
    hold: 'json',
    scheduled_at: 'timestamptz',
    terms: 'json',
    labels: 'text[]',
  },
  {
    lifecycle: emailLifecycle,
    duplicates: 'rare',
    often_alike: [
      // The sender, and the columns of the outcome, which a new email does not have yet.
      [
        'organization_id',
        'email_domain_id',
        'direction',
        'from_address',
        'from_name',
        'reply_to',
        'provider',
        'status',
        'end_reason',
        'last_outcome',
        'failed_at',
        'admission',
        'hold',
        'scheduled_at',
        'terms',
        'labels',
      ],
      // Only replies and copies have these.
      ['cc_addresses', 'bcc_addresses', 'in_reply_to', 'references_ids'],
      ['metadata', 'composition'],
      ['body_html', 'idempotency_operation', 'idempotency_key'],
    ],
  },
);

export type NewEmailOptions = {
  key: IdempotencyRow | null;
  attachment_ids: string[];
  attachments_expire_at: string;
  /** Runs in the transaction that stores the email; when it throws, the email is not stored. */
  guard: ((tx: Transaction) => Promise<void>) | null;
  /** Further rows that are stored with the email. */
  also?: readonly SideWrite[];
};

export const emailStore = (db: Database, unitOfWork: UnitOfWork, findIds: FindIds) => ({
  insert: (email: EmailRow, options: NewEmailOptions) => insertEmail(unitOfWork, email, options),

  find: (organization_id: string, id: string) =>
    db.maybe<EmailRow>(
      sql`select ${email_columns} from emails where organization_id = ${organization_id} and id = ${id}`,
    ),

  list: (organization_id: string, query: PageRequest & EmailFilter) =>
    listEmails(db, findIds, organization_id, query),

  /** The emails that the sandbox transport was handed, newest first. */
  sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
    db.rows<EmailRow>(sql`
      select ${email_columns} from emails
       where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and status not in ('queued', 'canceled')
             -- An email that a rule stopped was never handed over.
             and (admission is null or admission like '{"outcome":"allow"%')
             ${before === null ? sql.empty : sql`and id < ${before}`}
       order by id desc limit ${limit}`),

  /** The email that a new one answers, by our id or by its Message-ID. */
  answered: (organization_id: string, reference: { id: string } | { message_id: string }) =>
    db.maybe<AnsweredEmail>(sql`
      select id, conversation_id, message_id, references_ids from emails
       where organization_id = ${organization_id}
         and ${'id' in reference ? sql`id = ${reference.id}` : sql`message_id = ${reference.message_id}`}
       order by id desc limit 1`),

  /** For a report that has only the id of the email (from a return path) or only the transport's id. */
  locate: (reference: { id: string } | { provider: string; provider_message_id: string }) =>
    db.maybe<{ organization_id: string; id: string }>(
      'id' in reference
        ? sql`select organization_id, id from emails where id = ${reference.id} and direction = 'outbound'`
        : sql`select organization_id, id from emails
               where provider_message_id = ${reference.provider_message_id} and provider = ${reference.provider}`,
    ),

  /** All recipients of an email. */
  async recipients(organization_id: string, id: string): Promise<string[]> {
    const found = await db.maybe<{ recipients: string[] }>(sql`
      select to_addresses || cc_addresses || bcc_addresses as recipients from emails
       where organization_id = ${organization_id} and id = ${id}`);
    return found?.recipients ?? [];
  },

  setRaw: (organization_id: string, id: string, raw: { key: string; bytes: number }) =>
    db.run(
      sql`update emails set raw_key = ${raw.key}, raw_bytes = ${raw.bytes} where organization_id = ${organization_id} and id = ${id}`,
    ),

  /** For emails whose process is gone: the sweeper closes them now. `begun_before`: the deadline of one that is sent from now on. */
  endDeadlines: (begun_before: Date, now: Date) =>
    db.run(sql`
      update emails set send_deadline = ${now}
       where status = 'queued' and direction = 'outbound' and send_deadline > ${now} and send_deadline < ${begun_before}`),

  /** Queued emails past their deadline: the process that sent them has crashed. */
  lost: (moment: Date, limit: number) =>
    db.rows<EmailRow>(sql`
      select ${email_columns} from emails where status = 'queued' and send_deadline < ${moment}
       order by send_deadline limit ${limit}`),
});
export type EmailStore = ReturnType<typeof emailStore>;

/** The change that stores a new email. */
export function newEmailChange(email: EmailRow, options: NewEmailOptions): Change<never> {
  const { key, attachment_ids, attachments_expire_at: expires_at, guard, also = [] } = options;
  const use = { email_id: email.id, attachment_ids, expires_at };
  return {
    record: insert(outgoing_emails, email),
    answer: key,
    also: attachment_ids.length > 0 ? [alsoWrite(attachmentUses, use), ...also] : also,
    guard,
  };
}

async function insertEmail(unitOfWork: UnitOfWork, email: EmailRow, options: NewEmailOptions): Promise<void> {
  const { outcome } = await unitOfWork.commit(newEmailChange(email, options));
  // The id was generated for this email, so no other request can have stored it.
  if (outcome !== 'stored') throw new Error(`Email ${email.id} was not stored: ${outcome}`);
}

type EmailFilter = ListFilter & {
  status?: string | undefined;
  folder?: 'inbox' | 'quarantine' | undefined;
};

function listEmails(
  db: Database,
  findIds: FindIds,
  organization_id: string,
  query: PageRequest & EmailFilter,
) {
  const conditions = [
    sql`organization_id = ${organization_id}`,
    ...(query.status ? [sql`status = ${query.status}`] : []),
    sql`quarantine is ${query.folder === 'quarantine' ? sql`not null` : sql`null`}`,
    ...(query.folder === 'inbox' ? [sql`direction = 'inbound'`] : []),
    ...(query.direction ? [sql`direction = ${query.direction}`] : []),
    ...inThreads(query.conversation_ids),
    ...timeConditions(query),
  ];
  const page = { columns: list_columns, from: sql`emails`, where: sql.join(conditions, ' and ') };
  const noun = query.folder === 'quarantine' ? 'quarantine' : 'email';
  return readFilteredPage<EmailListItem>(db, list, query, page, {
    organization_id,
    noun,
    findIds,
    filter: query,
  });
}

// The SQL of emails: storing, finishing, reading and threading them.
import type { Email, EmailListItem } from '@parley/contract/email-records';
import { batched } from '../../platform/batch.ts';
import { type ColumnKind, columnNames, columnRows } from '../../platform/db/column-rows.ts';
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { claimKeys, type IdempotencyRow } from '../../platform/idempotency.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { storedIds } from '../../platform/outbox.ts';

/** What composing the message again needs beyond the record itself. */
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
  /** The decision at the hand-over, as JSON; null before it. */
  admission: string | null;
};

export type AnsweredEmail = {
  id: string;
  conversation_id: string;
  message_id: string | null;
  references_ids: string[];
};

const list_columns = sql`id, organization_id, conversation_id, email_domain_id, direction, from_address, to_addresses,
  cc_addresses, bcc_addresses, reply_to, subject, status, end_reason, provider_message_id,
  iso(requested_at) as requested_at, iso(sent_at) as sent_at, iso(failed_at) as failed_at, metadata`;
const columns = sql`${list_columns}, from_name, body_text, body_html, message_id, in_reply_to, references_ids,
  spam_verdict, virus_verdict, dkim_verdict, spf_verdict, dmarc_verdict,
  iso(provider_received_at) as provider_received_at, iso(last_event_at) as last_event_at,
  coalesce(is_auto_reply, false) as is_auto_reply, provider, raw_key, composition, thread_key, iso(send_deadline) as send_deadline, idempotency_operation, idempotency_key, admission`;

const list = cursors('emails');

/** Of an email that goes out: what only those have that come in stays empty. */
const outgoing_columns = {
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
  end_reason: 'text',
  provider: 'text',
  provider_message_id: 'text',
  requested_at: 'timestamptz',
  sent_at: 'timestamptz',
  failed_at: 'timestamptz',
  metadata: 'json',
  body_text: 'text',
  body_html: 'text',
  message_id: 'text',
  in_reply_to: 'text',
  references_ids: 'text[]',
  last_event_at: 'timestamptz',
  composition: 'json',
  thread_key: 'text',
  send_deadline: 'timestamptz',
  idempotency_operation: 'text',
  idempotency_key: 'text',
  admission: 'text',
} satisfies Partial<Record<keyof EmailRow, ColumnKind>>;

/** The sender and the outcome; what only answers and copies have; what callers add for themselves; what many leave out. */
const often_alike = [
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
    'failed_at',
    'admission',
  ],
  ['cc_addresses', 'bcc_addresses', 'in_reply_to', 'references_ids'],
  ['metadata', 'composition'],
  ['body_html', 'idempotency_operation', 'idempotency_key'],
] as const;

export type NewEmail = {
  email: EmailRow;
  key: IdempotencyRow | null;
  attachment_ids: string[];
  attachments_expire_at: string;
};

export function emailStore(db: Database) {
  const insertMany = async (on: Queryable, group: NewEmail[]): Promise<void> => {
    const emails = group.map(({ email }) => email);
    const records = sql`
      insert into emails (${columnNames(outgoing_columns)}) ${columnRows(emails, outgoing_columns, often_alike)} returning id`;
    const steps: Record<string, Sql> = {};
    const claims = group.flatMap(({ email, key }) => (key ? [{ record_id: email.id, row: key }] : []));
    if (claims.length > 0) steps.claimed = claimKeys(claims, storedIds);
    const uses = group.flatMap(({ email, attachment_ids, attachments_expire_at }) =>
      attachment_ids.map((attachment_id, place) => ({
        email_id: email.id,
        attachment_id,
        place,
        expires_at: attachments_expire_at,
      })),
    );
    if (uses.length > 0) {
      const given = JSON.stringify(uses);
      steps.used = sql`
        insert into email_attachment_uses select * from json_populate_recordset(null::email_attachment_uses, ${given})`;
      // Locked in one order everywhere, so that two emails with the same files never wait for each other in a circle.
      steps.kept = sql`
        update email_attachments a set expires_at = u.expires_at
          from (select a.id, u.expires_at from email_attachments a
                  join json_to_recordset(${given}) u(attachment_id uuid, expires_at timestamptz) on a.id = u.attachment_id
                 order by a.id for update of a) u
         where a.id = u.id`;
    }
    await on.run(sql`${sql.with({ stored: records, ...steps })} select id from stored`);
  };
  const insertGroup = batched<NewEmail, void>(async (group) => {
    await insertMany(db, group);
    return [];
  });

  return {
    /** With `admit` the email is stored in a transaction of its own, in which that is asked first. */
    insert: (
      _organization_id: string,
      email: NewEmail,
      admit: ((tx: Transaction) => Promise<void>) | null = null,
    ): Promise<void> =>
      admit
        ? db.transaction(async (tx) => {
            await admit(tx);
            await insertMany(tx, [email]);
          })
        : insertGroup(email),

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<EmailRow>(
        sql`select ${columns} from emails where organization_id = ${organization_id} and id = ${id}`,
      ),

    list(
      organization_id: string,
      query: PageRequest & {
        status?: string | undefined;
        direction?: string | undefined;
        conversation_id?: string | undefined;
      },
    ) {
      const filters = [
        sql`organization_id = ${organization_id}`,
        ...(query.status ? [sql`status = ${query.status}`] : []),
        ...(query.direction ? [sql`direction = ${query.direction}`] : []),
        ...(query.conversation_id ? [sql`conversation_id = ${query.conversation_id}`] : []),
      ];
      return readPage(db, list, query, {
        columns: list_columns,
        from: sql`emails`,
        where: sql.join(filters, ' and '),
      });
    },

    /** What the sandbox was handed, newest first. */
    sandboxOutbox: (organization_id: string, before: string | null, limit: number) =>
      db.rows<EmailRow>(sql`
        select ${columns} from emails
         where organization_id = ${organization_id} and direction = 'outbound' and provider = 'sandbox' and status <> 'queued'
               -- What a rule stopped was handed to nobody.
               and (admission is null or admission like '{"outcome":"allow"%')
               ${before === null ? sql.empty : sql`and id < ${before}`}
         order by id desc limit ${limit}`),

    /** The oldest inbound email since a moment that fits; ids sort by time. */
    firstInbound(
      organization_id: string,
      of: {
        to?: string | undefined;
        from?: string | undefined;
        conversation_id?: string | undefined;
        since: Date;
      },
    ) {
      const filters = [
        sql`organization_id = ${organization_id} and direction = 'inbound' and id >= ${firstIdAt(of.since)}`,
        ...(of.to
          ? [sql`lower(${of.to}) in (select lower(unnest(to_addresses || cc_addresses || bcc_addresses)))`]
          : []),
        ...(of.from ? [sql`lower(from_address) = lower(${of.from})`] : []),
        ...(of.conversation_id ? [sql`conversation_id = ${of.conversation_id}`] : []),
      ];
      return db.maybe<EmailRow>(
        sql`select ${columns} from emails where ${sql.join(filters, ' and ')} order by id limit 1`,
      );
    },

    /** The email a new one answers, by our id or by its Message-ID. */
    answered: (organization_id: string, named: { id: string } | { message_id: string }) =>
      db.maybe<AnsweredEmail>(sql`
        select id, conversation_id, message_id, references_ids from emails
         where organization_id = ${organization_id}
           and ${'id' in named ? sql`id = ${named.id}` : sql`message_id = ${named.message_id}`}
         order by id desc limit 1`),

    /** For news that name only the email (a return path) or only the transport's id for it. */
    async locate(named: { id: string } | { provider: string; provider_message_id: string }) {
      return db.maybe<{ organization_id: string; id: string }>(
        'id' in named
          ? sql`select organization_id, id from emails where id = ${named.id} and direction = 'outbound'`
          : sql`select organization_id, id from emails
                 where provider_message_id = ${named.provider_message_id} and provider = ${named.provider}`,
      );
    },

    /** Everybody an email went to. */
    async recipients(organization_id: string, id: string): Promise<string[]> {
      const found = await db.maybe<{ recipients: string[] }>(sql`
        select to_addresses || cc_addresses || bcc_addresses as recipients from emails
         where organization_id = ${organization_id} and id = ${id}`);
      return found?.recipients ?? [];
    },

    setRawKey: (organization_id: string, id: string, raw_key: string) =>
      db.run(
        sql`update emails set raw_key = ${raw_key} where organization_id = ${organization_id} and id = ${id}`,
      ),

    /** Emails whose sender must have died: nobody else will finish them. */
    lost: (moment: Date, limit: number) =>
      db.rows<EmailRow>(sql`
        select ${columns} from emails where status = 'queued' and send_deadline < ${moment}
         order by send_deadline limit ${limit}`),
  };
}
export type EmailStore = ReturnType<typeof emailStore>;
export type EmailItem = EmailListItem;

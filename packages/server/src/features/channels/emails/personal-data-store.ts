// The SQL that collects, erases and forgets what people wrote by email.
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { deleteOldRecords, ofOrganization, oldRecords } from '../../../platform/db/old-rows.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type {
  ErasedPerson,
  PersonalData,
  PersonalRecords,
  PersonParties,
  SomeRecords,
} from '../../../platform/personal-data.ts';
import { releaseAttachments } from '../email-attachments/index.ts';

const page_records = 500;
const recipients = sql`unnest(to_addresses || cc_addresses || bcc_addresses)`;

/** The whole message is the person's: sent by the person, or to no one else. */
const own = ({ organization_id, addresses }: PersonParties): Sql => sql`
  select id from emails where organization_id = ${organization_id} and (
    (direction = 'inbound' and lower(from_address) = any(${[...addresses]}))
    or (direction = 'outbound' and cardinality(to_addresses || cc_addresses || bcc_addresses) > 0
        and not exists (select from ${recipients} r where lower(r) <> all(${[...addresses]}))))`;

const to = ({ organization_id, addresses }: PersonParties): Sql => sql`organization_id = ${organization_id}
  and exists (select from ${recipients} r where lower(r) = any(${[...addresses]}))`;

const records: PersonalRecords = {
  noun: 'email',
  count: 'emails',
  own,
  waiting: (person) =>
    sql`select id from emails where ${to(person)} and hold is not null and direction = 'outbound'`,
  active: (person) => sql`select id from emails where ${to(person)} and status = 'queued'`,
  parties: (organization_id) => sql`
    select from_address as party from emails where organization_id = ${organization_id}
    union select ${recipients} from emails where organization_id = ${organization_id}`,
  old: oldRecords('emails', { is_finished: sql`status <> 'queued'` }),
  eraseContent,
  deleteOld: deleteOldRecords('emails', {
    is_finished: sql`status <> 'queued' and raw_key is null`,
    limit: page_records,
  }),
};

async function eraseContent(
  tx: Transaction,
  { organization_id, ids, now, replaced_by }: SomeRecords,
): Promise<number> {
  const without_person = sql`, metadata = '{}', reply_to = null, message_id = null, in_reply_to = null,
    references_ids = '{}', thread_key = id::text,
    from_name = case when direction = 'inbound' then ${replaced_by} else from_name end`;
  await tx.run(sql`
    update emails set subject = '', body_text = '', body_html = null, composition = null, arrival = null,
           content_erased_at = coalesce(content_erased_at, ${now}) ${replaced_by === null ? sql.empty : without_person}
     where ${ofOrganization(organization_id, 'id', ids)}`);
  const of = ofOrganization(organization_id, 'email_id', ids);
  const reports = await tx.rows<{ id: string }>(sql`
    select detail ->> 'attachment_id' as id from email_events where ${of} and detail ->> 'attachment_id' is not null`);
  const released = await releaseAttachments(tx, {
    ...{ organization_id, email_ids: ids, now },
    report_ids: reports.map(({ id }) => id),
  });
  await tx.run(sql`update email_events set detail = '{}' where ${of}`);
  return released;
}

const forgetRaw = (db: Queryable, organization_id: string, ids: readonly string[]) =>
  db.run(sql`
    update emails set raw_key = null, raw_bytes = null where ${ofOrganization(organization_id, 'id', ids)}`);

/**
 * Raw messages that name the person, also of other people: their headers name all recipients. What was parsed from them
 * stays.
 */
async function rawMessages(
  db: Queryable,
  person: ErasedPerson,
  reached: string | null,
): Promise<{ id: string; raw_key: string; has_person: boolean }[]> {
  const { organization_id, pattern } = person;
  const rows = await db.rows<{ id: string; raw_key: string; row: string | null }>(
    sql.replanned(sql`
      select id, raw_key, case when page.row ~* ${pattern} then page.row end as row
        from (select e.id, e.raw_key, row_to_json(e)::text as row
                from emails e where e.organization_id = ${organization_id} and e.raw_key is not null
                 ${reached === null ? sql.empty : sql`and e.id > ${reached}::uuid`} order by e.id limit ${page_records}) page
       order by id`),
  );
  return rows.map(({ row, ...each }) => ({
    ...each,
    has_person: row !== null && person.replace(row) !== row,
  }));
}

/** Those that came into quarantine before the time. One that was released in between stays, without its raw form. */
const quarantine: NonNullable<PersonalData['forget']> = {
  step: 'quarantine',
  kind: 'quarantine',
  count: 'quarantine',
  page_rows: page_records,
  async deleteOld({ db, removeObjects }, organization_id, before, limit) {
    const old = await db.rows<{ id: string; raw_key: string | null }>(sql`
      select id, raw_key from emails
       where organization_id = ${organization_id} and quarantine is not null
         and (quarantine ->> 'at')::timestamptz < ${before} limit ${limit}`);
    await removeObjects(old.flatMap(({ raw_key }) => raw_key ?? []));
    const ids = old.map(({ id }) => id);
    const of = ofOrganization(organization_id, 'id', ids);
    return db.transaction(async (tx) => {
      await tx.run(
        sql`update emails set raw_key = null, raw_bytes = null where ${of} and quarantine is null`,
      );
      await tx.run(sql`
        delete from email_events where organization_id = ${organization_id} and email_id in (
          select id from emails where ${of} and quarantine is not null)`);
      return tx.run(sql`delete from emails where ${of} and quarantine is not null`);
    });
  },
};

export const emailPersonalData: PersonalData = {
  owner: 'channels/emails',
  tables: {
    emails: {
      erased:
        'subject body_text body_html composition arrival metadata reply_to message_id in_reply_to references_ids thread_key from_name raw_key',
      kept: {
        'parties: replaced by an erasure': 'from_address to_addresses cc_addresses bcc_addresses',
        'states, verdicts and codes':
          'direction status end_reason provider spam_verdict virus_verdict dkim_verdict spf_verdict dmarc_verdict admission labels sender_proof',
        'ids and keys of requests and providers':
          'provider_message_id idempotency_operation idempotency_key dedupe_key',
        'when and why it waits, and its price': 'hold terms quarantine last_outcome',
      },
    },
    email_events: { erased: 'detail', kept: { 'kinds and keys': 'kind dedupe_key counted' } },
    email_batches: { kept: { 'ids of its emails': 'items', 'a choice': 'on_error' } },
    email_forwards: { kept: { 'the proof of a check': 'admission' } },
  },
  records,
  objects: {
    count: 'raw_messages',
    of: (db, organization_id, ids) =>
      db.rows(sql`
        select id, raw_key as key from emails
         where ${ofOrganization(organization_id, 'id', ids)} and raw_key is not null`),
    forget: forgetRaw,
  },
  deleteCopies: (tx, organization_id, ids) =>
    tx.run(sql`delete from email_events where ${ofOrganization(organization_id, 'email_id', ids)}`),
  async erasePage({ db, removeObjects }, person, reached) {
    const page = await rawMessages(db, person, reached);
    const named = page.filter(({ has_person }) => has_person);
    await removeObjects(named.map(({ raw_key }) => raw_key));
    await forgetRaw(
      db,
      person.organization_id,
      named.map(({ id }) => id),
    );
    return {
      reached: page.length < page_records ? null : page.at(-1)!.id,
      counts: { raw_messages: named.length },
    };
  },
  forget: quarantine,
};

/** Names that the person writes mail under. */
export async function displayNamesOf(
  db: Queryable,
  { organization_id, addresses }: PersonParties,
): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select distinct from_name as name from emails
     where organization_id = ${organization_id} and direction = 'inbound' and from_name is not null
       and lower(from_address) = any(${[...addresses]}) order by 1 limit 100`);
  return rows.map(({ name }) => name);
}

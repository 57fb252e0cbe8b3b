// The SQL of documents. A row exists before its object, so that no object is without a row.
import type { Database, Queryable, Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import type { Ref } from '../verification-row.ts';

export type NewDocument = {
  id: string;
  organization_id: string;
  verification_id: string;
  attempt: number;
  requirement: string;
  document_type: string;
  content_type: string;
  size_bytes: number;
  storage_key: string;
  sealed_key: string;
  created_at: string;
};

/** A document whose content is still stored. */
export type StoredDocument = NewDocument;

const columns = sql`id, organization_id, verification_id, attempt, requirement, document_type, content_type, size_bytes,
  storage_key, sealed_key, iso(created_at) as created_at`;

export function documentStore(db: Database) {
  return {
    insert: (tx: Transaction, document: NewDocument) =>
      tx.run(sql`
        insert into verification_documents
        select * from json_populate_record(null::verification_documents, ${JSON.stringify(document)})`),

    uploaded: async (tx: Transaction, organization_id: string, id: string, now: Date): Promise<boolean> =>
      (await tx.run(sql`
        update verification_documents set uploaded_at = ${now}
         where organization_id = ${organization_id} and id = ${id} and sealed_key is not null`)) > 0,

    /** Those that the carrier did not get yet. */
    ofVerification: ({ organization_id, id }: Ref) =>
      db.rows<StoredDocument>(sql`
        select ${columns} from verification_documents
         where organization_id = ${organization_id} and verification_id = ${id} and sealed_key is not null
           and uploaded_at is not null order by id`),

    /** How many documents and bytes the organization has stored now. */
    usage: async (
      on: Queryable,
      { organization_id, id }: Ref,
    ): Promise<{ documents: number; bytes: number }> =>
      (await on.maybe<{ documents: number; bytes: number }>(sql`
        select (count(*) filter (where verification_id = ${id}))::int as documents,
               coalesce(sum(size_bytes), 0)::float8 as bytes
          from verification_documents where organization_id = ${organization_id} and storage_key is not null`))!,

    /** Deletes the key, which makes the content unreadable, also in backups. The sweeper deletes the object. */
    shred: (tx: Transaction, { organization_id, id }: Ref, now: Date, handed_over: boolean) =>
      tx.run(sql`
        update verification_documents
           set sealed_key = null, deleted_at = ${now}, handed_over_at = ${handed_over ? now : null}
         where organization_id = ${organization_id} and verification_id = ${id} and sealed_key is not null`),

    shredOne: async (tx: Transaction, { organization_id, id }: Ref, document_id: string, now: Date) =>
      (await tx.run(sql`
        update verification_documents set sealed_key = null, deleted_at = ${now}
         where organization_id = ${organization_id} and verification_id = ${id} and id = ${document_id}
           and sealed_key is not null`)) > 0,

    /** Uploads that a crash interrupted, those of drafts that were not submitted in time, and those without a verification. */
    shredOld: (before: { interrupted: Date; unsubmitted: Date }, now: Date) =>
      db.run(sql`
        update verification_documents d set sealed_key = null, deleted_at = ${now}
         where storage_key is not null and sealed_key is not null
           and ((uploaded_at is null and created_at < ${before.interrupted})
                or not exists (select from verifications v where v.id = d.verification_id)
                or (created_at < ${before.unsubmitted} and not exists (
                      select from verifications v where v.id = d.verification_id and v.submit_requested_at is not null)))`),

    /** Objects whose key is deleted. */
    toRemove: (limit: number) =>
      db.rows<{ id: string; storage_key: string }>(sql`
        select id, storage_key from verification_documents
         where storage_key is not null and sealed_key is null order by created_at limit ${limit}`),

    removed: (id: string) =>
      db.run(sql`update verification_documents set storage_key = null where id = ${id}`),
  };
}
export type DocumentStore = ReturnType<typeof documentStore>;

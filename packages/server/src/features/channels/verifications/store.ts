// The SQL of verifications.

import { verificationLifecycle } from '@parley/contract/channels/numbers/verification-records';
import { limits } from '@parley/contract/limits';
import type { Database, Queryable, Row, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import { verificationEventData } from './event-data.ts';
import type { Ref, VerificationRow } from './verification-row.ts';

const documents = sql`(
  select coalesce(json_agg(json_build_object('id', d.id, 'requirement', d.requirement, 'document_type', d.document_type,
           'content_type', d.content_type, 'size_bytes', d.size_bytes, 'attempt', d.attempt,
           'uploaded_at', iso(d.uploaded_at), 'handed_over_at', iso(d.handed_over_at), 'deleted_at', iso(d.deleted_at))
           order by d.id), '[]'::json)
    from verification_documents d
   where d.organization_id = verifications.organization_id and d.verification_id = verifications.id
     and d.uploaded_at is not null)`;

const columns = sql`id, organization_id, coalesce(kind, 'number') as kind, provider, provider_verification_id, country_code,
  number_type, subject_type, subject_name, use_case, number_id, brand_verification_id, state,
  coalesce(attempt, 1) as attempt,
  case when state = 'rejected' or (state = 'draft' and submit_requested_at is null) then 'you'
       when state in ('draft', 'submitted', 'in_review') then coalesce(waits_for, 'carrier') end as waiting_for,
  rejection_reason, iso(editable_until) as editable_until, iso(expires_at) as expires_at,
  iso(created_at) as created_at, iso(updated_at) as updated_at, iso(submitted_at) as submitted_at,
  iso(approved_at) as approved_at, requirement_set, coalesce(answered, '{}') as answered,
  coalesce(problems, '[]'::json) as problems, ${documents} as documents, details_sealed, address, registration_number,
  coalesce(progress, '{}'::json) as progress, step_began_at is not null as step_began,
  iso(submit_requested_at) as submit_requested_at, reminded_days, address_reference, service_reference`;

const list = cursors('verifications');

export type Trigger = keyof typeof verificationLifecycle.moves;

const moveRow = (move: Mover, tx: Transaction, ref: Ref, trigger: Trigger, set: Row, now: Date) =>
  move<typeof verificationLifecycle, VerificationRow>(tx, {
    lifecycle: verificationLifecycle,
    table: 'verifications',
    ...ref,
    trigger,
    set: { ...set, updated_at: now },
    returning: columns,
    event: (row) => ({ data: verificationEventData(row, now) }),
  });

/** A row as it is inserted: JSON columns as objects, times as ISO text. */
export type NewVerification = Omit<VerificationRow, 'documents' | 'step_began' | 'waiting_for'>;

const listRows = (
  db: Database,
  organization_id: string,
  { kind, ...page }: PageRequest & { kind?: string | undefined },
) =>
  readPage<VerificationRow>(db, list, page, {
    columns,
    from: sql`verifications`,
    where: sql`organization_id = ${organization_id}
      ${kind === undefined ? sql.empty : sql`and coalesce(kind, 'number') = ${kind}`}`,
  });

/** Changes columns other than the state; null when the row is not in one of these states any more. */
async function change(
  on: Queryable,
  { organization_id, id }: Ref,
  states: readonly string[],
  set: Row,
): Promise<VerificationRow | null> {
  const changes = Object.entries(set).map(([column, value]) => sql`${sql.raw(column)} = ${value}`);
  return on.maybe<VerificationRow>(sql`
    update verifications set ${sql.join(changes, ', ')}
     where organization_id = ${organization_id} and id = ${id} and state = any(${states})
    returning ${columns}`);
}

export function verificationStore(db: Database, move: Mover) {
  return {
    insert: (tx: Transaction, row: NewVerification) =>
      tx.run(sql`
        insert into verifications
        select * from json_populate_record(null::verifications, ${JSON.stringify(row)})`),

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<VerificationRow>(
        sql`select ${columns} from verifications where organization_id = ${organization_id} and id = ${id}`,
      ),

    lock: (tx: Transaction, { organization_id, id }: Ref) =>
      tx.maybe<VerificationRow>(sql`
        select ${columns} from verifications where organization_id = ${organization_id} and id = ${id} for update`),

    move: (tx: Transaction, ref: Ref, trigger: Trigger, set: Row, now: Date) =>
      moveRow(move, tx, ref, trigger, set, now),

    change,

    list: (organization_id: string, page: PageRequest & { kind?: string | undefined }) =>
      listRows(db, organization_id, page),

    hasTooManyOpen: async (organization_id: string): Promise<boolean> => {
      const found = await db.rows(sql`
        select 1 from verifications where organization_id = ${organization_id}
           and state in ('draft', 'submitted', 'in_review', 'rejected') limit ${limits.open_verifications}`);
      return found.length >= limits.open_verifications;
    },

    hasOrganization: async (organization_id: string): Promise<boolean> =>
      (await db.maybe(sql`select 1 from organizations where id = ${organization_id}`)) !== null,

    ...workQueries(db),
    ...approvalQueries(db),
  };
}
export type VerificationStore = ReturnType<typeof verificationStore>;

const workQueries = (db: Database) => ({
  /** Open verifications of all organizations whose carrier must be asked now; `states` decides which. */
  due: (states: readonly string[], now: Date) =>
    db.rows<Ref>(sql`
      select organization_id, id from verifications
       where state = any(${states}) and (next_check_at is null or next_check_at <= ${now})
         and (submit_requested_at is null or state = 'approved')
       order by next_check_at nulls first limit 500`),

  /** Verifications of all organizations that wait for the hand-over. */
  toAdvance: () =>
    db.rows<Ref>(sql`
      select organization_id, id from verifications
       where submit_requested_at is not null and state in ('draft', 'submitted', 'in_review')
       order by submit_requested_at limit 500`),

  /** The token fences off an earlier run of the same step. Null when it must not be advanced any more. */
  beginStep: (ref: Ref, now: Date) =>
    db.maybe<{ token: string; attempt: number }>(sql`
      update verifications set step_began_at = clock_timestamp(), updated_at = ${now}
       where organization_id = ${ref.organization_id} and id = ${ref.id} and submit_requested_at is not null
         and state in ('draft', 'submitted', 'in_review')
      returning step_began_at::text as token`),

  /** Whether the run that began the step still owns it; locks the row. */
  ownsStep: async (tx: Transaction, ref: Ref, token: string): Promise<boolean> =>
    (await tx.maybe(sql`
      select 1 from verifications where organization_id = ${ref.organization_id} and id = ${ref.id}
         and step_began_at = ${token}::timestamptz and state in ('draft', 'submitted', 'in_review')
       for update`)) !== null,

  /** A verification by our id or by the carrier's, for a hint of the carrier. */
  byReference: (provider: string, reference: string) =>
    db.rows<Ref & { kind: string }>(sql`
      select organization_id, id, coalesce(kind, 'number') as kind from verifications
       where provider = ${provider} and (id::text = ${reference} or provider_verification_id = ${reference})
       limit 20`),

  /** Rows of the previous release with plain personal data. */
  unsealed: () =>
    db.rows<Ref>(sql`
      select organization_id, id from verifications
       where address is not null or registration_number is not null limit 500`),
});

const approvalQueries = (db: Database) => ({
  /** The newest approval that a purchase can use. */
  approvedFor: (
    organization_id: string,
    number: { provider: string; country_code: string; number_type: string },
    now: Date,
  ) =>
    db.maybe<VerificationRow>(sql`
      select ${columns} from verifications
       where organization_id = ${organization_id} and state = 'approved' and provider = ${number.provider}
         and coalesce(kind, 'number') = 'number' and country_code = ${number.country_code}
         and number_type = ${number.number_type} and (expires_at is null or expires_at > ${now})
       order by id desc limit 1`),

  /** Approved verifications of a kind, newest first. */
  approvedOf: (organization_id: string, provider: string, kind: string) =>
    db.rows<VerificationRow>(sql`
      select ${columns} from verifications
       where organization_id = ${organization_id} and provider = ${provider} and state = 'approved' and kind = ${kind}
       order by id desc limit 10`),

  /** Approvals that end, and that this one renews: for the same subject type, country and number type. */
  renewedBy: (row: VerificationRow) =>
    db.rows<VerificationRow>(sql`
      select ${columns} from verifications
       where organization_id = ${row.organization_id} and provider = ${row.provider} and id < ${row.id}
         and state = 'approved' and expires_at is not null and coalesce(kind, 'number') = 'number'
         and country_code = ${row.country_code} and number_type = ${row.number_type}
         and subject_type = ${row.subject_type}
       order by id desc limit 10`),

  /** The newest verification of a toll-free number. */
  ofNumber: (organization_id: string, number_id: string) =>
    db.maybe<VerificationRow>(sql`
      select ${columns} from verifications
       where organization_id = ${organization_id} and number_id = ${number_id} and state <> 'canceled'
       order by id desc limit 1`),

  byProviderId: (organization_id: string, provider: string, provider_verification_id: string) =>
    db.maybe<VerificationRow>(sql`
      select ${columns} from verifications
       where organization_id = ${organization_id} and provider = ${provider} and state <> 'canceled'
         and provider_verification_id = ${provider_verification_id} limit 1`),
});

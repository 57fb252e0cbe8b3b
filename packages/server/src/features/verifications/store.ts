// The SQL of verifications.
import { type Verification, verificationLifecycle } from '@parley/contract/verifications';
import type { Database, Row, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Mover } from '../../platform/lifecycle.ts';

const columns = sql`id, organization_id, provider, country_code, number_type, subject_type, subject_name, state,
  rejection_reason, iso(created_at) as created_at, iso(updated_at) as updated_at, iso(submitted_at) as submitted_at,
  iso(approved_at) as approved_at`;

/** The record with the fields that only the carrier gets. */
export type VerificationFile = Verification & {
  provider_verification_id: string | null;
  address: Record<string, string> | null;
  registration_number: string | null;
};

const list = cursors('verifications');

export function verificationStore(db: Database, move: Mover) {
  return {
    insert: (tx: Transaction, file: VerificationFile) =>
      tx.run(sql`
        insert into verifications
        select * from json_populate_record(null::verifications, ${JSON.stringify(file)})`),

    find: (organization_id: string, id: string) =>
      db.maybe<Verification>(
        sql`select ${columns} from verifications where organization_id = ${organization_id} and id = ${id}`,
      ),

    findFile: (organization_id: string, id: string) =>
      db.maybe<VerificationFile>(sql`
        select ${columns}, provider_verification_id, address, registration_number
          from verifications where organization_id = ${organization_id} and id = ${id}`),

    move: (
      tx: Transaction,
      organization_id: string,
      id: string,
      trigger: keyof typeof verificationLifecycle.moves,
      set: Row,
    ) =>
      move<typeof verificationLifecycle, Verification>(tx, {
        lifecycle: verificationLifecycle,
        table: 'verifications',
        organization_id,
        id,
        trigger,
        set,
        returning: columns,
      }),

    list: (organization_id: string, page: PageRequest) =>
      readPage(db, list, page, {
        columns,
        from: sql`verifications`,
        where: sql`organization_id = ${organization_id}`,
      }),

    /** Verifications of all organizations that the carrier has not decided yet. */
    open: () =>
      db.rows<{ organization_id: string; id: string }>(sql`
        select organization_id, id from verifications where state in ('draft', 'submitted', 'in_review')
         order by updated_at limit 500`),

    approved: (
      organization_id: string,
      number: { provider: string; country_code: string; number_type: string },
    ) =>
      db.maybe<{ provider_verification_id: string }>(sql`
        select provider_verification_id from verifications
         where organization_id = ${organization_id} and state = 'approved' and provider = ${number.provider}
           and country_code = ${number.country_code} and number_type = ${number.number_type}
         order by id desc limit 1`),
  };
}
export type VerificationStore = ReturnType<typeof verificationStore>;

// The SQL that erases what people saw when they decided about records.
import type { Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { PersonalData, SomeRecords } from '../../../../platform/personal-data.ts';
import { record_ids, withoutContent } from './retention-store.ts';

/** An approval of a batch shows all of its emails, so it keeps its content until the last of them is erased. */
const ofBatch = (ids: Sql): Sql => sql`a.noun = 'email_batch'
  and exists (select from unnest(${ids}) id where id in ${record_ids})
  and not exists (
    select from emails e
     where e.organization_id = a.organization_id and e.id in ${record_ids} and e.id <> all(${ids})
       and e.content_erased_at is null)`;

/** Of approvals about these records that are decided. */
const eraseDecided = (
  tx: Transaction,
  { organization_id, ids: object_ids, now }: SomeRecords,
): Promise<number> =>
  tx.run(sql`
    update approvals a set shown = ${withoutContent(sql`shown`)}, content_erased_at = ${now},
           messages = (select coalesce(json_agg(${withoutContent(sql`m`)}), '[]') from json_array_elements(a.messages) m)
     where a.organization_id = ${organization_id}
       and (a.object_id = any(${[...object_ids]}::uuid[]) or ${ofBatch(sql`${[...object_ids]}::uuid[]`)})
       and a.status <> 'pending' and a.content_erased_at is null`);

export const approvalPersonalData: PersonalData = {
  owner: 'rules/approvals',
  tables: {
    approvals: {
      erased: 'shown messages note',
      kept: {
        'states, hashes and who decided': 'status noun payload_sha256 requested_by decided_by decided_via',
        'the rule and the terms: parties are replaced by an erasure': 'reasons rule terms',
      },
    },
    approved_recipients: { erased: '*' },
    exit_requests: { kept: { hashes: 'payload_sha256' } },
  },
  async eraseCopies(tx, records) {
    await eraseDecided(tx, records);
    return {};
  },
  /** Also of approvals that wait, and what the people who decided wrote about it. */
  async erase(tx, { organization_id, keys, records, namesRecord }) {
    const approvals = await tx.run(sql`
      update approvals a set shown = ${withoutContent(sql`shown`)}, note = null,
             content_erased_at = coalesce(content_erased_at, decided_at, requested_at),
             messages = (select coalesce(json_agg(${withoutContent(sql`m`)}), '[]') from json_array_elements(a.messages) m)
       where a.organization_id = ${organization_id}
         and (a.object_id in ${records} or ${namesRecord(sql`a.terms::text`)})`);
    await tx.run(sql`
      delete from approved_recipients where organization_id = ${organization_id} and party = any(${[...keys]})`);
    return { approvals };
  },
};

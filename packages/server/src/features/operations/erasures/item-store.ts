// The SQL that notes which records are the person's, and finds those that are under way.
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { ErasureDatabase, PersonalRecords } from '../../../platform/personal-data.ts';
import type { Erased } from './person/erased.ts';

export type Item = { id: string; noun: PersonalRecords['noun'] };

/** Notes the records of the person, also those that belong to them, such as the other legs of calls. */
export async function collectItems(
  tx: Transaction,
  erased: Erased,
  records: readonly PersonalRecords[],
): Promise<void> {
  const { organization_id, id } = erased;
  const note = (noun: Item['noun'], ids: Sql) =>
    tx.run(
      sql.replanned(sql`
        insert into erasure_items (organization_id, erasure_id, id, noun)
        select ${organization_id}::uuid, ${id}::uuid, id, ${noun} from (${ids}) r on conflict do nothing`),
    );
  for (const each of records) await note(each.noun, each.own(erased));
  for (const each of records)
    if (each.parts) await note(each.noun, each.parts(organization_id, erased.records));
}

export const itemsAfter = (
  on: Queryable,
  { organization_id, id }: Erased,
  reached: string | null,
  limit: number,
) =>
  on.rows<Item>(sql`
    select id, noun from erasure_items
     where organization_id = ${organization_id} and erasure_id = ${id}
       ${reached === null ? sql.empty : sql`and id > ${reached}::uuid`} order by id limit ${limit}`);

/** Whether a call, text or email with the person is under way: what it still writes would not be erased. */
export async function hasActive(
  db: ErasureDatabase,
  erased: Erased,
  records: readonly PersonalRecords[],
): Promise<boolean> {
  const active = records.map((each) => sql`exists (${each.active(erased)})`);
  const row = await db.maybe<{ is_active: boolean }>(sql`select ${sql.join(active, ' or ')} as is_active`);
  return row!.is_active;
}

export const waitingRecords = (
  db: ErasureDatabase,
  erased: Erased,
  { waiting }: PersonalRecords,
): Promise<{ id: string }[]> => db.rows(waiting(erased));

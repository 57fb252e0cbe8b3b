// The SQL that finds and deletes rows of an organization by the time in their ids. Statements over many rows are planned at
// every run.
import { firstIdAt } from '../ids.ts';
import type { OldRange, OldRecord, PersonalRecords } from '../personal-data.ts';
import type { Database, Queryable } from './database.ts';
import { type Sql, sql } from './sql.ts';

export const oldRecords =
  (table: string, { is_finished }: { is_finished: Sql }) =>
  (db: Queryable, { organization_id, before, reached }: OldRange, limit: number): Promise<OldRecord[]> =>
    db.rows<OldRecord>(
      sql.replanned(sql`
        select id, ${is_finished} as is_finished, content_erased_at is null as has_content
          from ${sql.raw(table)}
         where organization_id = ${organization_id} and id < ${firstIdAt(before)}
           ${reached === null ? sql.empty : sql`and id > ${reached}`} order by id limit ${limit}`),
    );

/** One whose object is still stored waits for the next run. The queue of projections gets every deleted record by a trigger. */
export const deleteOldRecords =
  (
    table: string,
    { is_finished, limit }: { is_finished: Sql; limit: number },
  ): PersonalRecords['deleteOld'] =>
  (db, { organization_id, before }, deleteCopies) =>
    db.transaction(async (tx) => {
      const old = await tx.rows<{ id: string }>(
        sql.replanned(sql`
          select id from ${sql.raw(table)}
           where organization_id = ${organization_id} and id < ${firstIdAt(before)} and ${is_finished}
           order by id limit ${limit} for update skip locked`),
      );
      if (old.length === 0) return { deleted: 0, is_last: true };
      const ids = old.map(({ id }) => id);
      await deleteCopies(tx, organization_id, ids);
      const deleted = await tx.run(
        sql`delete from ${sql.raw(table)} where organization_id = ${organization_id} and id = any(${ids}::uuid[])`,
      );
      return { deleted, is_last: deleted < limit };
    });

export const deleteOldRows = (
  db: Database,
  table: string,
  { organization_id, before, limit }: { organization_id: string; before: Date; limit: number },
): Promise<number> =>
  db.run(
    sql.replanned(sql`
      delete from ${sql.raw(table)} where organization_id = ${organization_id} and id in (
        select id from ${sql.raw(table)}
         where organization_id = ${organization_id} and id < ${firstIdAt(before)} order by id limit ${limit})`),
  );

/** The rows with these ids, of an organization. */
export const ofOrganization = (organization_id: string, column: string, ids: readonly string[]): Sql =>
  sql`organization_id = ${organization_id} and ${sql.raw(column)} = any(${[...ids]}::uuid[])`;

// The SQL that deletes events about an erased person, and old events of an organization.
import { deleteOldRows } from '../../../platform/db/old-rows.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { PersonalData } from '../../../platform/personal-data.ts';

const page_rows = 5000;

export const eventPersonalData: PersonalData = {
  owner: 'operations/events',
  tables: {
    events: { erased: '*' },
  },
  /** Those about the records, their conversations and the contact. */
  erasePage: ({ db }, { organization_id, contact_id, records, groups, namesRecord }, reached) =>
    db.transaction(
      async (tx) => {
        const after = reached === null ? sql.empty : sql`and id > ${reached}::uuid`;
        const last = await tx.maybe<{ id: string; count: number }>(
          sql.replanned(sql`
            select max(id::text) as id, count(*)::int as count from (
              select id from events where organization_id = ${organization_id} ${after} order by id limit ${page_rows}) page`),
        );
        if (!last || last.count === 0) return { reached: null, counts: {} };
        const events = await tx.run(
          sql.replanned(sql`
            delete from events e where organization_id = ${organization_id} and id <= ${last.id}::uuid ${after}
               and (resource_id = ${contact_id}::uuid or resource_id in ${records} or resource_id in ${groups}
                    or ${namesRecord(sql`e.payload`)})`),
        );
        return { reached: last.count < page_rows ? null : last.id, counts: { events } };
      },
      { is_long: true },
    ),
  forget: {
    step: 'events',
    kind: 'events',
    count: 'events',
    page_rows,
    deleteOld: ({ db }, organization_id, before, limit) =>
      deleteOldRows(db, 'events', { organization_id, before, limit }),
  },
};

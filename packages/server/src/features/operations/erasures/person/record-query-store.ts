// The subqueries of an erasure about the records that it noted, and about what consists of them.
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { ErasedPerson, PersonalData } from '../../../../platform/personal-data.ts';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export function recordQueries(
  { organization_id, id }: { organization_id: string; id: string },
  personal_data: readonly PersonalData[],
): Pick<ErasedPerson, 'records' | 'groups' | 'namesRecord'> {
  const noted = sql`organization_id = ${organization_id} and erasure_id = ${id}`;
  const records = sql`(select id from erasure_items where ${noted})`;
  const groups = personal_data.flatMap((each) => each.groups?.(organization_id, records) ?? []);
  return {
    records,
    groups: sql`(${sql.join(groups, ' union all ')})`,
    namesRecord: (text: Sql) => sql`exists (
      select from regexp_matches(${text}, ${uuid}, 'g') part
        join (select id from erasure_items where ${noted}) i on i.id = part[1]::uuid)`,
  };
}

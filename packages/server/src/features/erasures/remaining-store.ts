// The SQL that replaces the person in every text of every table of the organization, as the catalog lists them: also in columns
// that a later release adds.
import type { Database, Transaction } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { Erased } from './erased.ts';

export type SearchedTable = {
  name: string;
  columns: { name: string; type: string }[];
  /** It has an index by organization and id, so that it can be read in ranges. */
  is_ranged: boolean;
};

const quoted = (name: string) => sql.raw(`"${name.replaceAll('"', '""')}"`);
const tableSql = (table: string): ReturnType<typeof sql.raw> =>
  sql.raw(
    table
      .split('.')
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.'),
  );

/** Tables with an organization. Their rows name other people too, so values are replaced and rows stay. */
export const searchedTables = (db: Database): Promise<SearchedTable[]> =>
  db.rows<SearchedTable>(sql`
    select n.nspname || '.' || c.relname as name,
           json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum) as columns,
           exists (select from pg_index i where i.indrelid = c.oid and i.indpred is null
                      and i.indkey[0] = o.attnum and i.indkey[1] = (
                        select attnum from pg_attribute where attrelid = c.oid and attname = 'id' and not attisdropped)) as is_ranged
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute o on o.attrelid = c.oid and o.attname = 'organization_id' and not o.attisdropped
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and format_type(a.atttypid, null) in ('text', 'text[]', 'character varying', 'json', 'jsonb')
     where n.nspname in ('public', 'accounts') and c.relkind in ('r', 'p') and not c.relispartition
     group by n.nspname, c.relname, c.oid, o.attnum order by 1`);

const replaced = ({ name, type }: SearchedTable['columns'][number], erased: Erased): Sql => {
  const column = quoted(name);
  const inText = (text: Sql) => sql`regexp_replace(${text}, ${erased.pattern}, ${erased.text}, 'gi')`;
  if (type === 'text[]')
    return sql`${column} = case when ${column} is not null then array(
      select ${inText(sql`item`)} from unnest(${column}) with ordinality as e(item, place) order by place) end`;
  if (type === 'json' || type === 'jsonb')
    return sql`${column} = ${inText(sql`${column}::text`)}::${sql.raw(type)}`;
  return sql`${column} = ${inText(sql`${column}`)}`;
};

const matches = (columns: SearchedTable['columns'], { pattern }: Erased): Sql =>
  sql`(${sql.join(
    columns.map(({ name }) => sql`${quoted(name)}::text ~* ${pattern}`),
    ' or ',
  )})`;

type Range = { after: string | null; until: string | null };

const inRange = ({ organization_id }: Erased, { after, until }: Range): Sql => sql`
  organization_id = ${organization_id} ${after === null ? sql.empty : sql`and id > ${after}::uuid`}
  ${until === null ? sql.empty : sql`and id <= ${until}::uuid`}`;

/** The last id of the next range; null when the rest is one range. */
export async function rangeEnd(
  tx: Transaction,
  table: SearchedTable,
  { organization_id }: Erased,
  after: string | null,
  limit: number,
): Promise<string | null> {
  if (!table.is_ranged) return null;
  const row = await tx.maybe<{ id: string }>(
    sql.replanned(sql`
      select id from ${tableSql(table.name)} where organization_id = ${organization_id}
        ${after === null ? sql.empty : sql`and id > ${after}::uuid`} order by id offset ${limit - 1} limit 1`),
  );
  return row?.id ?? null;
}

/** How many rows had the person. Throws when two rows of a table would become equal; see `replaceOneByOne`. */
export const replaceInRange = (
  tx: Transaction,
  table: SearchedTable,
  erased: Erased,
  range: Range,
): Promise<number> =>
  tx.run(
    sql.replanned(sql`
      update ${tableSql(table.name)} set ${sql.join(
        table.columns.map((column) => replaced(column, erased)),
        ', ',
      )}
       where ${inRange(erased, range)} and ${matches(table.columns, erased)}`),
  );

/** Rows that would become equal to another one are deleted: two entries of one person are one. */
export async function replaceOneByOne(
  db: Database,
  table: SearchedTable,
  erased: Erased,
  range: Range,
): Promise<number> {
  const name = tableSql(table.name);
  const rows = await db.rows<{ place: string; part: string }>(
    sql.replanned(sql`
      select ctid::text as place, tableoid::regclass::text as part from ${name}
       where ${inRange(erased, range)} and ${matches(table.columns, erased)}`),
  );
  for (const { place, part } of rows) {
    // The partition: a place is unique only within it.
    const one = sql`ctid = ${place}::tid and organization_id = ${erased.organization_id}
      and ${matches(table.columns, erased)}`;
    const set = sql.join(
      table.columns.map((column) => replaced(column, erased)),
      ', ',
    );
    const leaf = sql.raw(part);
    await db.run(sql.replanned(sql`update ${leaf} set ${set} where ${one}`)).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
      return db.run(sql.replanned(sql`delete from ${leaf} where ${one}`));
    });
  }
  return rows.length;
}

/** 23505: unique_violation. */
export const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === '23505';

/** Jobs have no organization of their own. */
export const replaceInJobs = (tx: Transaction, { organization_id, pattern, text }: Erased): Promise<number> =>
  tx.run(sql`
    update jobs set payload = regexp_replace(payload::text, ${pattern}, ${text}, 'gi')::jsonb
     where payload ->> 'organization_id' = ${organization_id} and payload::text ~* ${pattern}`);

/** One step may read many rows. */
export const allowLongStatements = (tx: Transaction) => tx.run(sql`set local statement_timeout = 0`);

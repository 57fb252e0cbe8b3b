// The SQL that replaces the person in every text of every table of the organization, as the catalog lists them: also in columns
// that a later release adds.
import type { Transaction } from '../../../../platform/db/database.ts';
import { type Sql, sql } from '../../../../platform/db/sql.ts';
import type { ErasureDatabase } from '../../../../platform/personal-data.ts';
import type { Erased } from '../person/erased.ts';
import { settings_tables } from './settings-tables.ts';

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

/** Tables with an organization, without settings. Their rows name other people too, so values are replaced and rows stay. */
export const searchedTables = async (db: ErasureDatabase): Promise<SearchedTable[]> =>
  (await tablesOf(db)).filter(({ name }) => !(name in settings_tables));

const tablesOf = (db: ErasureDatabase): Promise<SearchedTable[]> =>
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

/** Where a row is: a place is unique only within a partition. */
type Place = { part: string; place: string };
type SearchedRow = Place & { texts: (string | null)[] };
const start: Place = { part: '0', place: '(0,0)' };
const page_rows = 200;

/** Columns without the person are null. The texts of an array are one JSON text. */
function nextRows(
  db: ErasureDatabase,
  table: SearchedTable,
  erased: Erased,
  range: Range,
  { part, place }: Place,
): Promise<SearchedRow[]> {
  const texts = table.columns.map(({ name, type }) => {
    const shown = type === 'text[]' ? sql`to_json(${quoted(name)})::text` : sql`${quoted(name)}::text`;
    return sql`case when ${quoted(name)}::text ~* ${erased.pattern} then ${shown} end`;
  });
  return db.rows<SearchedRow>(
    sql.replanned(sql`
      select tableoid::text as part, ctid::text as place, array[${sql.join(texts, ', ')}] as texts
        from ${tableSql(table.name)}
       where ${inRange(erased, range)} and ${matches(table.columns, erased)}
         and (tableoid, ctid) > (${part}::oid, ${place}::tid) order by tableoid, ctid limit ${page_rows}`),
  );
}

/** The columns that change, each with its new text. */
function changesOf({ columns }: SearchedTable, { texts }: SearchedRow, erased: Erased): Sql[] {
  return columns.flatMap(({ name, type }, index) => {
    const before = texts[index];
    if (before === null || before === undefined) return [];
    const after = erased.replace(before);
    if (after === before) return [];
    if (type === 'text[]') return [sql`${quoted(name)} = ${JSON.parse(after) as string[]}::text[]`];
    if (type === 'json' || type === 'jsonb') return [sql`${quoted(name)} = ${after}::${sql.raw(type)}`];
    return [sql`${quoted(name)} = ${after}`];
  });
}

/** How many rows had the person. */
export async function replaceInRange(
  db: ErasureDatabase,
  table: SearchedTable,
  erased: Erased,
  range: Range,
): Promise<number> {
  let count = 0;
  let last = start;
  while (true) {
    const rows = await nextRows(db, table, erased, range, last);
    const changes = rows.flatMap((row) => {
      const set = changesOf(table, row, erased);
      return set.length === 0 ? [] : [{ row, set }];
    });
    const page_count = await replacePage(db, table, erased, changes);
    count += page_count;
    // Another process changed a row in between, which gave it a new place.
    const has_moved = page_count < changes.length;
    last = has_moved ? start : (rows.at(-1) ?? last);
    if (!has_moved && rows.length < page_rows) return count;
  }
}

type Change = { row: SearchedRow; set: Sql[] };

/** In one transaction, or one by one when two rows become equal. Returns how many rows were still at their places. */
async function replacePage(
  db: ErasureDatabase,
  table: SearchedTable,
  erased: Erased,
  changes: readonly Change[],
): Promise<number> {
  const replaceAll = (tx: Transaction, some: readonly Change[]) => replaceRows(tx, table, erased, some);
  if (changes.length === 0) return 0;
  try {
    return await db.transaction((tx) => replaceAll(tx, changes));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  let count = 0;
  for (const change of changes)
    try {
      count += await db.transaction((tx) => replaceAll(tx, [change]));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      // Two entries of one person are one.
      count += await db.run(
        sql.replanned(sql`delete from ${tableSql(table.name)} where ${at(change.row, erased)}`),
      );
    }
  return count;
}

const at = ({ part, place }: Place, { organization_id }: Erased): Sql =>
  sql`tableoid = ${part}::oid and ctid = ${place}::tid and organization_id = ${organization_id}`;

async function replaceRows(
  tx: Transaction,
  table: SearchedTable,
  erased: Erased,
  changes: readonly Change[],
): Promise<number> {
  let count = 0;
  for (const { row, set } of changes)
    count += await tx.run(
      sql.replanned(sql`
        update ${tableSql(table.name)} set ${sql.join(set, ', ')}
         where ${at(row, erased)} and ${matches(table.columns, erased)}`),
    );
  return count;
}

/** 23505: unique_violation. */
const isDuplicate = (error: unknown): boolean => (error as { code?: unknown }).code === '23505';

/** The kinds of settings that name the person. An erasure does not change them. */
export async function settingsWith(db: ErasureDatabase, erased: Erased): Promise<string[]> {
  const shown: string[] = [];
  for (const table of await tablesOf(db)) {
    const settings = settings_tables[table.name];
    if (settings === undefined || shown.includes(settings)) continue;
    const rows = await nextRows(db, table, erased, { after: null, until: null }, start);
    if (rows.some((row) => changesOf(table, row, erased).length > 0)) shown.push(settings);
  }
  return shown.toSorted();
}
